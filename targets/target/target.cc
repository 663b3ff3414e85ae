#include "targets/target/target.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest.pb.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// [batch, channels, height, width] of the first input in the text of a call, "forward([1, 3, 28, 42])"; empty for
// another text.
std::vector<int64_t> InputShape(absl::string_view text) {
  const absl::StatusOr<Call> call = ParseCall(text);
  if (!call.ok() || call->positional.empty()) return {};
  const absl::StatusOr<Value> input = call->positional[0].Evaluate(Scope());
  const auto* const shape = input.ok() ? std::get_if<std::vector<int64_t>>(&*input) : nullptr;
  return shape != nullptr && shape->size() == 4 ? *shape : std::vector<int64_t>();
}

absl::Status CheckImages(const Target& target, const Manifest& manifest) {
  const int channels = manifest.interface().channels_out_size();
  const int64_t scale = ScaleOf(manifest);
  const std::string times = scale == 1 ? "" : absl::StrCat(scale, " * ");
  for (const Manifest::Output& output : manifest.round_trip().outputs()) {
    const std::vector<int64_t> shape(output.shape().begin(), output.shape().end()), input = InputShape(output.call());
    const bool has_channels = shape.size() == 4 && shape[1] == channels;
    const bool has_size =
        input.empty() || shape == std::vector<int64_t>{input[0], channels, scale * input[2], scale * input[3]};
    if (has_channels && has_size) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(target.title, " wants an output of shape [batch, ", channels, ", ", times, "height, ", times,
                     "width] for the wrapper's channels_out ", absl::StrJoin(manifest.interface().channels_out(), ", "),
                     "; ", output.call(), " has [", absl::StrJoin(shape, ", "), "]"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckArtifact(const Target& target, const Manifest& manifest) {
  if (target.wraps()) RETURN_IF_ERROR(CheckImages(target, manifest));
  return target.check == nullptr ? absl::OkStatus() : target.check(manifest);
}

}  // namespace modelport
