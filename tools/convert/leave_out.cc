#include "tools/convert/leave_out.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/annotate.h"
#include "common/text/nearest.h"
#include "common/text/units.h"

namespace modelport {
namespace {

absl::Status NamesNothing(const std::string& item, const std::vector<Unstorable>& unstorable,
                          const std::string& layout) {
  std::vector<std::string> names;
  for (const Unstorable& part : unstorable) names.push_back(part.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--leave_out=", item, ": names nothing that layout ", layout, " cannot hold",
                   names.empty() ? "; it holds the whole checkpoint" : NearestHint(item, names)));
}

}  // namespace

absl::StatusOr<LeaveOut> LeaveOut::Parse(const std::vector<std::string>& items) {
  LeaveOut leave_out;
  for (const std::string& text : items) {
    absl::StatusOr<KeyPattern> pattern = KeyPattern::Parse(text);
    if (!pattern.ok() && text != ".") return Annotate(pattern.status(), absl::StrCat("--leave_out=", text));
    leave_out.items_.push_back({text, pattern.ok() ? absl::make_optional(*std::move(pattern)) : absl::nullopt});
  }
  return leave_out;
}

bool LeaveOut::Matches(const std::string& name) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return item.Matches(name); });
}

absl::optional<Checkpoint> LeaveOut::Without(const Checkpoint& checkpoint, std::vector<Unstorable>* left_out) const {
  Checkpoint::Contents contents = {.path = checkpoint.path(),
                                   .format = checkpoint.format(),
                                   .files = checkpoint.files(),
                                   .storages = checkpoint.storages(),
                                   .state_dicts = {},
                                   .loose = checkpoint.loose(),
                                   .metadata = checkpoint.metadata()};
  for (StateDict dict : checkpoint.state_dicts()) {
    const auto end = std::remove_if(dict.tensors.begin(), dict.tensors.end(), [&](const CheckpointTensor& tensor) {
      if (!Matches(tensor.key)) return false;
      left_out->push_back({tensor.key, "the model has no place for it"});
      return true;
    });
    dict.tensors.erase(end, dict.tensors.end());
    if (!dict.tensors.empty()) contents.state_dicts.push_back(std::move(dict));
  }
  if (left_out->empty() || contents.state_dicts.empty()) return absl::nullopt;
  return Checkpoint(std::move(contents));
}

absl::Status LeaveOut::Check(const std::vector<Unstorable>& unstorable, const std::string& layout,
                             const std::vector<std::string>& paths) const {
  for (const Item& item : items_) {
    const auto matches = [&](const Unstorable& part) { return item.Matches(part.name); };
    if (std::none_of(unstorable.begin(), unstorable.end(), matches)) return NamesNothing(item.text, unstorable, layout);
  }
  std::vector<std::string> lines;
  for (const Unstorable& part : unstorable) {
    if (!Matches(part.name)) lines.push_back(absl::StrCat(part.name, ": ", part.reason));
  }
  if (lines.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      absl::StrJoin(paths, ", "), ": layout ", layout, " cannot hold ", Counted(lines.size(), "part"), " of it\n  ",
      absl::StrJoin(lines, "\n  "),
      "\n  --leave_out=KEY,... writes the file without them; a KEY may be a pattern such as head.{rest*}"));
}

}  // namespace modelport
