#include "targets/targets.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/nearest.h"
#include "targets/flame/flame.h"
#include "targets/houdini/houdini.h"
#include "targets/nuke/nuke.h"
#include "targets/target/target.h"
#include "targets/tensorrt/tensorrt.h"
#include "targets/unreal/unreal.h"

namespace modelport {
namespace {

// Programs in C++ or Python, which call the model without a wrapper.
const Target& LibTorchTarget() {
  static const auto* const target = new Target{.name = "libtorch", .title = "LibTorch"};
  return *target;
}

// Whatever loads ONNX files, which calls the model without a wrapper, too.
const Target& OnnxTarget() {
  static const auto* const target = new Target{
      .name = "onnx", .title = "ONNX", .format = FormatKind::kOnnx, .dtypes = {DType::kFloat32, DType::kFloat16}};
  return *target;
}

}  // namespace

absl::Span<const Target* const> Targets() {
  static const auto* const targets = new std::vector<const Target*>{
      &LibTorchTarget(), &NukeTarget(),    &OnnxTarget(),   &TensorRtTarget(),
      &FlameTarget(),    &HoudiniTarget(), &UnrealTarget(),
  };
  return *targets;
}

absl::StatusOr<const Target*> FindTarget(absl::string_view name) {
  std::vector<std::string> names;
  for (const Target* target : Targets()) {
    if (target->name == name) return target;
    names.push_back(target->name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown target \"", name, "\"", NearestHint(name, names)));
}

std::string JoinTargets(absl::string_view separator, absl::FunctionRef<std::string(const Target&)> text) {
  std::vector<std::string> texts;
  for (const Target* target : Targets()) {
    if (std::string said = text(*target); !said.empty()) texts.push_back(std::move(said));
  }
  return absl::StrJoin(texts, separator);
}

std::string WrappingTargetFlags() {
  return JoinTargets(" or ",
                     [](const Target& host) { return host.wraps() ? absl::StrCat("--target=", host.name) : ""; });
}

absl::Status CheckHasPackages(const Target& target) {
  if (target.package != nullptr) return absl::OkStatus();
  const std::string names =
      JoinTargets(", ", [](const Target& host) { return host.package != nullptr ? host.name : std::string(); });
  return absl::InvalidArgumentError(
      absl::StrCat("target ", target.name, ": this host has no packages; hosts that have some: ", names));
}

std::string PackageFlagHint() {
  return JoinTargets("; ", [](const Target& host) {
    if (host.package == nullptr) return std::string();
    if (host.runtime_of == nullptr) return absl::StrCat("--target=", host.name);
    return absl::StrCat("--", host.name, "=VERSION, the oldest ", host.title,
                        " that has to load the package, such as --", host.name, "=", host.example_releases);
  });
}

}  // namespace modelport
