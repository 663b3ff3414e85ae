#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/contents.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/byte_reader.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// A tensor as the header of a safetensors file states it. Its shape, dtype and range are not compared yet.
struct SafetensorsEntry {
  std::string key;    // Made printable by Printable().
  std::string dtype;  // "F32".
  Shape shape;
  uint64_t begin = 0;  // The range of its bytes, counted from the end of the header.
  uint64_t end = 0;
};

struct ParsedHeader {
  std::vector<SafetensorsEntry> entries;        // In the header's order; keys are unique.
  std::map<std::string, std::string> metadata;  // __metadata__.
};

constexpr absl::string_view kMetadata = "__metadata__";

// PyTorch's own limit.
constexpr size_t kMaxRank = 64;

// The memory of an entry here, as a tensor and as a storage, in vectors and sets that grow by doubling; and that of an
// item of the metadata.
constexpr size_t kEntryCost =
    2 * (sizeof(SafetensorsEntry) + std::max(sizeof(CheckpointTensor) + sizeof(Storage), sizeof(LooseTensors)));

constexpr size_t kMetadataCost = 2 * sizeof(std::string) + 8 * sizeof(void*);

// Follows the parser's events through {key: {"dtype": string, "shape": [int], "data_offsets": [int, int]}}, of which
// __metadata__: {string: string} is a special case. A handler that returns false ends the parse; error() says why.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(Budget& budget) : budget_(budget) {}

  const absl::Status& error() const { return error_; }
  ParsedHeader TakeHeader() { return std::move(header_); }

  bool start_object(size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool string(string_t& text) override;
  bool start_array(size_t) override;
  bool number_unsigned(number_unsigned_t number) override;
  bool end_array() override;

  // The library reads metadata of null as none.
  bool null() override { return (state_ == State::kRoot && key_ == kMetadata) || Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("a bool"); }
  bool number_integer(number_integer_t) override { return Unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return Unexpected("a fractional or huge number"); }
  bool binary(binary_t&) override { return Unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override;

 private:
  enum class State { kOutside, kRoot, kMetadata, kEntry, kArray, kEnd };

  bool Spend(size_t bytes);
  bool Fail(absl::string_view what);
  bool Unexpected(absl::string_view what) { return Fail(absl::StrCat("has ", what, " where none belongs")); }
  bool EndEntry();

  Budget& budget_;
  State state_ = State::kOutside;
  std::string field_;                        // The last key of the current entry or of the metadata.
  absl::flat_hash_set<std::string> fields_;  // All keys of the current entry so far.
  std::vector<uint64_t> numbers_;            // Those of the current array.
  std::string key_;                          // The last key of the root.
  absl::flat_hash_set<std::string> keys_;
  ParsedHeader header_;
  absl::Status error_;
};

bool HeaderHandler::Spend(size_t bytes) {
  error_ = budget_.Spend(bytes);
  return error_.ok();
}

bool HeaderHandler::Fail(absl::string_view what) {
  error_ = absl::DataLossError(key_.empty() ? absl::StrCat("header ", what)
                                            : absl::StrCat("header, ", Brief(key_), ": ", what));
  return false;
}

bool HeaderHandler::parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
  error_ = absl::DataLossError(absl::StrCat("header is not JSON in UTF-8 from its byte ", position));
  return false;
}

bool HeaderHandler::start_object(size_t) {
  if (state_ == State::kOutside) {
    state_ = State::kRoot;
  } else if (state_ == State::kRoot && key_ == kMetadata) {
    state_ = State::kMetadata;
  } else if (state_ == State::kRoot) {
    state_ = State::kEntry;
    if (!Spend(kEntryCost + 2 * key_.size())) return false;
    header_.entries.push_back({key_, "", {}, 0, 0});
    fields_.clear();
  } else {
    return Unexpected("an object");
  }
  return true;
}

