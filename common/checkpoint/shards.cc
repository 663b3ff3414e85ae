#include "common/checkpoint/shards.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// The memory of a tensor's description, and of its key in a table that grows by doubling.
size_t MemoryOf(const CheckpointTensor& tensor) {
  return 2 * (sizeof(CheckpointTensor) + sizeof(std::string) + sizeof(size_t)) + 2 * tensor.key.size() +
         (tensor.shape.size() + tensor.strides.size()) * sizeof(int64_t);
}

// The memory of what a shard describes.
size_t MemoryOf(const CheckpointContents& part) {
  size_t size = 2 * part.storages.size() * sizeof(Storage);
  for (const CheckpointTensor& tensor : part.state_dicts[0].tensors) size += MemoryOf(tensor);
  for (const LooseTensors& loose : part.loose) {
    size += 2 * sizeof(LooseTensors) + loose.path.size() + loose.holder.size() + 2 * loose.key.size();
  }
  // An entry of a map takes four pointers besides.
  for (const auto& [key, value] : part.metadata) {
    size += 2 * sizeof(std::string) + 4 * sizeof(void*) + key.size() + value.size();
  }
  return size;
}

// Each shard is read within a budget of its own. What is kept of all of them has one for the size of all files.
class ShardReader {
 public:
  using Read = absl::FunctionRef<absl::StatusOr<CheckpointContents>(absl::string_view file)>;

  ShardReader(const OpenedFile& index_file, ShardIndex index, Read read)
      : folder_(index_file.path.substr(0, index_file.path.rfind('/') + 1)), index_(std::move(index)), read_(read) {
    contents_.files = {index_file};
    contents_.state_dicts.emplace_back();
  }

  absl::StatusOr<CheckpointContents> ReadAll() {
    RETURN_IF_ERROR(OpenShards());
    size_t size = 0;
    for (const OpenedFile& file : contents_.files) size += file.bytes.size();
    Budget budget(size);
    for (size_t i = 0; i < index_.shards.size(); ++i) {
      const absl::Status added = AddShard(i, budget);
      if (!added.ok()) return Annotate(added, absl::StrCat("shard ", index_.shards[i]));
    }
    RETURN_IF_ERROR(CheckKeys());
    return std::move(contents_);
  }

 private:
  // Appends every shard to the contents' files.
  absl::Status OpenShards();
  absl::Status AddShard(size_t shard, Budget& budget);
  void Append(CheckpointContents part, size_t shard);
  absl::Status CheckKeys() const;

  const std::string folder_;
  const ShardIndex index_;
  const Read read_;
  CheckpointContents contents_;
  std::vector<std::string> twice_;                     // Keys that are in two shards.
  absl::flat_hash_map<std::string, size_t> found_in_;  // The shard of each key that was read.
};

absl::Status ShardReader::OpenShards() {
  std::vector<std::string> missing;
  for (const std::string& shard : index_.shards) {
    absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(folder_ + shard);
    if (absl::IsNotFound(file.status())) {
      missing.push_back(shard);
      continue;
    }
    RETURN_IF_ERROR(file.status());
    contents_.files.push_back({folder_ + shard, (*file)->bytes(), *file, file->get()});
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(missing.size(), " of ", index_.shards.size(),
                                          missing.size() == 1 ? " shards is" : " shards are",
                                          " not in its folder: ", FirstFew(missing), "\n  download them, too"));
}

absl::Status ShardReader::AddShard(size_t shard, Budget& budget) {
  ASSIGN_OR_RETURN(CheckpointContents part, read_(contents_.files[shard + 1].bytes));
  // Those of an entry of the dictionary are of a kind that is not read.
  const bool has_others =
      std::any_of(part.loose.begin(), part.loose.end(), [](const LooseTensors& loose) { return loose.key.empty(); });
  if (part.state_dicts.size() != 1 || !part.state_dicts[0].path.empty() || has_others) {
    return absl::InvalidArgumentError("holds more than one dictionary of tensors, which a shard does not");
  }
  RETURN_IF_ERROR(budget.Spend(MemoryOf(part)));
  KeepDecoded(part, contents_.files[shard + 1]);
  Append(std::move(part), shard);
  return absl::OkStatus();
}

void ShardReader::Append(CheckpointContents part, size_t shard) {
  const int first_storage = static_cast<int>(contents_.storages.size());
  for (Storage& storage : part.storages) {
    storage.file = static_cast<int>(shard) + 1;
    contents_.storages.push_back(storage);
  }
  for (CheckpointTensor& tensor : part.state_dicts[0].tensors) {
    if (!found_in_.emplace(tensor.key, shard).second) {
      twice_.push_back(tensor.key);
      continue;
    }
    tensor.storage += first_storage;
    contents_.state_dicts[0].tensors.push_back(std::move(tensor));
  }
  for (LooseTensors& loose : part.loose) {
    if (!found_in_.emplace(loose.key, shard).second) twice_.push_back(loose.key);
    contents_.loose.push_back(std::move(loose));
  }
  contents_.format = part.format;
  contents_.metadata.merge(part.metadata);
}

absl::Status ShardReader::CheckKeys() const {
  std::vector<std::string> lost, moved, added;
  for (const auto& [key, shard] : index_.keys) {
    const auto found = found_in_.find(key);
    if (found == found_in_.end()) {
      lost.push_back(key);
    } else if (found->second != shard) {
      moved.push_back(key);
    }
  }
  for (const auto& [key, shard] : found_in_) {
    if (!index_.keys.contains(key)) added.push_back(key);
  }
  std::string text;
  const auto list = [&](std::vector<std::string> keys, absl::string_view what) {
    std::sort(keys.begin(), keys.end());
    if (!keys.empty()) absl::StrAppend(&text, "\n  ", keys.size(), " ", what, ": ", FirstFew(keys));
  };
  list(twice_, "in two shards");
  list(lost, "in the index and in no shard");
  list(moved, "in another shard than the index says");
  list(added, "in a shard and not in the index");
  if (text.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the index and its shards disagree about keys", text,
                                                 "\n  download the index and all shards again"));
}

