#include "common/manifest/describe_manifest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/manifest/manifest_facts.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// What `get` says of each checkpoint, "PART TEXT" where it fills a part of the model; nothing where that is empty.
template <typename Get>
std::string OfEachCheckpoint(const Manifest& manifest, Get get) {
  std::vector<std::string> texts;
  for (const Manifest::Checkpoint& checkpoint : manifest.weights().checkpoints()) {
    const std::string text = get(checkpoint);
    if (!text.empty()) texts.push_back(checkpoint.part().empty() ? text : absl::StrCat(checkpoint.part(), " ", text));
  }
  return absl::StrJoin(texts, ", ");
}

template <typename Message>
std::string Shape(const Message& message) {
  return absl::StrCat("[", absl::StrJoin(message.shape(), ", "), "]");
}

template <typename Message>
std::string Range(const Message& message) {
  if (message.has_min() && message.has_max()) return absl::StrCat(message.min(), " to ", message.max());
  if (message.has_min()) return absl::StrCat("at least ", message.min());
  return message.has_max() ? absl::StrCat("at most ", message.max()) : "";
}

// The texts that are not empty, with commas between, and `help` after them.
std::string Joined(const std::vector<std::string>& texts, const std::string& help) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!text.empty()) absl::StrAppend(&joined, joined.empty() ? "" : ", ", text);
  }
  return help.empty() ? joined : absl::StrCat(joined, joined.empty() ? "" : ": ", help);
}

// What --outputs left out: "depth_conf and 3 tensors that only it needs"; "" if nothing.
std::string LeftOut(const Manifest::Outputs& outputs) {
  if (outputs.left_out().empty()) return "";
  const std::string names = absl::StrJoin(outputs.left_out(), ", ");
  if (outputs.tensors().empty()) return names;
  return absl::StrCat(names, " and ", Counted(outputs.tensors_size(), "tensor"), " that only ",
                      outputs.left_out_size() == 1 ? "it needs" : "they need");
}

// Whether the input is an image of one size: its last two sides are numbers.
bool HasOneSize(const Manifest::Input& input) {
  const auto is_number = [](const std::string& side) {
    return std::all_of(side.begin(), side.end(), absl::ascii_isdigit);
  };
  const int sides = input.shape_size();
  return sides >= 2 && is_number(input.shape(sides - 1)) && is_number(input.shape(sides - 2));
}

std::string Sides(const Manifest::Input& input) {
  if (input.multiple_of() == 0 || HasOneSize(input)) return "";
  return input.multiple_of() == 1 ? "any size" : absl::StrCat("sides multiples of ", input.multiple_of());
}