bool HeaderHandler::key(string_t& name) {
  if (state_ == State::kRoot) {
    key_ = Printable(name);
    return keys_.insert(key_).second || Fail("occurs twice");
  }
  field_ = name;
  if (state_ == State::kMetadata) {
    return header_.metadata.count(name) == 0 || Fail(absl::StrCat(Brief(name), " occurs twice"));
  }
  const bool known = name == "dtype" || name == "shape" || name == "data_offsets";
  if (!known) return Fail(absl::StrCat("unknown field \"", Brief(name), "\""));
  return fields_.insert(name).second || Fail(absl::StrCat(Brief(name), " occurs twice"));
}

bool HeaderHandler::string(string_t& text) {
  if (state_ == State::kMetadata) {
    if (!Spend(kMetadataCost + field_.size() + text.size())) return false;
    header_.metadata[field_] = text;
  } else if (state_ == State::kEntry && field_ == "dtype") {
    header_.entries.back().dtype = text;
  } else {
    return Unexpected("a string");
  }
  return true;
}

bool HeaderHandler::start_array(size_t) {
  if (state_ != State::kEntry || field_ == "dtype") return Unexpected("an array");
  state_ = State::kArray;
  numbers_.clear();
  return true;
}

bool HeaderHandler::number_unsigned(number_unsigned_t number) {
  if (state_ != State::kArray) return Unexpected("a number");
  if (numbers_.size() == kMaxRank) return Fail(absl::StrCat(field_, " has more than ", kMaxRank, " numbers"));
  numbers_.push_back(number);
  return true;
}

bool HeaderHandler::end_array() {
  state_ = State::kEntry;
  SafetensorsEntry& entry = header_.entries.back();
  if (field_ == "data_offsets") {
    if (numbers_.size() != 2) return Fail("data_offsets wants two numbers");
    entry.begin = numbers_[0];
    entry.end = numbers_[1];
    return true;
  }
  for (const uint64_t size : numbers_) {
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return Fail("a size of its shape is too big");
    entry.shape.push_back(static_cast<int64_t>(size));
  }
  return Spend(2 * entry.shape.capacity() * sizeof(int64_t));
}

bool HeaderHandler::EndEntry() {
  state_ = State::kRoot;
  return fields_.size() == 3 || Fail("wants dtype, shape and data_offsets");
}

bool HeaderHandler::end_object() {
  if (state_ == State::kEntry) return EndEntry();
  state_ = state_ == State::kMetadata ? State::kRoot : State::kEnd;
  return true;
}

// Parses the JSON text of a header, and spends `budget` on the entries that it makes.
//   DataLoss          not JSON in UTF-8, not the structure that safetensors prescribes, or a key that occurs twice
//   InvalidArgument   the budget is exceeded
absl::StatusOr<ParsedHeader> ParseSafetensorsHeader(absl::string_view json, Budget& budget) {
  // The parser would stop at a NUL as if the text ended there.
  if (const size_t nul = json.find('\0'); nul != json.npos) {
    return absl::DataLossError(absl::StrCat("header has a NUL at its byte ", nul));
  }
  HeaderHandler handler(budget);
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &handler)) return handler.error();
  return handler.TakeHeader();
}

constexpr uint64_t kMaxHeaderSize = 100'000'000;

absl::StatusOr<absl::string_view> ReadHeaderText(ByteReader& reader) {
  const absl::optional<uint64_t> size = reader.ReadNumber<uint64_t>();
  if (!size) return absl::DataLossError("truncated: no header length");
  if (*size > kMaxHeaderSize) {
    return absl::DataLossError(absl::StrCat("header length ", *size, " is more than 100 MB: the file is damaged"));
  }
  const size_t has = reader.remaining();
  const absl::optional<absl::string_view> text = reader.ReadBytes(*size);
  if (text) return *text;
  return absl::DataLossError(absl::StrCat("truncated: the header wants ", *size, " bytes, the file has ", has,
                                          "\n  download or copy it again"));
}

