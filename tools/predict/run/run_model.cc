#include "tools/predict/run/run_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <c10/core/InferenceMode.h>
#include <sys/resource.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/predict/run/work_size.h"

namespace modelport {
namespace {

using Results = std::vector<Prediction>;

at::Tensor Dense(const at::Tensor& tensor) { return tensor.to(at::kCPU, at::kFloat).contiguous(); }

// An image as [3, H, W], of bytes or floats.
at::Tensor ToTensor(const Image& image) {
  return std::visit(
      [&](const auto& pixels) {
        const auto dtype = c10::CppTypeToScalarType<typename std::decay_t<decltype(pixels)>::value_type>::value;
        auto* const data = const_cast<void*>(static_cast<const void*>(pixels.data()));
        return at::from_blob(data, {image.height, image.width, 3}, dtype).permute({2, 0, 1}).contiguous();
      },
      image.pixels);
}

// A picture of floats of 0 to 1.
at::Tensor InUnitRange(const at::Tensor& picture) {
  return picture.scalar_type() == at::kByte ? picture.to(at::kFloat) / 255 : picture.to(at::kFloat);
}

at::Tensor Stack(absl::Span<const Image> images) {
  std::vector<at::Tensor> tensors;
  for (const Image& image : images) tensors.push_back(ToTensor(image));
  // Views of one scene may be files of different depths.
  for (at::Tensor& tensor : tensors) {
    if (tensor.scalar_type() != tensors[0].scalar_type()) {
      for (at::Tensor& each : tensors) each = InUnitRange(each);
      break;
    }
  }
  return at::stack(tensors);
}

// The last line of a traceback, which is what the model's own code says.
absl::Status Explain(const absl::Status& status) {
  if (!absl::IsInternal(status)) return status;
  absl::string_view cause = status.message();
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipWhitespace())) cause = line;
  const size_t colon = cause.find("Error: ");
  if (colon != cause.npos) cause.remove_prefix(colon + 7);
  return absl::FailedPreconditionError(absl::StrCat("the model refuses the image: ", Brief(cause)));
}

// The arguments of a method, which the artifact has; none of a file that keeps them as constants.
std::vector<c10::Argument> ArgumentsOf(const LoadedArtifact& artifact, const std::string& method) {
  if (artifact.onnx) return {};
  return artifact.module->get_method(method).function().getSchema().arguments();
}

bool HasMethod(const LoadedArtifact& artifact, const std::string& method) {
  if (!artifact.onnx) return artifact.module->find_method(method).has_value();
  return MainEntryPoint(artifact.manifest).method() == method;
}

// The argument of a method that sets the resolution of what the model sees.
struct SizeArgument {
  std::string name;
  SizeRule rule;
  absl::optional<int64_t> usual;  // What the manifest recommends, or else the argument's default.
};

// The size that the manifest recommends for the images of `method`, if it recommends one.
absl::optional<int64_t> RecommendedSize(const LoadedArtifact& artifact, absl::string_view method) {
  for (const Manifest::EntryPoint& entry_point : artifact.manifest.entry_points()) {
    if (entry_point.method() != method) continue;
    for (const Manifest::Input& input : entry_point.inputs()) {
      if (input.recommended_size() > 0) return input.recommended_size();
    }
  }
  return absl::nullopt;
}

absl::optional<SizeArgument> FindSizeArgument(const LoadedArtifact& artifact, const std::string& method) {
  for (const c10::Argument& argument : ArgumentsOf(artifact, method)) {
    const absl::optional<SizeRule> rule = FindSizeRule(argument.name());
    if (!rule) continue;
    absl::optional<int64_t> usual = RecommendedSize(artifact, method);
    const absl::optional<c10::IValue>& value = argument.default_value();
    if (!usual && value && value->isInt()) usual = value->toInt();
    return SizeArgument{argument.name(), *rule, usual};
  }
  return absl::nullopt;
}

