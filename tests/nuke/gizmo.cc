#include "tests/nuke/gizmo.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

// That evaluates gizmos.
constexpr double kNukeVersion = 17;

// The frames of every clip.
constexpr double kFirstFrame = 1, kLastFrame = 100;

at::Tensor Number(double value) { return at::scalar_tensor(value, at::kDouble); }

// An expression of a knob: numbers, names, $nuke_version, + - * / == >= !, a ? b : c, calls of min, max, clamp, floor
// and abs, [exists parent.inputN], and KNOB.integrate(a, b) of a knob without keys.
class GizmoExpression {
 public:
  using Lookup = std::function<at::Tensor(const std::string& name)>;

  static at::Tensor Value(absl::string_view text, const Lookup& lookup) {
    GizmoExpression expression(text, lookup);
    const at::Tensor value = expression.Choice();
    EXPECT_EQ(expression.text_, "") << text;
    return value;
  }

 private:
  GizmoExpression(absl::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  bool Take(absl::string_view token) {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
    if (!absl::StartsWith(text_, token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  at::Tensor Choice() {
    const at::Tensor condition = Equality();
    if (!Take("?")) return condition;
    const at::Tensor yes = Choice();
    EXPECT_TRUE(Take(":")) << text_;
    const at::Tensor no = Choice();
    return at::where(condition.ne(0), yes, no);
  }

  at::Tensor Equality() {
    at::Tensor value = Sum();
    while (Take("==")) value = value.eq(Sum()).to(at::kDouble);
    if (Take(">=")) value = value.ge(Sum()).to(at::kDouble);
    return value;
  }

  at::Tensor Sum() {
    at::Tensor value = Product();
    for (;;) {
      if (Take("+")) {
        value = value.add(Product());
      } else if (Take("-")) {
        value = value.sub(Product());
      } else {
        return value;
      }
    }
  }

  at::Tensor Product() {
    at::Tensor value = Atom();
    for (;;) {
      if (Take("*")) {
        value = value.mul(Atom());
      } else if (Take("/")) {
        value = value.div(Atom());
      } else {
        return value;
      }
    }
  }

  at::Tensor Atom() {
    if (Take("-")) return Atom().neg();
    if (Take("$nuke_version")) return Number(kNukeVersion);
    if (Take("!")) return Atom().eq(0).to(at::kDouble);
    if (Take("[exists parent.input")) {
      const std::string number(text_.substr(0, text_.find(']')));
      text_.remove_prefix(number.size());
      EXPECT_TRUE(Take("]")) << text_;
      return lookup_("exists." + number);
    }
    if (Take("(")) return Closed(Choice());
    size_t size = 0;
    while (size < text_.size() && (std::isalnum(text_[size]) || text_[size] == '_' || text_[size] == '.')) ++size;
    const std::string name(text_.substr(0, size));
    text_.remove_prefix(size);
    double number = 0;
    if (absl::SimpleAtod(name, &number)) return at::scalar_tensor(number, at::kDouble);
    if (!Take("(")) return lookup_(name);
    const at::Tensor first = Choice();
    if (name == "floor") return Closed(at::floor(first));
    if (name == "abs") return Closed(first.abs());
    EXPECT_TRUE(Take(",")) << text_;
    const at::Tensor second = Choice();
    if (name == "clamp") {
      EXPECT_TRUE(Take(",")) << text_;
      return Closed(at::min(at::max(first, second), Choice()));
    }
    if (absl::string_view knob = name; absl::ConsumeSuffix(&knob, ".integrate")) {
      return Closed(lookup_(std::string(knob)).mul(second.sub(first)));
    }
    EXPECT_TRUE(name == "min" || name == "max") << name;
    return Closed(name == "min" ? at::min(first, second) : at::max(first, second));
  }

  at::Tensor Closed(const at::Tensor& value) {
    EXPECT_TRUE(Take(")")) << text_;
    return value;
  }

  absl::string_view text_;
  const Lookup& lookup_;
};

// input.width or input.bbox.x.
double PlateValue(const Plate& plate, const std::vector<std::string>& parts) {
  if (parts[1] == "width") return plate.width;
  if (parts[1] == "height") return plate.height;
  EXPECT_EQ(parts[1], "bbox");
  const std::map<std::string, int64_t> box = {
      {"x", plate.box.x}, {"y", plate.box.y}, {"r", plate.box.r}, {"t", plate.box.t}};
  return box.at(parts.at(2));
}

Plate CropPlate(const Plate& plate, const std::function<double(const std::string&, size_t)>& knob) {
  const auto corner = [&](size_t i) { return static_cast<int64_t>(knob("box", i)); };
  const Area box = {corner(0), corner(1), corner(2), corner(3)};
  Plate cropped = plate.Empty(box);
  cropped.is_on_black = knob("crop", 0) != 0;
  for (const auto& channel : plate.channels) cropped.channels[channel.first] = plate.Get(channel.first, box);
  if (knob("reformat", 0) == 0) return cropped;
  cropped.width = box.r - box.x;
  cropped.height = box.t - box.y;
  cropped.box = cropped.format();
  return cropped;
}

Plate ConvertColours(Plate plate, const NukeNode& node) {
  const bool encodes = node.values.count("colorspace_out") == 1;
  EXPECT_EQ(node.values.at(encodes ? "colorspace_out" : "colorspace_in").text, "sRGB");
  EXPECT_EQ(node.values.at("channels").text, "rgb");
  for (const char* name : {"rgba.red", "rgba.green", "rgba.blue"}) {
    at::Tensor& channel = plate.channels.at(name);
    channel = encodes ? ToSRGB(channel) : ToLinear(channel);
  }
  return plate;
}

// The box of both plates together, or with bbox B of the first.
Area BoxOf(const Plate& plate, const Plate& other, const NukeNode& node) {
  const auto bbox = node.values.find("bbox");
  EXPECT_TRUE(bbox == node.values.end() || bbox->second.text == "B");
  return bbox == node.values.end() ? Union(plate.box, other.box) : plate.box;
}

Plate CopyChannels(Plate plate, const Plate& other, const NukeNode& node) {
  const Area box = BoxOf(plate, other, node);
  Plate result = plate.Empty(box);
  for (const auto& channel : plate.channels) result.channels[channel.first] = plate.Get(channel.first, box);
  for (int i = 0; node.values.count(absl::StrCat("from", i)) == 1; ++i) {
    const std::string& from = node.values.at(absl::StrCat("from", i)).text;
    EXPECT_EQ(other.channels.count(from), 1) << from;
    result.channels[node.values.at(absl::StrCat("to", i)).text] = other.Get(from, box);
  }
  return result;
}

// Transform puts what it moves on black, unless its knob black_outside is off.
Plate MovePlate(Plate plate, int64_t x, int64_t y) {
  plate.is_on_black = true;
  plate.box = {plate.box.x + x, plate.box.y + y, plate.box.r + x, plate.box.t + y};
  return plate;
}

// The pixels within the format alone.
Plate Clipped(const Plate& plate) {
  Plate clipped = plate.Empty(plate.format());
  for (const auto& channel : plate.channels) clipped.channels[channel.first] = plate.Get(channel.first, clipped.box);
  return clipped;
}

Plate ScalePlate(Plate plate, int64_t scale) {
  plate.width *= scale;
  plate.height *= scale;
  plate.box = {plate.box.x * scale, plate.box.y * scale, plate.box.r * scale, plate.box.t * scale};
  for (auto& channel : plate.channels) {
    const at::Tensor small = channel.second.unsqueeze(0).unsqueeze(0);
    channel.second =
        at::upsample_bilinear2d(small, {scale * small.size(2), scale * small.size(3)}, /*align_corners=*/false)[0][0];
  }
  return plate;
}

Plate Premultiply(Plate plate) {
  for (const char* name : {"rgba.red", "rgba.green", "rgba.blue"}) {
    plate.channels[name] = plate.channels[name] * plate.channels["rgba.alpha"];
  }
  return plate;
}

// Each pixel comes from as many pixels right and up as its layer `uv` says; between pixels bilinear, beyond the box
// the nearest pixel.
Plate DistortPlate(Plate plate, const NukeNode& node) {
  EXPECT_EQ(node.values.at("channels").text, "all");
  const std::string& layer = node.values.at("uv").text;
  const at::Tensor right = plate.Get(layer + ".u", plate.box), up = plate.Get(layer + ".v", plate.box);
  const int64_t height = right.size(0), width = right.size(1);
  const at::Tensor x = right.add(at::arange(width, at::kFloat));
  const at::Tensor y = up.neg().add(at::arange(height, at::kFloat).unsqueeze(1));
  const at::Tensor places = at::stack({x.mul(2.0 / (width - 1)).sub(1), y.mul(2.0 / (height - 1)).sub(1)}, 2);
  for (auto& [name, pixels] : plate.channels) {
    pixels = at::grid_sampler(pixels.reshape({1, 1, height, width}), places.unsqueeze(0), /*interpolation_mode=*/0,
                              /*padding_mode=*/1, /*align_corners=*/true)[0][0];
  }
  return plate;
}

// Where the mask is 1 the other picture, where it is 0 the plate; channels that the other one lacks stay.
Plate MixPlates(const Plate& plate, const Plate& other, const Plate& mask, const NukeNode& node) {
  EXPECT_EQ(node.values.at("channels").text, "all");
  const Area box = BoxOf(plate, other, node);
  const at::Tensor part = mask.Get(node.values.at("maskChannel").text, box);
  Plate result = plate.Empty(box);
  for (const auto& channel : plate.channels) {
    const at::Tensor own = plate.Get(channel.first, box);
    const bool is_mixed = other.channels.count(channel.first) == 1;
    result.channels[channel.first] =
        is_mixed ? own.mul(part.neg().add(1)).add(other.Get(channel.first, box).mul(part)) : own;
  }
  return result;
}

}  // namespace

Gizmo::Gizmo(const std::string& script, std::map<std::string, torch::jit::Module> modules,
             std::vector<std::string> channels_in, std::vector<std::string> channels_out)
    : modules_(std::move(modules)),
      channels_in_(std::move(channels_in)),
      channels_out_(std::move(channels_out)),
      script_(ReadNukeScript(script)) {
  for (const std::string& fault : script_.faults) ADD_FAILURE() << fault;
  EXPECT_EQ(script_.gizmo.type, "Gizmo");
  EXPECT_EQ(script_.stack, std::vector<std::string>{"Output1"});
  for (const auto& [name, knob] : script_.gizmo.user_knobs) knobs_[name] = "0";
  for (const auto& [name, value] : script_.gizmo.values) knobs_[name] = value.text;
}

void Gizmo::Set(const std::string& knob, const std::string& value) {
  EXPECT_EQ(script_.gizmo.user_knobs.count(knob), 1) << knob;
  knobs_[knob] = value;
}

void Gizmo::Connect(const std::string& input, Clip clip) {
  EXPECT_EQ(script_.nodes.at(input).type, "Input") << input;
  clips_[input] = std::move(clip);
}

Plate Gizmo::Run(const Clip& plate, double frame) {
  Connect("Input1", plate);
  return Evaluate("Output1", frame);
}

// Part `index` of a knob of the gizmo.
at::Tensor Gizmo::KnobValue(const std::string& name, size_t index, double frame) {
  EXPECT_EQ(knobs_.count(name), 1) << name;
  const std::string& text = knobs_[name];
  const std::vector<std::string>& choices = script_.gizmo.user_knobs[name].choices;
  const auto choice = std::find(choices.begin(), choices.end(), text);
  if (choice != choices.end()) return Number(choice - choices.begin());
  if (text == "true" || text == "false") return Number(text == "true");
  const std::vector<NukeWord> words = NukeWords(text);
  EXPECT_LT(index, words.size()) << name << " " << text;
  const std::string expression = words[index].is_braced ? NukeWords(words[index].text)[0].text : words[index].text;
  return Value("", expression, frame);
}

// Part `index` of a knob of a node.
double Gizmo::NodeKnob(const std::string& name, const std::string& knob, size_t index, double frame) {
  const NukeNode& node = script_.nodes.at(name);
  const auto found = node.values.find(knob);
  if (found == node.values.end()) return 0;
  const std::string& text = found->second.text;
  if (text == "true" || text == "false") return text == "true";
  const std::vector<NukeWord> words = NukeWords(text);
  EXPECT_LT(index, words.size()) << name << " " << knob;
  // {1-parent.a} or {"1 - parent.a"}
  const std::vector<NukeWord> inner = NukeWords(words[index].text);
  const std::string expression = inner.size() == 1 ? inner[0].text : words[index].text;
  return Value(name, expression, frame).item<double>();
}

// The value of an expression of a node's knob, or of the gizmo's own for the node "".
at::Tensor Gizmo::Value(const std::string& node, const std::string& expression, double frame) {
  return GizmoExpression::Value(expression, [&](const std::string& name) -> at::Tensor {
    std::vector<std::string> parts = absl::StrSplit(name, '.');
    const std::vector<std::string> corners = {"x", "y", "r", "t"};
    const size_t corner = std::find(corners.begin(), corners.end(), parts.back()) - corners.begin();
    const size_t index = corner % corners.size();
    if (name == "frame") return Number(frame);
    if (parts[0] == "exists") return Number(IsConnected(parts[1]));
    if (name == "input.first_frame") return Number(kFirstFrame);
    if (name == "input.last_frame") return Number(kLastFrame);
    if (parts[0] == "input") {
      const std::string& input = node.empty() ? "Input1" : script_.nodes.at(node).inputs[0];
      return Number(PlateValue(Evaluate(input, frame), parts));
    }
    if (parts[0] == "parent" || node.empty()) {
      const bool is_inner = parts[0] == "parent";
      return KnobValue(parts[is_inner ? 1 : 0], parts.size() > (is_inner ? 2 : 1) ? index : 0, frame);
    }
    EXPECT_TRUE(parts.size() == 3 && script_.nodes.count(parts[0]) == 1 && corner < corners.size()) << name;
    if (parts[1] == "bbox") return Number(PlateValue(Evaluate(parts[0], frame), parts));
    return Number(NodeKnob(parts[0], parts[1], index, frame));
  });
}

// Whether the input of this number is connected.
bool Gizmo::IsConnected(const std::string& number) const {
  for (const auto& [name, node] : script_.nodes) {
    const auto found = node.values.find("number");
    if (node.type == "Input" && found != node.values.end() && found->second.text == number)
      return clips_.count(name) == 1;
  }
  ADD_FAILURE() << "there is no input " << number;
  return false;
}

Plate Gizmo::Evaluate(const std::string& name, double frame) {
  const NukeNode& node = script_.nodes.at(name);
  if (node.type == "Input") {
    Plate plate = clips_.at(name)(frame);
    plate.is_on_black = false;
    return plate;
  }
  const auto knob = [&](const std::string& knob, size_t index = 0) { return NodeKnob(name, knob, index, frame); };
  if (node.type == "FrameHold") return Evaluate(node.inputs[0], knob("firstFrame"));
  if (node.type == "Switch") return Evaluate(node.inputs.at(static_cast<size_t>(knob("which"))), frame);
  Plate plate = Evaluate(node.inputs[0], frame);
  if (node.type == "Output" || knob("disable") != 0) return plate;
  if (node.type == "Assert") {
    EXPECT_NE(knob("expression"), 0) << node.values.at("message").text;
    return plate;
  }
  if (node.type == "Crop") return CropPlate(plate, knob);
  if (node.type == "BlackOutside") {
    plate.is_on_black = true;
    return plate;
  }
  if (node.type == "Colorspace") return ConvertColours(plate, node);
  if (node.type == "Copy") return CopyChannels(plate, Evaluate(node.inputs[1], frame), node);
  if (node.type == "Inference") return Infer(plate, node, frame);
  if (node.type == "Transform") return MovePlate(plate, knob("translate", 0), knob("translate", 1));
  if (node.type == "Reformat") return ScalePlate(knob("pbb") == 0 ? Clipped(plate) : plate, knob("scale"));
  if (node.type == "Expression") return Compute(plate, nullptr, node, frame);
  if (node.type == "MergeExpression") {
    const Plate other = Evaluate(node.inputs[1], frame);
    return Compute(plate, &other, node, frame);
  }
  if (node.type == "Premult") return Premultiply(plate);
  if (node.type == "IDistort") return DistortPlate(plate, node);
  if (node.type == "Keymix") {
    return MixPlates(plate, Evaluate(node.inputs[1], frame), Evaluate(node.inputs[2], frame), node);
  }
  ADD_FAILURE() << name << " is an unknown node " << node.type;
  return plate;
}

// The module of the file that `plugins -all NAME.cat` finds.
torch::jit::Module& Gizmo::ModuleOf(const NukeNode& node) {
  absl::string_view name = node.values.at("modelFile").text;
  EXPECT_TRUE(absl::ConsumePrefix(&name, "[lsearch -inline [plugins -all ")) << name;
  EXPECT_TRUE(absl::ConsumeSuffix(&name, ".cat] *.cat]")) << name;
  const std::string file(name);
  EXPECT_EQ(modules_.count(file), 1) << file;
  return modules_.at(file);
}

Plate Gizmo::Infer(Plate plate, const NukeNode& node, double frame) {
  torch::jit::Module& module = ModuleOf(node);
  for (const absl::string_view link : absl::StrSplit(node.values.at("serialiseKnob").text, ';', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(link, absl::MaxSplits(':', 1));
    const double value =
        Value(node.values.at("name").text, NukeWords(NukeWords(parts[1])[0].text)[0].text, frame).item<double>();
    const bool is_int = module.attr(parts[0]).isInt();
    module.setattr(parts[0], is_int ? c10::IValue(static_cast<int64_t>(value)) : c10::IValue(value));
  }
  const c10::InferenceMode inference;
  const at::Tensor image = plate.Image(channels_in_, plate.format());
  const at::Tensor output = module.get_method("forward")({image}).toTensor();
  plate.height = output.size(2);
  plate.width = output.size(3);
  // What else of the plate an Inference node keeps is not known.
  plate = {plate.width, plate.height, plate.format(), {}, /*pixel_aspect=*/0, "of Inference", /*is_on_black=*/false};
  for (size_t i = 0; i < channels_out_.size(); ++i) plate.channels[channels_out_[i]] = output[0][i].clone();
  return plate;
}

// What an Expression node makes of the plate, or a MergeExpression node of B, the plate, and A, the other one.
Plate Gizmo::Compute(const Plate& plate, const Plate* other, const NukeNode& node, double frame) {
  const std::vector<std::string> colours = {"rgba.red", "rgba.green", "rgba.blue"}, letters = {"r", "g", "b"};
  const Area box = other == nullptr ? plate.box : BoxOf(plate, *other, node);
  Plate result = plate.Empty(box);
  for (const auto& channel : plate.channels) result.channels[channel.first] = plate.Get(channel.first, box);
  std::map<std::string, at::Tensor> values;
  if (other == nullptr) values = result.channels;
  for (size_t i = 0; other != nullptr && i < colours.size(); ++i) {
    values["A" + letters[i]] = other->Get(colours[i], box);
    values["B" + letters[i]] = plate.Get(colours[i], box);
  }
  values["x"] = at::arange(box.x, box.r);
  values["y"] = (at::arange(box.t - box.y).neg() + (box.t - 1)).unsqueeze(1);
  const auto lookup = [&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? Value(node.values.at("name").text, name, frame) : found->second.to(at::kDouble);
  };
  const auto compute = [&](const char* knob, size_t i) {
    return GizmoExpression::Value(node.values.at(absl::StrCat(knob, i)).text, lookup);
  };
  for (size_t i = 0; node.values.count(absl::StrCat("temp_name", i)) == 1; ++i) {
    values[node.values.at(absl::StrCat("temp_name", i)).text] = compute("temp_expr", i);
  }
  std::vector<std::string> names = colours;
  if (node.values.count("channel0") == 1) {
    EXPECT_EQ(node.values.at("channel0").text, "depth");
    names = {"depth.Z"};
  }
  for (size_t i = 0; i < names.size(); ++i) result.channels[names[i]] = compute("expr", i).to(at::kFloat);
  return result;
}

}  // namespace modelport
