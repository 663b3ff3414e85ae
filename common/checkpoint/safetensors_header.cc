#include "common/checkpoint/safetensors_header.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

constexpr absl::string_view kMetadata = "__metadata__";

// PyTorch's own limit.
constexpr size_t kMaxRank = 64;

// Follows the parser's events through {key: {"dtype": string, "shape": [int], "data_offsets": [int, int]}}, of which
// __metadata__: {string: string} is a special case. A handler that returns false ends the parse; error() says why.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  const absl::Status& error() const { return error_; }
  SafetensorsHeader TakeHeader() { return std::move(header_); }

  bool start_object(size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool string(string_t& text) override;
  bool start_array(size_t) override;
  bool number_unsigned(number_unsigned_t number) override;
  bool end_array() override;

  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("a bool"); }
  bool number_integer(number_integer_t) override { return Unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return Unexpected("a fractional or huge number"); }
  bool binary(binary_t&) override { return Unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override;

 private:
  enum class Place { kOutside, kRoot, kMetadata, kEntry, kArray, kEnd };

  bool Fail(absl::string_view what);
  bool Unexpected(absl::string_view what) { return Fail(absl::StrCat("has ", what, " where none belongs")); }
  bool EndEntry();

  Place place_ = Place::kOutside;
  std::string field_;                        // The last key met within the entry or the metadata.
  absl::flat_hash_set<std::string> fields_;  // All met so far within the entry.
  std::vector<uint64_t> numbers_;            // Of the array.
  std::string key_;                          // The last key met in the root.
  absl::flat_hash_set<std::string> keys_;
  SafetensorsHeader header_;
  absl::Status error_;
};

bool HeaderHandler::Fail(absl::string_view what) {
  error_ =
      absl::DataLossError(key_.empty() ? absl::StrCat("header ", what) : absl::StrCat("header, ", key_, ": ", what));
  return false;
}

bool HeaderHandler::parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
  error_ = absl::DataLossError(absl::StrCat("header is not JSON in UTF-8 from its byte ", position));
  return false;
}

bool HeaderHandler::start_object(size_t) {
  if (place_ == Place::kOutside) {
    place_ = Place::kRoot;
  } else if (place_ == Place::kRoot && key_ == kMetadata) {
    place_ = Place::kMetadata;
  } else if (place_ == Place::kRoot) {
    place_ = Place::kEntry;
    header_.entries.push_back({key_, "", {}, 0, 0});
    fields_.clear();
  } else {
    return Unexpected("an object");
  }
  return true;
}

bool HeaderHandler::key(string_t& name) {
  if (place_ == Place::kRoot) {
    key_ = name;
    return keys_.insert(name).second || Fail("occurs twice");
  }
  field_ = name;
  if (place_ == Place::kMetadata) {
    return header_.metadata.count(name) == 0 || Fail(absl::StrCat(name, " occurs twice"));
  }
  const bool known = name == "dtype" || name == "shape" || name == "data_offsets";
  if (!known) return Fail(absl::StrCat("unknown field \"", name, "\""));
  return fields_.insert(name).second || Fail(absl::StrCat(name, " occurs twice"));
}

bool HeaderHandler::string(string_t& text) {
  if (place_ == Place::kMetadata) {
    header_.metadata[field_] = text;
  } else if (place_ == Place::kEntry && field_ == "dtype") {
    header_.entries.back().dtype = text;
  } else {
    return Unexpected("a string");
  }
  return true;
}

bool HeaderHandler::start_array(size_t) {
  if (place_ != Place::kEntry || field_ == "dtype") return Unexpected("an array");
  place_ = Place::kArray;
  numbers_.clear();
  return true;
}

bool HeaderHandler::number_unsigned(number_unsigned_t number) {
  if (place_ != Place::kArray) return Unexpected("a number");
  if (numbers_.size() == kMaxRank) return Fail(absl::StrCat(field_, " has more than ", kMaxRank, " numbers"));
  numbers_.push_back(number);
  return true;
}

bool HeaderHandler::end_array() {
  place_ = Place::kEntry;
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
  return true;
}

bool HeaderHandler::EndEntry() {
  place_ = Place::kRoot;
  return fields_.size() == 3 || Fail("wants dtype, shape and data_offsets");
}

bool HeaderHandler::end_object() {
  if (place_ == Place::kEntry) return EndEntry();
  place_ = place_ == Place::kMetadata ? Place::kRoot : Place::kEnd;
  return true;
}

}  // namespace

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json) {
  HeaderHandler handler;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &handler)) return handler.error();
  return handler.TakeHeader();
}

}  // namespace modelport