constexpr size_t kMaxShards = 1000;

// The memory of a key here, in tables that grow by doubling.
constexpr size_t kKeyCost = 4 * sizeof(std::string);

// Follows the parser's events, and collects the entries of weight_map. A handler that returns false ends the parse;
// error() says why.
class IndexHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit IndexHandler(size_t file_size) : budget_(file_size) {}

  const absl::Status& error() const { return error_; }
  absl::StatusOr<ShardIndex> TakeIndex();

  bool start_object(size_t) override;
  bool end_object() override;
  bool start_array(size_t) override { return NotAName() && ++depth_; }
  bool end_array() override { return depth_-- > 0; }
  bool key(string_t& name) override;
  bool string(string_t& text) override;

  bool null() override { return NotAName(); }
  bool boolean(bool) override { return NotAName(); }
  bool number_integer(number_integer_t) override { return NotAName(); }
  bool number_unsigned(number_unsigned_t) override { return NotAName(); }
  bool number_float(number_float_t, const string_t&) override { return NotAName(); }
  bool binary(binary_t&) override { return NotAName(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override;

 private:
  bool Fail(absl::Status error);
  // Ends the parse where the weight map has a value that is no text.
  bool NotAName();
  // The number of the shard, which is added if it is new; nullopt after an error.
  absl::optional<size_t> AddShard(const std::string& name);

  Budget budget_;
  int depth_ = 0;  // Of the object or array that the parser is in; the root has 1.
  bool in_map_ = false;
  bool has_map_ = false;
  std::string key_;                       // The last one of the root or of the weight map.
  std::map<std::string, size_t> shards_;  // By name, numbered in the order in which the file names them.
  absl::flat_hash_map<std::string, size_t> keys_;
  absl::Status error_;
};

bool IndexHandler::Fail(absl::Status error) {
  error_ = std::move(error);
  return false;
}

bool IndexHandler::NotAName() {
  if (!in_map_) return true;
  return Fail(absl::InvalidArgumentError(absl::StrCat("weight_map, ", Brief(key_), ": wants the name of a file")));
}

bool IndexHandler::parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
  return Fail(absl::DataLossError(absl::StrCat("not JSON in UTF-8 from its byte ", position)));
}

bool IndexHandler::start_object(size_t) {
  if (!NotAName()) return false;
  in_map_ = depth_ == 1 && key_ == "weight_map";
  if (in_map_ && has_map_) return Fail(absl::DataLossError("weight_map occurs twice"));
  has_map_ |= in_map_;
  ++depth_;
  return true;
}

bool IndexHandler::end_object() {
  --depth_;
  in_map_ = false;
  return true;
}

bool IndexHandler::key(string_t& name) {
  if (in_map_ || depth_ == 1) key_ = Printable(name);
  return true;
}

bool IndexHandler::string(string_t& text) {
  if (!in_map_) return true;
  error_ = budget_.Spend(kKeyCost + 2 * key_.size());
  if (!error_.ok()) return false;
  const absl::optional<size_t> shard = AddShard(text);
  if (!shard) return false;
  if (keys_.emplace(key_, *shard).second) return true;
  return Fail(absl::DataLossError(absl::StrCat("weight_map, ", Brief(key_), ": occurs twice")));
}

absl::optional<size_t> IndexHandler::AddShard(const std::string& name) {
  const bool is_plain =
      !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && Printable(name) == name;
  if (!is_plain) {
    Fail(absl::InvalidArgumentError(absl::StrCat("weight_map, ", Brief(key_), ": \"", Brief(name),
                                                 "\" is not the name of a file in the index's folder")));
    return absl::nullopt;
  }
  const auto [shard, added] = shards_.emplace(name, shards_.size());
  if (added && shards_.size() > kMaxShards) {
    Fail(absl::InvalidArgumentError(absl::StrCat("names more than ", kMaxShards, " shards")));
    return absl::nullopt;
  }
  return shard->second;
}

absl::StatusOr<ShardIndex> IndexHandler::TakeIndex() {
  if (keys_.empty()) {
    return absl::InvalidArgumentError(
        "not a checkpoint: a JSON text without a weight_map, which an index of shards has\n  name the file that holds "
        "the tensors");
  }
  ShardIndex index;
  std::vector<size_t> sorted(shards_.size());
  for (const auto& [name, number] : shards_) {
    sorted[number] = index.shards.size();
    index.shards.push_back(name);
  }
  index.keys = std::move(keys_);
  for (auto& [key, shard] : index.keys) shard = sorted[shard];
  return index;
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadShards(
    const OpenedFile& index, absl::FunctionRef<absl::StatusOr<CheckpointContents>(absl::string_view file)> read) {
  ASSIGN_OR_RETURN(ShardIndex parsed, ParseShardIndex(index.bytes));
  return ShardReader(index, std::move(parsed), read).ReadAll();
}

absl::StatusOr<ShardIndex> ParseShardIndex(absl::string_view json) {
  // The parser would stop at a NUL as if the text ended there.
  if (const size_t nul = json.find('\0'); nul != json.npos) {
    return absl::DataLossError(absl::StrCat("has a NUL at its byte ", nul));
  }
  IndexHandler handler(json.size());
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &handler)) return handler.error();
  return handler.TakeIndex();
}

}  // namespace modelport