// The result of an ONNX file, as the method of the module that it was made of would give it.
absl::StatusOr<c10::IValue> CallOnnx(const LoadedArtifact& artifact, const std::vector<c10::IValue>& inputs) {
  const Manifest::EntryPoint& held = MainEntryPoint(artifact.manifest);
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (int i = 0; i < std::min<int>(static_cast<int>(inputs.size()), held.inputs_size()); ++i) {
    const at::Tensor input = inputs[i].toTensor();
    // Its images are floats, of which those from 0 to 1 are what bytes from 0 to 255 are to the module.
    named.emplace_back(held.inputs(i).name(), InUnitRange(input).contiguous());
  }
  std::vector<std::string> names;
  for (const Manifest::Result& output : held.outputs()) names.push_back(output.name());
  absl::StatusOr<std::vector<at::Tensor>> results = artifact.onnx->Run(named, names);
  if (!results.ok()) return Annotate(results.status(), artifact.path);
  if (names.size() == 1 && !absl::StrContains(held.outputs(0).place(), '[')) return c10::IValue((*results)[0]);
  c10::Dict<std::string, at::Tensor> dictionary;
  for (size_t i = 0; i < names.size(); ++i) dictionary.insert(names[i], (*results)[i]);
  return c10::IValue(dictionary);
}

// The names of the node's knobs whose help has `word`, in lower case, with commas between; "" if there are none.
std::string KnobNames(const LoadedArtifact& artifact, absl::string_view word) {
  std::vector<std::string> names;
  for (const Manifest::Knob& knob : artifact.manifest.knobs()) {
    if (absl::StrContains(absl::AsciiStrToLower(knob.help()), word)) names.push_back(Brief(knob.name()));
  }
  return absl::StrJoin(names, ", ");
}

absl::Status LacksSize(const LoadedArtifact& artifact, int64_t size) {
  const std::string knobs = KnobNames(artifact, "");
  return absl::InvalidArgumentError(
      absl::StrCat("--size=", size, ": ", artifact.is_node() ? "the node of " : "the preprocessing of ",
                   artifact.manifest.request().model(), " has no choice of a size",
                   knobs.empty() ? "" : absl::StrCat(" but what --knob sets of ", knobs)));
}

// `error`, that memory ran out, with what makes the model need less.
absl::Status WithMemoryCure(const LoadedArtifact& artifact, const std::string& method, const absl::Status& error) {
  std::string cure = "a smaller image takes less memory";
  if (artifact.manifest.interface().kind() == "colour" && TakesImages(artifact) == ImagesTaken::kOne) {
    cure = "--tile takes the image in pieces, of which small ones take little memory";
  } else if (FindSizeArgument(artifact, method)) {
    cure = "a smaller --size takes less memory";
  } else if (const std::string knobs = KnobNames(artifact, "memory"); !knobs.empty()) {
    cure = absl::StrCat("--knob of ", knobs, " may take less memory, as a smaller image does");
  }
  return absl::ResourceExhaustedError(absl::StrCat(artifact.path, ": ", error.message(), "\n  ", cure));
}

// Calls `method` on `inputs`, and with the named arguments.
absl::StatusOr<c10::IValue> CallMethod(const LoadedArtifact& artifact, const std::string& method,
                                       const std::vector<c10::IValue>& inputs,
                                       const std::unordered_map<std::string, c10::IValue>& named) {
  if (artifact.onnx) return CallOnnx(artifact, inputs);
  const absl::StatusOr<c10::IValue> result =
      CatchTorch([&] { return artifact.module->get_method(method)(inputs, named); });
  if (absl::IsResourceExhausted(result.status())) return WithMemoryCure(artifact, method, result.status());
  if (!result.ok()) return Explain(result.status());
  return result;
}

// Sets a field of each result from `name`, if the model gives it: a scene's `views`, or else a batch of images.
void Take(const c10::Dict<c10::IValue, c10::IValue>& outputs, bool views, const std::string& name,
          at::Tensor Prediction::*field, Results& results) {
  const auto output = outputs.find(name);
  if (output == outputs.end()) return;
  const at::Tensor batch = output->value().toTensor();
  const at::Tensor all = views ? batch[0] : batch;
  for (size_t i = 0; i < results.size(); ++i) results[i].*field = Dense(all[static_cast<int64_t>(i)]);
}

