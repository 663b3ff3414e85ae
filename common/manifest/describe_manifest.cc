#include "common/manifest/describe_manifest.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <set>
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

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

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

// The value of a field that is no message and not repeated; "" if it is the default.
std::string ValueOf(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "";
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(message, &field) == 0 ? "" : absl::StrCat(reflection.GetUInt32(message, &field));
    default:
      return absl::StrCat(reflection.GetDouble(message, &field));
  }
}

// The value of a field of a request, as its flag has it: "H=518, W=518" of pairs; "" if it has none.
std::string TextOf(const Manifest::Request& request, const FieldDescriptor& field) {
  const Reflection& reflection = *request.GetReflection();
  if (!field.is_repeated()) return ValueOf(request, field);
  std::vector<std::string> texts;
  for (int i = 0; i < reflection.FieldSize(request, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      texts.push_back(reflection.GetRepeatedString(request, &field, i));
      continue;
    }
    const Message& pair = reflection.GetRepeatedMessage(request, &field, i);
    texts.push_back(absl::StrCat(ValueOf(pair, *pair.GetDescriptor()->field(0)), "=",
                                 ValueOf(pair, *pair.GetDescriptor()->field(1))));
  }
  return absl::StrJoin(texts, ", ");
}

// The texts of the request's fields, but for those whose names are in `told`.
std::vector<std::pair<std::string, std::string>> TextsWithout(const Manifest& manifest,
                                                              const std::set<absl::string_view>& told) {
  const Manifest::Request& request = manifest.request();
  // What has a name or a text of its own.
  const std::map<absl::string_view, std::pair<std::string, std::string>> special = {
      {"arguments", {"set", ArgumentsText(manifest)}},
      {"with_preprocess", {"images", request.with_preprocess() ? "prepared within" : ""}},
      {"outputs", {"left out", LeftOut(manifest.outputs())}},
      {"runtime", {"made for", request.runtime().empty() ? "" : absl::StrCat("LibTorch ", request.runtime())}}};
  std::vector<std::pair<std::string, std::string>> texts;
  for (int i = 0; i < request.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *request.GetDescriptor()->field(i);
    if (told.count(field.name()) > 0) continue;
    const auto found = special.find(field.name());
    auto [name, text] = found != special.end()
                            ? found->second
                            : std::pair(absl::StrReplaceAll(field.name(), {{"_", " "}}), TextOf(request, field));
    if (!text.empty()) texts.emplace_back(std::move(name), std::move(text));
  }
  return texts;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> RequestTexts(const Manifest& manifest) {
  return TextsWithout(manifest, {});
}

std::vector<std::pair<std::string, std::string>> RequestedOptions(const Manifest& manifest) {
  return TextsWithout(manifest, {"model", "name", "dtype", "opset", "external_data", "licence_text"});
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
  const uint32_t opset = manifest.request().opset();
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