// Checks that the tensors cover the data from its first byte to its last, no byte twice.
absl::Status CheckCoverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_size) {
  std::vector<const SafetensorsEntry*> sorted;
  for (const SafetensorsEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t position = 0;
  for (const SafetensorsEntry* entry : sorted) {
    if (entry->begin != position || entry->end < entry->begin) {
      return absl::DataLossError(absl::StrCat(Brief(entry->key), ": its data_offsets [", entry->begin, ", ", entry->end,
                                              "] leave a hole or overlap: the data before it ends at ", position));
    }
    position = entry->end;
  }
  if (position == data_size) return absl::OkStatus();
  const absl::string_view cause = position > data_size ? "truncated" : "bytes follow the last tensor";
  return absl::DataLossError(absl::StrCat(cause, ": the tensors take ", position, " bytes, the file has ", data_size,
                                          " after its header\n  download or copy it again"));
}

// Whether `name` may be a dtype that the format has got since: "F4". Others are mistakes.
bool MayBeDType(absl::string_view name) {
  return !name.empty() && absl::ascii_isupper(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isupper(c) || absl::ascii_isdigit(c) || c == '_';
  });
}

// Moves the key and the shape out of `entry`, whose dtype is `dtype`.
absl::StatusOr<CheckpointTensor> MakeTensor(DType dtype, SafetensorsEntry& entry, int storage) {
  const absl::optional<int64_t> count = ElementCount(entry.shape);
  int64_t size;
  if (!count || __builtin_mul_overflow(*count, ByteSize(dtype), &size) ||
      static_cast<uint64_t>(size) != entry.end - entry.begin) {
    return absl::DataLossError(absl::StrCat("shape ", ShapeString(entry.shape), " of ", DTypeName(dtype),
                                            " does not take the ", entry.end - entry.begin, " bytes of its data"));
  }
  std::vector<int64_t> strides = RowMajorStrides(entry.shape);
  return CheckpointTensor{std::move(entry.key), dtype, std::move(entry.shape), std::move(strides), 0, storage};
}

// Adds the tensor of `entry`, whose bytes are in `data`, to `contents` and its only dictionary. One of a dtype that is
// not known is among the loose ones.
absl::Status AddEntry(SafetensorsEntry& entry, absl::string_view data, CheckpointContents& contents, StateDict& dict) {
  const absl::optional<DType> dtype = ParseSafetensorsDType(entry.dtype);
  if (!dtype && !MayBeDType(entry.dtype)) {
    return absl::DataLossError(absl::StrCat("has the dtype \"", Brief(entry.dtype), "\", which is none"));
  }
  if (!dtype) {
    LooseTensors loose = {entry.key, absl::StrCat("a tensor of dtype ", Brief(entry.dtype)), 1, 0};
    loose.key = std::move(entry.key);
    contents.loose.push_back(std::move(loose));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(CheckpointTensor tensor, MakeTensor(*dtype, entry, static_cast<int>(contents.storages.size())));
  contents.storages.push_back({"", data.substr(entry.begin, entry.end - entry.begin), absl::nullopt});
  dict.tensors.push_back(std::move(tensor));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadSafetensors(absl::string_view file) {
  ByteReader reader(file);
  ASSIGN_OR_RETURN(const absl::string_view text, ReadHeaderText(reader));
  Budget budget(file.size());
  ASSIGN_OR_RETURN(ParsedHeader header, ParseSafetensorsHeader(text, budget));
  const absl::string_view data = file.substr(reader.offset());
  RETURN_IF_ERROR(CheckCoverage(header.entries, data.size()));
  if (header.entries.empty()) return absl::InvalidArgumentError("holds no tensors");

  CheckpointContents contents;
  StateDict dict;
  contents.storages.reserve(header.entries.size());
  dict.tensors.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    const absl::Status added = AddEntry(entry, data, contents, dict);
    if (!added.ok()) return Annotate(added, Brief(entry.key));
  }
  if (dict.tensors.empty()) {
    const LooseTensors& first = contents.loose.front();
    return absl::UnimplementedError(
        absl::StrCat("holds no tensor that can be read: ", Brief(first.key), " is ", first.holder));
  }
  contents.format = "safetensors";
  contents.state_dicts.push_back(std::move(dict));
  contents.metadata = std::move(header.metadata);
  return contents;
}

}  // namespace modelport