Results FromDict(const c10::Dict<c10::IValue, c10::IValue>& outputs, bool views, size_t count) {
  Results results(count);
  Take(outputs, views, "image", &Prediction::colour, results);
  Take(outputs, views, "depth", &Prediction::depth, results);
  Take(outputs, views, "mask", &Prediction::mask, results);
  Take(outputs, views, "matte", &Prediction::alpha, results);
  Take(outputs, views, "normal", &Prediction::normals, results);
  Take(outputs, views, "depth_conf", &Prediction::confidence, results);
  Take(outputs, views, "sky", &Prediction::sky, results);
  Take(outputs, views, "extrinsics", &Prediction::extrinsics, results);
  Take(outputs, views, "intrinsics", &Prediction::intrinsics, results);
  for (Prediction& result : results) {
    if (result.normals.defined()) result.normals = result.normals.permute({2, 0, 1}).contiguous();
    if (result.intrinsics.defined() && !result.extrinsics.defined()) result.extrinsics = at::eye(3, 4);
  }
  return results;
}

// A manifest is a file of whoever wrote it, and may say of the code what is not so.
absl::Status OtherThanStated(const LoadedArtifact& artifact, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(artifact.path, ": its manifest says that it gives ", Brief(artifact.manifest.interface().kind()),
                   ", and it ", what, "\n  the manifest is not this file's, or was edited: export the model again"));
}

absl::Status LacksMethod(const LoadedArtifact& artifact, const std::string& method) {
  if (!artifact.onnx) return OtherThanStated(artifact, absl::StrCat("has no method ", method));
  return absl::InvalidArgumentError(
      absl::StrCat(artifact.path, ": an ONNX file holds one method, and ", artifact.manifest.request().model(),
                   " gives pictures by ", method, "\n  export it with --with_preprocess",
                   method == "forward" ? " and without --method" : absl::StrCat(" --method=", method),
                   ", or take the .pt file, or a node, such as --target=houdini makes"));
}

constexpr char kFlowMethod[] = "image_flow";

// The method that takes images.
std::string ImageMethod(const LoadedArtifact& artifact, bool flow) {
  if (flow && artifact.manifest.interface().kind() != "flow") return kFlowMethod;
  const bool is_other = artifact.manifest.interface().kind() == "features" && !artifact.is_node();
  return is_other ? "image_features" : "forward";
}

// The dtype in which a node computes.
at::ScalarType NodeType(const LoadedArtifact& artifact) {
  if (artifact.onnx) return at::kFloat;
  for (const at::Tensor& parameter : artifact.module->parameters()) {
    if (parameter.is_floating_point()) return parameter.scalar_type();
  }
  return at::kFloat;
}

// An ONNX file may have sizes that are fixed.
absl::Status CheckFixedSizes(const LoadedArtifact& artifact, int width, int height) {
  int64_t fixed_width = width, fixed_height = height;
  for (const Manifest::Size& size : artifact.manifest.request().sizes()) {
    if (size.letter() == "W") fixed_width = size.size();
    if (size.letter() == "H") fixed_height = size.size();
  }
  if (fixed_width == width && fixed_height == height) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(artifact.path, ": takes images of ", fixed_width, " x ", fixed_height,
                                                 ", and this one has ", width, " x ", height));
}

// The motion of a node, which is right and up, as Prediction has it: into the next frame [2, H, W]; or [4, H, W], into
// the one before and then into the next.
at::Tensor FlowOfNode(const at::Tensor& motion) {
  if (motion.size(0) == 2) return at::stack({motion[0], -motion[1]});
  return at::stack({motion[2], -motion[3], motion[0], -motion[1]});
}

// What a host gives a node as its fourth channel, [1, 1, H, W], for a companion of an image of this size.
at::Tensor FourthChannel(const LoadedArtifact& artifact, const at::Tensor& companion, int64_t height, int64_t width) {
  if (TakesBeside(artifact) == Companion::kTrimap) return InUnitRange(companion).unsqueeze(0);
  return at::upsample_bilinear2d(companion.unsqueeze(0), {height, width}, false);
}