std::string Recommended(const Manifest::Input& input) {
  if (input.recommended_size() == 0) return "";
  if (input.resize().empty()) return absl::StrCat("best stretched to a longer side of ", input.recommended_size());
  return absl::StrCat("best with a ", absl::StrReplaceAll(input.resize(), {{"_", " "}}), " of ",
                      input.recommended_size());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> RequestedOptions(const Manifest& manifest) {
  const auto size = [](std::string* text, const Manifest::Size& one) {
    absl::StrAppend(text, one.letter(), "=", one.size());
  };
  const auto knob = [](std::string* text, const Manifest::KnobValue& one) {
    absl::StrAppend(text, one.name(), "=", one.value());
  };
  // A node of a host always prepares its images.
  const bool prepares = manifest.preprocessing().inside() && manifest.interface().channels_in().empty();
  std::vector<std::pair<std::string, std::string>> options = {
      {"set", ArgumentsText(manifest)},
      {"target", manifest.target()},
      {"wrapper", manifest.wrapper()},
      {"images", prepares ? "prepared within" : ""},
      {"method", manifest.method()},
      {"sizes", absl::StrJoin(manifest.sizes(), ", ", size)},
      {"knobs", absl::StrJoin(manifest.knob_values(), ", ", knob)},
      {"left out", LeftOut(manifest.outputs())},
      {"made for", manifest.runtime().empty() ? "" : absl::StrCat("LibTorch ", manifest.runtime())}};
  const auto is_empty = [](const auto& option) { return option.second.empty(); };
  options.erase(std::remove_if(options.begin(), options.end(), is_empty), options.end());
  return options;
}

std::string WeightsSource(const Manifest& manifest) {
  if (!manifest.weights().seeded().empty()) return manifest.weights().seeded();
  return OfEachCheckpoint(manifest, [](const auto& checkpoint) { return checkpoint.source(); });
}

std::string WeightsSourceText(const Manifest& manifest) {
  const std::string source = WeightsSource(manifest);
  return source.empty() ? "a checkpoint, which the manifest that export wrote beside the file names" : source;
}

std::string RunsIn(const Manifest& manifest) {
  const uint32_t opset = manifest.opset();
  if (opset > 0) return absl::StrCat("what loads ONNX of opset ", opset);
  const std::string& oldest = manifest.minimum_runtime();
  // All code for LibTorch has operators.
  if (manifest.operators().empty() && oldest.empty()) return "what loads ONNX";
  return absl::StrCat("LibTorch ", oldest.empty() ? "unknown" : oldest, " and newer");
}

std::string WeightsLayout(const Manifest& manifest) {
  if (!manifest.weights().seeded().empty()) return "original";
  return OfEachCheckpoint(manifest, [](const auto& checkpoint) { return checkpoint.layout(); });
}

std::string WeightsOrigin(const Manifest& manifest) {
  return OfEachCheckpoint(manifest, [](const auto& checkpoint) -> std::string {
    absl::string_view published = checkpoint.published();
    if (published == "no") return "not the published file";
    // "yes", or "yes, by the first 8 digits of its sha256".
    return absl::ConsumePrefix(&published, "yes") ? absl::StrCat("the published file", published) : "";
  });
}

Published HasPublishedWeights(const Manifest& manifest) {
  const auto& checkpoints = manifest.weights().checkpoints();
  const auto are_any = [&](absl::string_view published) {
    return std::any_of(checkpoints.begin(), checkpoints.end(),
                       [&](const auto& checkpoint) { return checkpoint.published() == published; });
  };
  if (!manifest.weights().seeded().empty() || are_any("no")) return Published::kNo;
  return checkpoints.empty() || are_any("") ? Published::kUnknown : Published::kYes;
}

bool ExcludesCommercialUse(const Manifest& manifest) { return absl::StrContains(manifest.weights_licence(), "-NC"); }

double LargestDifference(const Manifest::RoundTrip& round_trip) {
  double largest = 0;
  for (const auto& output : round_trip.outputs()) {
    if (!output.equal_on_same_memory()) largest = std::max(largest, output.relative());
  }
  return largest;
}

std::string DescribeProof(const Manifest::RoundTrip& round_trip) {
  if (!round_trip.proven()) return "none (--noverify)";
  const double largest = LargestDifference(round_trip);
  const int magnified = std::count_if(round_trip.outputs().begin(), round_trip.outputs().end(),
                                      [](const auto& output) { return output.equal_on_same_memory(); });
  return absl::StrCat(
      Counted(round_trip.tensors(), "tensor"), " bitwise equal, ", Counted(round_trip.methods(), "method"), " equal, ",
      Counted(round_trip.outputs_size(), "output"), " ",
      largest == 0
          ? "bitwise equal"
          : absl::StrFormat("equal within %.0e of %s range", largest, round_trip.outputs_size() == 1 ? "its" : "their"),
      magnified == 0 ? "" : absl::StrCat(", ", magnified, " of them only on the same memory"),
      round_trip.runtime().empty() ? "" : absl::StrCat(", in ", round_trip.runtime()),
      round_trip.kernel_fault().empty() ? "" : ", without oneDNN");
}

std::string EntryPointSignature(const Manifest::EntryPoint& entry_point) {
  const auto format = [](std::string* out, const Manifest::Input& input) {
    absl::StrAppend(out, input.name(), input.default_value().empty() ? "" : "=", input.default_value());
  };
  return absl::StrCat(entry_point.method(), "(", absl::StrJoin(entry_point.inputs(), ", ", format), ") -> ",
                      entry_point.returns());
}

std::string InputText(const Manifest::Input& input) {
  const bool is_tensor = !input.dtype().empty();
  return Joined({is_tensor ? absl::StrCat(input.type(), " ", Shape(input)) : input.type(), input.dtype(),
                 input.normalised() ? "normalised" : "", Range(input), Sides(input), Recommended(input)},
                input.help());
}

std::string OutputText(const Manifest::Result& output) {
  return Joined({output.dtype().empty() ? "" : Shape(output), output.dtype(), output.unit(),
                 output.larger_is().empty() ? "" : absl::StrCat("larger is ", output.larger_is()), Range(output),
                 output.only_with().empty() ? "" : absl::StrCat("only with ", output.only_with()),
                 output.only_without().empty() ? "" : absl::StrCat("only without ", output.only_without())},
                output.help());
}

int InternalMethods(const Manifest& manifest) {
  return manifest.entry_points().empty() ? 0 : manifest.methods_size() - manifest.entry_points_size();
}

}  // namespace modelport
