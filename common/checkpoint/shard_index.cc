#include "common/checkpoint/shard_index.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/budget.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

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