// What a node for a host gives for pictures [N, 3, H, W], one or those of its frames, and the companion [1, h, w] if it
// takes one.
absl::StatusOr<Results> RunNode(const LoadedArtifact& artifact, const at::Tensor& pictures,
                                const at::Tensor& companion) {
  const int64_t height = pictures.size(2), width = pictures.size(3);
  at::Tensor input = InUnitRange(pictures).reshape({1, -1, height, width});
  if (companion.defined()) input = at::cat({input, FourthChannel(artifact, companion, height, width)}, 1);
  ASSIGN_OR_RETURN(const c10::IValue output, CallMethod(artifact, "forward", {input.to(NodeType(artifact))}, {}));
  const std::string& kind = artifact.manifest.interface().kind();
  absl::StatusOr<Results> results = CatchTorch([&] {
    const at::Tensor channels = Dense(output.toTensor()[0]);
    if (kind == "normals") return Results{{.node_normals = channels}};
    if (kind == "features") return Results{{.features = channels}};
    // What a node that retimes a plate gives behind them is for the host.
    if (kind == "colour") return Results{{.colour = channels.slice(0, 0, 3)}};
    if (kind == "flow") return Results{{.flow = FlowOfNode(channels)}};
    return kind == "depth" ? Results{{.depth = channels[0]}} : Results{{.alpha = channels[0]}};
  });
  if (absl::IsInternal(results.status())) return OtherThanStated(artifact, "gives another value");
  return results;
}

// The points of one image, [1, N, 2], and what they are, [1, N].
void AddPrompt(const Prompt& prompt, std::vector<c10::IValue>& inputs) {
  std::vector<double> places, labels;
  for (const PromptPoint& point : prompt) {
    places.insert(places.end(), {point.x, point.y});
    labels.push_back(static_cast<double>(point.kind));
  }
  inputs.emplace_back(at::tensor(places, at::kFloat).reshape({1, -1, 2}));
  inputs.emplace_back(at::tensor(labels, at::kFloat).reshape({1, -1}));
}

// `input` is [N, 3, H, W].
absl::StatusOr<Results> Run(const LoadedArtifact& artifact, const std::string& method, const at::Tensor& input,
                            const ModelInput& given, const std::unordered_map<std::string, c10::IValue>& named) {
  const std::string& kind = artifact.manifest.interface().kind();
  const ImagesTaken taken = TakesImages(artifact);
  const bool views = taken == ImagesTaken::kViews || taken == ImagesTaken::kShot,
             frames = taken == ImagesTaken::kTwoFrames, features = kind == "features";
  std::vector<c10::IValue> inputs = {views ? input.unsqueeze(0) : frames ? input.slice(0, 0, 1) : input};
  if (frames) inputs.emplace_back(input.slice(0, 1, 2));
  if (given.companion.defined()) inputs.emplace_back(given.companion.unsqueeze(0));
  if (!given.prompt.empty()) AddPrompt(given.prompt, inputs);
  ASSIGN_OR_RETURN(const c10::IValue output, CallMethod(artifact, method, inputs, named));
  absl::StatusOr<Results> results = CatchTorch([&] {
    if (output.isGenericDict()) return FromDict(output.toGenericDict(), views, frames ? 1 : input.size(0));
    const at::Tensor one = Dense(output.toTensor()[0]);
    if (method == kFlowMethod || kind == "flow") return Results{{.flow = one}};
    if (features) return Results{{.features = one}};
    if (kind == "matte") return Results{{.alpha = one[0]}};
    if (kind == "colour") return Results{{.colour = one}};
    return kind == "scores" ? Results{{.scores = one}} : Results{{.depth = one}};
  });
  if (absl::IsInternal(results.status())) return OtherThanStated(artifact, "gives another value");
  RETURN_IF_ERROR(results.status());
  for (Prediction& prediction : *results) prediction.prompt = given.prompt;
  return results;
}

