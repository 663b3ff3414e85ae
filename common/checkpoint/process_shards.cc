#include "common/checkpoint/process_shards.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {

bool IsShardClass(absl::string_view name) {
  const absl::string_view last = name.substr(name.rfind('.') + 1);
  return last == "DTensor" || last == "ShardedTensor";
}

bool IsFlatParameter(absl::string_view key) {
  absl::string_view last = key.substr(key.rfind('.') + 1);
  absl::ConsumePrefix(&last, "_");
  // Older releases number them.
  return absl::ConsumePrefix(&last, "flat_param") &&
         (last.empty() ||
          (absl::ConsumePrefix(&last, "_") && std::all_of(last.begin(), last.end(), absl::ascii_isdigit)));
}

absl::Status HoldsShards(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", what, ": the part of one process, as FSDP saves it, not the whole\n  save the whole: ",
                   "get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True)) of ",
                   "torch.distributed.checkpoint.state_dict, and torch.save of that"));
}

}  // namespace modelport