// The image that `run` gives for `input` [1, 3, H, W], piece by piece, so that the memory in use is that of a piece and
// of the image itself.
absl::StatusOr<Results> RunTiles(const LoadedArtifact& artifact, const Tiles& tiles, const at::Tensor& input,
                                 absl::FunctionRef<absl::StatusOr<Results>(const at::Tensor&)> run) {
  const int64_t height = input.size(2), width = input.size(3);
  at::Tensor whole;
  for (int64_t y = 0; y < height; y += tiles.side) {
    const int64_t y_end = std::min(y + tiles.side, height);
    const int64_t top = std::max<int64_t>(y - tiles.pad, 0), bottom = std::min(y_end + tiles.pad, height);
    for (int64_t x = 0; x < width; x += tiles.side) {
      const int64_t x_end = std::min(x + tiles.side, width);
      const int64_t left = std::max<int64_t>(x - tiles.pad, 0), right = std::min(x_end + tiles.pad, width);
      ASSIGN_OR_RETURN(const Results results, run(input.slice(2, top, bottom).slice(3, left, right).contiguous()));
      const at::Tensor& piece = results.front().colour;
      const int64_t scale = piece.defined() && piece.dim() == 3 ? piece.size(1) / (bottom - top) : 0;
      if (scale == 0 || piece.sizes() != at::IntArrayRef({3, scale * (bottom - top), scale * (right - left)})) {
        return OtherThanStated(artifact, "gives values of other sizes");
      }
      RETURN_IF_ERROR(CatchTorch([&] {
        if (!whole.defined()) whole = at::empty({3, scale * height, scale * width});
        const at::Tensor place = whole.slice(1, scale * y, scale * y_end).slice(2, scale * x, scale * x_end);
        place.copy_(piece.slice(1, scale * (y - top), scale * (y_end - top))
                        .slice(2, scale * (x - left), scale * (x_end - left)));
      }));
    }
  }
  return Results{{.colour = whole}};
}

// Whether the tensor, if the model gives it, has these sizes; -1 stands for any.
bool Has(const at::Tensor& tensor, std::vector<int64_t> sizes) {
  if (!tensor.defined()) return true;
  const at::IntArrayRef own = tensor.sizes();
  return std::equal(own.begin(), own.end(), sizes.begin(), sizes.end(),
                    [](int64_t is, int64_t wanted) { return wanted == -1 || is == wanted; });
}

// Whether all tensors have the sizes that Prediction states.
bool HasItsSizes(const Prediction& prediction, int64_t height, int64_t width) {
  for (const at::Tensor& map :
       {prediction.depth, prediction.mask, prediction.confidence, prediction.sky, prediction.alpha}) {
    if (!Has(map, {height, width})) return false;
  }
  return Has(prediction.normals, {3, height, width}) && Has(prediction.node_normals, {3, height, width}) &&
         Has(prediction.extrinsics, {3, 4}) && Has(prediction.intrinsics, {3, 3}) &&
         Has(prediction.colour, {3, -1, -1}) &&
         (Has(prediction.flow, {2, height, width}) || Has(prediction.flow, {4, height, width})) &&
         Has(prediction.features, {-1, -1, -1}) && Has(prediction.scores, {-1});
}

// Makes sure that the model takes so many images, and that they are of one size.
absl::Status CheckImages(const LoadedArtifact& artifact, absl::Span<const Image> images) {
  const std::string& model = artifact.manifest.request().model();
  const ImagesTaken taken = TakesImages(artifact);
  if (taken == ImagesTaken::kTwoFrames && images.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(model, " takes two images that follow each other, and no other number of them"));
  }
  const int around = artifact.manifest.interface().frames_size();
  if (taken == ImagesTaken::kAround && static_cast<int>(images.size()) != around) {
    return absl::InvalidArgumentError(absl::StrCat(model, " takes a frame and ", around - 1, " around it"));
  }
  if (taken == ImagesTaken::kOne && images.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(model, " takes one image at a time, not ", images.size(), " views"));
  }
  for (const Image& image : images) {
    if (image.width == images[0].width && image.height == images[0].height) continue;
    return absl::InvalidArgumentError(absl::StrCat(taken == ImagesTaken::kViews ? "views" : "frames",
                                                   " want one size; there are ", images[0].width, " x ",
                                                   images[0].height, " and ", image.width, " x ", image.height));
  }
  return absl::OkStatus();
}

// Makes sure that the companion is what the model takes.
absl::Status CheckCompanion(const LoadedArtifact& artifact, const at::Tensor& companion, const Image& image) {
  const Companion taken = TakesBeside(artifact);
  const std::string& model = artifact.manifest.request().model();
  if (taken == Companion::kTrimap && !companion.defined()) {
    return absl::InvalidArgumentError(absl::StrCat(model, " takes single images with trimaps"));
  }
  if (taken == Companion::kCoarseDepth && !companion.defined()) {
    return absl::InvalidArgumentError(absl::StrCat(model, " takes single images with a coarse depth"));
  }
  if (taken == Companion::kTrimap && (companion.size(1) != image.height || companion.size(2) != image.width)) {
    return absl::InvalidArgumentError(absl::StrCat("the image has ", image.width, " x ", image.height,
                                                   " pixels, its trimap ", companion.size(2), " x ",
                                                   companion.size(1)));
  }
  return absl::OkStatus();
}

// Refuses a time that an ONNX file does not have: its argument `timestep` is a constant, the default that its manifest
// states; the knob of a node is one that nothing states.
absl::Status CheckConstantTimestep(const LoadedArtifact& artifact, double timestep) {
  if (artifact.is_node()) {
    return absl::InvalidArgumentError(
        absl::StrCat(artifact.path, ": its knob timestep is a constant in an ONNX file; run the .pt file"));
  }
  for (const auto& input : MainEntryPoint(artifact.manifest).inputs()) {
    double constant = 0;
    if (input.name() != "timestep") continue;
    if (absl::SimpleAtod(input.default_value(), &constant) && constant == timestep) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(artifact.path, ": its argument timestep is the constant ", Brief(input.default_value()),
                     " in an ONNX file, and what is asked for is at ", timestep, "\n  run the .pt file"));
  }
  return absl::OkStatus();
}

// Sets the time between two frames, if the model takes one: an argument, or a knob of a node.
absl::Status SetTimestep(const LoadedArtifact& artifact, double timestep,
                         std::unordered_map<std::string, c10::IValue>& named) {
  if (!TakesTimestep(artifact)) return absl::OkStatus();
  if (artifact.onnx) return CheckConstantTimestep(artifact, timestep);
  if (!artifact.is_node()) {
    named["timestep"] = timestep;
    return absl::OkStatus();
  }
  const absl::Status set = CatchTorch([&] { artifact.module->setattr("timestep", timestep); });
  return set.ok() ? set : OtherThanStated(artifact, "has no knob timestep");
}

// The arguments of `method` beside the images of this size: the resolution, if it has one.
absl::StatusOr<std::unordered_map<std::string, c10::IValue>> NamedArguments(const LoadedArtifact& artifact,
                                                                            const std::string& method,
                                                                            absl::optional<int64_t> size, int width,
                                                                            int height) {
  std::unordered_map<std::string, c10::IValue> named;
  const absl::optional<SizeArgument> argument = FindSizeArgument(artifact, method);
  if (size && !argument) return LacksSize(artifact, *size);
  const absl::optional<int64_t> chosen = size || !argument ? size : argument->usual;
  if (!chosen) return named;
  RETURN_IF_ERROR(CheckWorkSize(argument->rule, size, argument->usual.value_or(*chosen), width, height));
  named[argument->name] = *chosen;
  return named;
}

// How LibTorch runs a model while this lives.
struct RunsModel {
  c10::InferenceMode inference;
  // Specialising the code for a size costs more than it gains.
  torch::jit::GraphOptimizerEnabledGuard no_optimiser{false};
};

constexpr int kWarmUp = 2, kLeastRuns = 10, kMostRuns = 1000;
constexpr absl::Duration kLeastTime = absl::Seconds(3);

double PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

ImagesTaken TakesImages(const LoadedArtifact& artifact) {
  const auto& inputs = MainEntryPoint(artifact.manifest).inputs();
  const auto is_image = [](const auto& input) { return input.layout() == "NCHW" && input.shape(1) == "3"; };
  if (!inputs.empty() && inputs[0].layout() == "BNCHW") return ImagesTaken::kViews;
  if (!inputs.empty() && inputs[0].layout() == "BTCHW") return ImagesTaken::kShot;
  if (artifact.is_node() && artifact.manifest.interface().frames_size() > 0) {
    return IsBetweenFrames(artifact.manifest) ? ImagesTaken::kTwoFrames : ImagesTaken::kAround;
  }
  const bool takes_two = std::count_if(inputs.begin(), inputs.end(), is_image) == 2;
  return takes_two ? ImagesTaken::kTwoFrames : ImagesTaken::kOne;
}

bool TakesTimestep(const LoadedArtifact& artifact) {
  // The knobs of an ONNX file are constants, which its manifest does not list. The motion into both images is of a
  // time.
  const Manifest::Interface& interface = artifact.manifest.interface();
  if (artifact.is_node()) return interface.kind() != "flow" || interface.channels_out_size() == 4;
  const auto& inputs = MainEntryPoint(artifact.manifest).inputs();
  return std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.name() == "timestep"; });
}

Companion TakesBeside(const LoadedArtifact& artifact) {
  if (artifact.is_node()) {
    if (TakesCoarseDepth(artifact.manifest)) return Companion::kCoarseDepth;
    return artifact.manifest.interface().channels_in_size() == 4 ? Companion::kTrimap : Companion::kNone;
  }
  for (const auto& input : MainEntryPoint(artifact.manifest).inputs()) {
    if (input.name() == "trimap") return Companion::kTrimap;
    if (input.name() == "prompt_depth") return Companion::kCoarseDepth;
  }
  return Companion::kNone;
}

bool TakesPrompt(const LoadedArtifact& artifact) {
  const auto& inputs = MainEntryPoint(artifact.manifest).inputs();
  const auto takes = [&](const char* name) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name() == name; });
  };
  return !artifact.is_node() && takes("points") && takes("labels");
}

absl::StatusOr<std::vector<std::string>> ClassNames(const LoadedArtifact& artifact) {
  if (!HasMethod(artifact, "labels")) return std::vector<std::string>();
  const absl::StatusOr<c10::IValue> result = CatchTorch([&] { return artifact.module->get_method("labels")({}); });
  if (!result.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(artifact.path, ": labels(): ", result.status().message()));
  }
  if (!result->isList() || result->toList().elementType()->kind() != c10::TypeKind::StringType) {
    return absl::FailedPreconditionError(
        absl::StrCat(artifact.path, ": labels() wants to give List[str], gives ", result->type()->annotation_str()));
  }
  std::vector<std::string> names;
  for (const c10::IValue& name : result->toListRef()) names.push_back(name.toStringRef());
  return names;
}

absl::StatusOr<std::vector<Prediction>> RunModel(const LoadedArtifact& artifact, const ModelInput& given) {
  const absl::Span<const Image> images = given.images;
  RETURN_IF_ERROR(CheckImages(artifact, images));
  RETURN_IF_ERROR(CheckCompanion(artifact, given.companion, images[0]));
  RETURN_IF_ERROR(CheckInside(given.prompt, images[0].width, images[0].height));
  const bool takes_frames = TakesImages(artifact) == ImagesTaken::kTwoFrames;
  if (given.tiles && (artifact.manifest.interface().kind() != "colour" || takes_frames)) {
    return absl::InvalidArgumentError(absl::StrCat("--tile is for models that make one image of one: ",
                                                   artifact.manifest.request().model(), " looks at the whole image"));
  }
  RETURN_IF_ERROR(CheckFixedSizes(artifact, images[0].width, images[0].height));
  const std::string method = ImageMethod(artifact, given.flow);
  if (method == kFlowMethod && (artifact.is_node() || !HasMethod(artifact, method))) {
    return absl::InvalidArgumentError(absl::StrCat("--flow: ", artifact.is_node() ? "the node of " : "",
                                                   artifact.manifest.request().model(),
                                                   " gives no motion, only images"));
  }
  if (!HasMethod(artifact, method)) return LacksMethod(artifact, method);
  ASSIGN_OR_RETURN(auto named, NamedArguments(artifact, method, given.size, images[0].width, images[0].height));
  if (takes_frames) RETURN_IF_ERROR(SetTimestep(artifact, given.timestep, named));
  const RunsModel runs;
  ASSIGN_OR_RETURN(const at::Tensor input, CatchTorch([&] { return Stack(images); }));
  const auto run = [&](const at::Tensor& part) {
    return artifact.is_node() ? RunNode(artifact, part, given.companion) : Run(artifact, method, part, given, named);
  };
  ASSIGN_OR_RETURN(std::vector<Prediction> predictions,
                   given.tiles ? RunTiles(artifact, *given.tiles, input, run) : run(input));
  for (Prediction& prediction : predictions) {
    // At the time of the first image there is no motion into it.
    if (given.timestep == 0 && prediction.flow.defined()) prediction.flow = prediction.onward();
  }
  for (const Prediction& prediction : predictions) {
    if (HasItsSizes(prediction, images[0].height, images[0].width)) continue;
    return OtherThanStated(artifact, "gives values of other sizes");
  }
  return predictions;
}

bool ShotRun::works_frame_by_frame() const { return HasMethod(artifact_, "begin_shot"); }

absl::StatusOr<std::vector<Prediction>> ShotRun::Add(absl::Span<const Image> unfinished, bool is_last) {
  if (!works_frame_by_frame()) {
    if (!is_last) return Results();
    return RunModel(artifact_, {.images = unfinished, .size = size_});
  }
  const std::string method = state_.empty() ? "begin_shot" : "continue_shot";
  if (!HasMethod(artifact_, method)) return OtherThanStated(artifact_, absl::StrCat("has no method ", method));
  RETURN_IF_ERROR(CheckImages(artifact_, unfinished));
  const Image& frame = unfinished.back();
  ASSIGN_OR_RETURN(auto named, NamedArguments(artifact_, method, size_, frame.width, frame.height));
  named["is_last"] = is_last;
  const RunsModel runs;
  std::vector<c10::IValue> inputs = {Stack({frame}).unsqueeze(0)};
  inputs.insert(inputs.end(), state_.begin(), state_.end());
  ASSIGN_OR_RETURN(const c10::IValue output, CallMethod(artifact_, method, inputs, named));
  Results results;
  const absl::Status taken = CatchTorch([&] {
    state_.clear();
    for (const c10::IValue& part : output.toTupleRef().elements()) state_.push_back(part.toTensor());
    TORCH_CHECK(state_.size() > 1, "a tuple of depth and state is wanted");
    for (const at::Tensor& depth : state_.front().unbind(1)) results.push_back({.depth = Dense(depth[0])});
    state_.erase(state_.begin());
  });
  if (!taken.ok()) return OtherThanStated(artifact_, "gives another value");
  const auto fits = [&](const Prediction& prediction) { return HasItsSizes(prediction, frame.height, frame.width); };
  const bool are_first = is_last ? results.size() == unfinished.size() : results.size() <= unfinished.size();
  if (are_first && std::all_of(results.begin(), results.end(), fits)) return results;
  return OtherThanStated(artifact_, "gives depth of other frames or sizes");
}

absl::StatusOr<Benchmark> MeasureModel(const LoadedArtifact& artifact, const ModelInput& input) {
  std::vector<double> seconds;
  const absl::Time begin = absl::Now();
  for (int run = 0; run < kMostRuns; ++run) {
    if (run >= kWarmUp + kLeastRuns && absl::Now() - begin > kLeastTime) break;
    const absl::Time start = absl::Now();
    RETURN_IF_ERROR(RunModel(artifact, input).status());
    if (run >= kWarmUp) seconds.push_back(absl::ToDoubleSeconds(absl::Now() - start));
  }
  std::sort(seconds.begin(), seconds.end());
  return Benchmark{static_cast<int>(seconds.size()), seconds[seconds.size() / 2],
                   seconds[(seconds.size() * 9 + 9) / 10 - 1], PeakMemory()};
}

}  // namespace modelport
