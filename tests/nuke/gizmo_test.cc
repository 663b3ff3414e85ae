// A stand-in for Nuke: it reads a gizmo as Nuke's scripts are read, evaluates its nodes on a small plate and runs the
// artifact where the Inference node would run its .cat. It knows of each node what Foundry's reference guide says, and
// of Inference that it gives the model the format of its input.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argmin.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "artifact/export/export_model.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

// A word of a script, without its braces or quotes.
struct Word {
  std::string text;
  bool is_braced;
};

// Takes the next word of `script`; none at the end of a line, which is taken too.
bool TakeWord(absl::string_view& script, Word& word) {
  while (!script.empty() && script[0] == ' ') script.remove_prefix(1);
  if (script.empty() || script[0] == '\n') {
    if (!script.empty()) script.remove_prefix(1);
    return false;
  }
  word = {"", script[0] == '{'};
  const bool is_quoted = script[0] == '"';
  int depth = 0;
  for (; !script.empty(); script.remove_prefix(1)) {
    const char c = script[0];
    if (c == '\\' && script.size() > 1) {
      if (word.is_braced) word.text += c;
      script.remove_prefix(1);
      word.text += !word.is_braced && script[0] == 'n' ? '\n' : script[0];
      continue;
    }
    if (is_quoted && c == '"' && ++depth == 2) break;
    if (is_quoted && c == '"') continue;
    if (word.is_braced && c == '}' && --depth == 0) break;
    if (word.is_braced && c == '{' && ++depth == 1) continue;
    if (!is_quoted && !word.is_braced && (c == ' ' || c == '\n')) return true;
    word.text += c;
  }
  if (!script.empty()) script.remove_prefix(1);
  return true;
}

// The commands of a script, each with its words.
std::vector<std::vector<Word>> Commands(absl::string_view script) {
  std::vector<std::vector<Word>> commands;
  while (!script.empty()) {
    std::vector<Word> command;
    for (Word word; TakeWord(script, word);) command.push_back(word);
    if (!command.empty()) commands.push_back(std::move(command));
  }
  return commands;
}

std::vector<Word> Words(absl::string_view text) {
  const auto commands = Commands(text);
  return commands.empty() ? std::vector<Word>() : commands[0];
}

// An expression of a knob: numbers, names, + - * / ==, a ? b : c, calls of min, max, floor and abs, and
// KNOB.integrate(a, b) of a knob without keys.
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

// Pixels from (x, y) to (r, t); rows are counted from below.
struct Area {
  int64_t x, y, r, t;
};

Area Union(const Area& a, const Area& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.r, b.r), std::max(a.t, b.t)};
}

// A picture of Nuke: its format from (0, 0), and channels [t - y, r - x], the topmost row first, where it has pixels.
struct Plate {
  int64_t width = 0, height = 0;
  Area box = {};
  std::map<std::string, at::Tensor> channels = {};

  // A channel in any area; black where there are no pixels.
  at::Tensor Get(const std::string& channel, const Area& area) const {
    at::Tensor pixels = at::zeros({area.t - area.y, area.r - area.x});
    const auto found = channels.find(channel);
    if (found == channels.end()) return pixels;
    const Area both = {std::max(area.x, box.x), std::max(area.y, box.y), std::min(area.r, box.r),
                       std::min(area.t, box.t)};
    if (both.x >= both.r || both.y >= both.t) return pixels;
    const auto part = [&](const at::Tensor& whole, const Area& its) {
      return whole.slice(0, its.t - both.t, its.t - both.y).slice(1, both.x - its.x, both.r - its.x);
    };
    part(pixels, area).copy_(part(found->second, box));
    return pixels;
  }

  // Channels of the whole area as a model takes them, [1, C, H, W].
  at::Tensor Image(const std::vector<std::string>& names, const Area& area) const {
    std::vector<at::Tensor> parts;
    for (const std::string& name : names) parts.push_back(Get(name, area).reshape({1, 1, area.t - area.y, -1}));
    return at::cat(parts, 1);
  }

  Area format() const { return {0, 0, width, height}; }
};

at::Tensor ToSRGB(const at::Tensor& linear) {
  return at::where(linear <= 0.0031308, linear * 12.92, at::pow(at::clamp_min(linear, 0), 1 / 2.4) * 1.055 - 0.055);
}

at::Tensor ToLinear(const at::Tensor& encoded) {
  return at::where(encoded <= 0.04045, encoded / 12.92, at::pow((at::clamp_min(encoded, 0) + 0.055) / 1.055, 2.4));
}

// A gizmo with its artifacts.
class Gizmo {
 public:
  // `modules`: by the names of their .cat.
  Gizmo(const std::string& script, std::map<std::string, torch::jit::Module> modules,
        std::vector<std::string> channels_in, std::vector<std::string> channels_out)
      : modules_(std::move(modules)), channels_in_(std::move(channels_in)), channels_out_(std::move(channels_out)) {
    std::vector<std::vector<Word>> commands = Commands(script);
    EXPECT_EQ(commands.front()[0].text, "Gizmo");
    EXPECT_EQ(commands.back()[0].text, "end_group");
    ReadKnobs(commands.front()[1].text);
    for (size_t i = 1; i + 1 < commands.size(); ++i) ReadNode(commands[i]);
  }

  // Sets a knob, by a number or by the name of a choice.
  void Set(const std::string& knob, const std::string& value) {
    EXPECT_EQ(knobs_.count(knob), 1) << knob;
    knobs_[knob] = value;
  }

  // What the gizmo makes of the plate at a frame.
  Plate Run(const std::function<Plate(double frame)>& input, double frame) {
    input_ = &input;
    return Evaluate("Output1", frame);
  }

 private:
  struct Node {
    std::string type;
    std::map<std::string, Word> knobs = {};
    std::vector<std::string> inputs = {};  // The first is B, the picture that passes.
  };

  void ReadKnobs(const std::string& body) {
    for (const std::vector<Word>& command : Commands(body)) {
      if (command[0].text != "addUserKnob") {
        knobs_[command[0].text] = command[1].text;
        continue;
      }
      const std::vector<Word> words = Words(command[1].text);
      knobs_.emplace(words[1].text, "0");
      for (size_t i = 2; i + 1 < words.size(); ++i) {
        if (words[i].text != "M") continue;
        for (const Word& choice : Words(words[i + 1].text)) choices_[words[1].text].push_back(choice.text);
      }
    }
  }

  void ReadNode(const std::vector<Word>& command) {
    const std::string& type = command[0].text;
    if (type == "set") {
      saved_["$" + command[1].text] = stack_.back();
    } else if (type == "push") {
      EXPECT_EQ(saved_.count(command[1].text), 1) << command[1].text;
      stack_.push_back(saved_[command[1].text]);
    } else if (type != "add_layer") {
      Node node = {type};
      for (const std::vector<Word>& knob : Commands(command[1].text)) {
        EXPECT_EQ(knob.size(), 2) << type << " " << knob[0].text;
        node.knobs[knob[0].text] = knob[1];
      }
      const auto inputs = node.knobs.find("inputs");
      for (int left = inputs == node.knobs.end() ? 1 : std::stoi(inputs->second.text); left > 0; --left) {
        node.inputs.push_back(stack_.back());
        stack_.pop_back();
      }
      const std::string name = node.knobs.at("name").text;
      stack_.push_back(name);
      EXPECT_TRUE(nodes_.emplace(name, std::move(node)).second) << name;
    }
  }

  // The value of a knob of the gizmo.
  at::Tensor KnobValue(const std::string& name, double frame) {
    EXPECT_EQ(knobs_.count(name), 1) << name;
    const std::string& text = knobs_[name];
    const auto& choices = choices_[name];
    const auto choice = std::find(choices.begin(), choices.end(), text);
    if (choice != choices.end()) return Number(choice - choices.begin());
    if (text == "true" || text == "false") return Number(text == "true");
    const std::vector<Word> words = Words(text);
    const std::string expression = words[0].is_braced ? Words(words[0].text)[0].text : text;
    return GizmoExpression::Value(expression, [&](const std::string& other) {
      if (other == "frame") return Number(frame);
      if (other == "root.first_frame") return Number(1);
      return KnobValue(other, frame);
    });
  }

  static at::Tensor Number(double value) { return at::scalar_tensor(value, at::kDouble); }

  // Part `index` of a knob of a node.
  double NodeKnob(const std::string& name, const std::string& knob, size_t index, double frame) {
    const Node& node = nodes_.at(name);
    const auto found = node.knobs.find(knob);
    if (found == node.knobs.end()) return 0;
    const std::string& text = found->second.text;
    if (text == "true" || text == "false") return text == "true";
    const std::vector<Word> words = Words(text);
    EXPECT_LT(index, words.size()) << name << " " << knob;
    // {1-parent.a} or {"1 - parent.a"}
    const std::vector<Word> inner = Words(words[index].text);
    const std::string expression = inner.size() == 1 ? inner[0].text : words[index].text;
    return Value(name, expression, frame).item<double>();
  }

  at::Tensor Value(const std::string& node, const std::string& expression, double frame) {
    return GizmoExpression::Value(expression, [&](const std::string& name) -> at::Tensor {
      const std::vector<std::string> parts = absl::StrSplit(name, '.');
      if (name == "frame") return Number(frame);
      if (parts[0] == "parent") return KnobValue(parts[1], frame);
      if (parts[0] == "input") return Number(PlateValue(Evaluate(nodes_.at(node).inputs[0], frame), parts));
      const std::vector<std::string> corners = {"x", "y", "r", "t"};
      const auto corner = std::find(corners.begin(), corners.end(), parts.back());
      EXPECT_TRUE(parts.size() == 3 && nodes_.count(parts[0]) == 1 && corner != corners.end()) << name;
      return Number(NodeKnob(parts[0], parts[1], corner - corners.begin(), frame));
    });
  }

  // input.width or input.bbox.x.
  static double PlateValue(const Plate& plate, const std::vector<std::string>& parts) {
    if (parts[1] == "width") return plate.width;
    if (parts[1] == "height") return plate.height;
    EXPECT_EQ(parts[1], "bbox");
    const std::map<std::string, int64_t> box = {
        {"x", plate.box.x}, {"y", plate.box.y}, {"r", plate.box.r}, {"t", plate.box.t}};
    return box.at(parts.at(2));
  }

  Plate Evaluate(const std::string& name, double frame) {
    const Node& node = nodes_.at(name);
    if (node.type == "Input") return (*input_)(frame);
    const auto knob = [&](const std::string& knob, size_t index = 0) { return NodeKnob(name, knob, index, frame); };
    if (node.type == "FrameHold") return Evaluate(node.inputs[0], knob("firstFrame"));
    Plate plate = Evaluate(node.inputs[0], frame);
    if (node.type == "Output" || knob("disable") != 0) return plate;
    if (node.type == "Crop") return Crop(plate, knob);
    if (node.type == "Colorspace") return ConvertColours(plate, node);
    if (node.type == "Copy") return Copy(plate, Evaluate(node.inputs[1], frame), node);
    if (node.type == "Inference") return Infer(plate, node, frame);
    if (node.type == "Transform") return Move(plate, knob("translate", 0), knob("translate", 1));
    if (node.type == "Reformat") return Scale(plate, knob("scale"));
    if (node.type == "Expression") return Compute(plate, node, frame);
    if (node.type == "Premult") return Premultiply(plate);
    if (node.type == "IDistort") return Distort(plate, node);
    if (node.type == "Keymix") {
      return Mix(plate, Evaluate(node.inputs[1], frame), Evaluate(node.inputs[2], frame), node);
    }
    ADD_FAILURE() << name << " is an unknown node " << node.type;
    return plate;
  }

  static Plate Crop(const Plate& plate, const std::function<double(const std::string&, size_t)>& knob) {
    const auto corner = [&](size_t i) { return static_cast<int64_t>(knob("box", i)); };
    const Area box = {corner(0), corner(1), corner(2), corner(3)};
    Plate cropped = {plate.width, plate.height, box};
    for (const auto& channel : plate.channels) cropped.channels[channel.first] = plate.Get(channel.first, box);
    if (knob("reformat", 0) == 0) return cropped;
    cropped.width = box.r - box.x;
    cropped.height = box.t - box.y;
    cropped.box = cropped.format();
    return cropped;
  }

  static Plate ConvertColours(Plate plate, const Node& node) {
    const bool encodes = node.knobs.count("colorspace_out") == 1;
    EXPECT_EQ(node.knobs.at(encodes ? "colorspace_out" : "colorspace_in").text, "sRGB");
    for (const char* name : {"rgba.red", "rgba.green", "rgba.blue"}) {
      at::Tensor& channel = plate.channels.at(name);
      channel = encodes ? ToSRGB(channel) : ToLinear(channel);
    }
    return plate;
  }

  static Plate Copy(Plate plate, const Plate& other, const Node& node) {
    const Area box = Union(plate.box, other.box);
    Plate result = {plate.width, plate.height, box};
    for (const auto& channel : plate.channels) result.channels[channel.first] = plate.Get(channel.first, box);
    for (int i = 0; node.knobs.count(absl::StrCat("from", i)) == 1; ++i) {
      const std::string& from = node.knobs.at(absl::StrCat("from", i)).text;
      EXPECT_EQ(other.channels.count(from), 1) << from;
      result.channels[node.knobs.at(absl::StrCat("to", i)).text] = other.Get(from, box);
    }
    return result;
  }

  // The module of the file that `plugins -all NAME.cat` or `plugins -all [value parent.KNOB].cat` finds.
  torch::jit::Module& ModuleOf(const Node& node) {
    absl::string_view name = node.knobs.at("modelFile").text;
    EXPECT_TRUE(absl::ConsumePrefix(&name, "[lsearch -inline [plugins -all ")) << name;
    EXPECT_TRUE(absl::ConsumeSuffix(&name, ".cat] *.cat]")) << name;
    const bool is_chosen = absl::ConsumePrefix(&name, "[value parent.") && absl::ConsumeSuffix(&name, "]");
    const std::string file = is_chosen ? knobs_.at(std::string(name)) : std::string(name);
    EXPECT_EQ(modules_.count(file), 1) << file;
    return modules_.at(file);
  }

  Plate Infer(Plate plate, const Node& node, double frame) {
    torch::jit::Module& module = ModuleOf(node);
    for (const absl::string_view link : absl::StrSplit(node.knobs.at("serialiseKnob").text, ';', absl::SkipEmpty())) {
      const std::vector<std::string> parts = absl::StrSplit(link, absl::MaxSplits(':', 1));
      const double value = Value(node.inputs[0], Words(Words(parts[1])[0].text)[0].text, frame).item<double>();
      const bool is_int = module.attr(parts[0]).isInt();
      module.setattr(parts[0], is_int ? c10::IValue(static_cast<int64_t>(value)) : c10::IValue(value));
    }
    const c10::InferenceMode inference;
    const at::Tensor image = plate.Image(channels_in_, plate.format());
    const at::Tensor output = module.get_method("forward")({image}).toTensor();
    plate.height = output.size(2);
    plate.width = output.size(3);
    plate.box = plate.format();
    plate.channels.clear();
    for (size_t i = 0; i < channels_out_.size(); ++i) plate.channels[channels_out_[i]] = output[0][i].clone();
    return plate;
  }

  static Plate Move(Plate plate, int64_t x, int64_t y) {
    plate.box = {plate.box.x + x, plate.box.y + y, plate.box.r + x, plate.box.t + y};
    return plate;
  }

  static Plate Scale(Plate plate, int64_t scale) {
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

  Plate Compute(Plate plate, const Node& node, double frame) {
    const std::map<std::string, at::Tensor> before = plate.channels;
    const std::vector<std::string> names = {"rgba.red", "rgba.green", "rgba.blue"};
    for (size_t i = 0; i < names.size(); ++i) {
      plate.channels[names[i]] =
          GizmoExpression::Value(node.knobs.at(absl::StrCat("expr", i)).text, [&](const std::string& name) {
            absl::string_view knob = name;
            return absl::ConsumePrefix(&knob, "parent.") ? KnobValue(std::string(knob), frame)
                                                         : before.at(name).to(at::kDouble);
          }).to(at::kFloat);
    }
    return plate;
  }

  static Plate Premultiply(Plate plate) {
    for (const char* name : {"rgba.red", "rgba.green", "rgba.blue"}) {
      plate.channels[name] = plate.channels[name] * plate.channels["rgba.alpha"];
    }
    return plate;
  }

  // Each pixel comes from as many pixels right and up as its layer `uv` says; between pixels bilinear, beyond the box
  // the nearest pixel.
  static Plate Distort(Plate plate, const Node& node) {
    EXPECT_EQ(node.knobs.at("channels").text, "all");
    const std::string& layer = node.knobs.at("uv").text;
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
  static Plate Mix(const Plate& plate, const Plate& other, const Plate& mask, const Node& node) {
    EXPECT_EQ(node.knobs.at("channels").text, "all");
    const Area box = Union(plate.box, other.box);
    const at::Tensor part = mask.Get(node.knobs.at("maskChannel").text, box);
    Plate result = {plate.width, plate.height, box};
    for (const auto& channel : plate.channels) {
      const at::Tensor own = plate.Get(channel.first, box);
      const bool is_mixed = other.channels.count(channel.first) == 1;
      result.channels[channel.first] =
          is_mixed ? own.mul(part.neg().add(1)).add(other.Get(channel.first, box).mul(part)) : own;
    }
    return result;
  }

  std::map<std::string, torch::jit::Module> modules_;
  std::vector<std::string> channels_in_, channels_out_;
  std::map<std::string, std::string> knobs_;
  std::map<std::string, std::vector<std::string>> choices_;
  std::map<std::string, Node> nodes_;
  std::vector<std::string> stack_;
  std::map<std::string, std::string> saved_;
  const std::function<Plate(double)>* input_ = nullptr;
};

// The manifest of a test model's artifact.
Manifest ManifestOf(const std::string& name) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  const NukeTestModel model = FindNukeTestModel(name);
  ExportOptions options;
  options.request.entry = *registry->Find(model.model);
  options.request.weights = Seeded{0};
  options.request.target = *FindTarget("nuke");
  options.request.wrapper = model.wrapper;
  options.prove = false;
  options.out = absl::StrCat(testing::TempDir(), "/gizmo_", name, ".pt");
  const absl::StatusOr<Manifest> manifest = ExportModel(*registry, options);
  EXPECT_THAT(manifest, IsOk());
  return *manifest;
}

// The gizmo among the files of a folder, with the artifacts that GetNukeModel has.
Gizmo GizmoIn(const absl::StatusOr<std::vector<PackageFile>>& files, const Manifest& manifest,
              const std::vector<std::string>& names) {
  EXPECT_THAT(files, IsOk());
  const auto script = std::find_if(files->begin(), files->end(),
                                   [](const PackageFile& file) { return absl::EndsWith(file.name, ".gizmo"); });
  std::map<std::string, torch::jit::Module> modules;
  for (const std::string& name : names) modules.emplace(name, GetNukeModel(name).nuke);
  const auto& interface = manifest.interface();
  return {script->text,
          std::move(modules),
          {interface.channels_in().begin(), interface.channels_in().end()},
          {interface.channels_out().begin(), interface.channels_out().end()}};
}

// The gizmo of a test model.
Gizmo GizmoOf(const std::string& name) {
  const Manifest manifest = ManifestOf(name);
  return GizmoIn((*FindTarget("nuke"))->package(manifest), manifest, {name});
}

const std::vector<std::string>& Rgb() {
  static const auto* const names = new std::vector<std::string>{"rgba.red", "rgba.green", "rgba.blue"};
  return *names;
}

// A linear plate whose pixels reach beyond its format, another one for each frame.
Plate PlateAt(double frame) {
  Plate plate = {40, 30, {-6, -3, 48, 33}};
  const at::Tensor pixels = SeededImage(1, 5, 36, 54)[0];
  const std::vector<std::string> names = {"rgba.red", "rgba.green", "rgba.blue", "rgba.alpha", "mask.a"};
  for (size_t i = 0; i < names.size(); ++i) {
    plate.channels[names[i]] = at::clamp(pixels[i].mul(0.5 + frame / 16), 0, 1).contiguous();
  }
  return plate;
}

void ExpectNear(const at::Tensor& expected, const at::Tensor& actual) {
  ASSERT_EQ(expected.sizes(), actual.sizes());
  EXPECT_LE(expected.sub(actual).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
}

// The plate, but for the channels that the node makes.
void ExpectPasses(const Plate& before, const Plate& after, const std::vector<std::string>& made) {
  EXPECT_EQ(after.width, before.width);
  EXPECT_EQ(after.height, before.height);
  for (const auto& [name, pixels] : before.channels) {
    if (std::find(made.begin(), made.end(), name) != made.end()) continue;
    ASSERT_EQ(after.channels.count(name), 1) << name;
    EXPECT_TRUE(at::equal(after.Get(name, before.box), pixels)) << name;
  }
}

class GizmoDepthTest : public testing::Test {
 protected:
  // The depth of an area of the plate, whose colours are linear or already encoded.
  at::Tensor Depth(const Area& area, bool is_linear = true) const {
    const at::Tensor image = PlateAt(1).Image(Rgb(), area);
    return model_.Run(is_linear ? ToSRGB(image) : image)[0][0];
  }

  const std::string name_ = NukeTestModels("NukeDepth").front();
  NukeModel model_ = GetNukeModel(name_);
  Gizmo gizmo_ = GizmoOf(name_);
};

TEST_F(GizmoDepthTest, TheFormatGetsItsDepth) {
  const Plate result = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), result, {});
  ExpectNear(Depth({0, 0, 40, 30}), result.Get("depth.Z", result.format()));
  gizmo_.Set("input_is_srgb", "true");
  ExpectNear(Depth({0, 0, 40, 30}, /*is_linear=*/false), gizmo_.Run(PlateAt, 1).Get("depth.Z", result.format()));
}

TEST_F(GizmoDepthTest, WithOverscanTheWholeBoundingBoxDoes) {
  gizmo_.Set("overscan", "true");
  const Plate result = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), result, {});
  ExpectNear(Depth(PlateAt(1).box), result.Get("depth.Z", PlateAt(1).box));
}

TEST_F(GizmoDepthTest, KnobsReachTheModel) {
  gizmo_.Set("normalize", "true");
  const Area format = {0, 0, 40, 30};
  const at::Tensor depth = gizmo_.Run(PlateAt, 1).Get("depth.Z", format);
  EXPECT_EQ(depth.min().item<float>(), 0);
  EXPECT_EQ(depth.max().item<float>(), 1);
  gizmo_.Set("convention", "larger is nearer");
  const at::Tensor nearer = gizmo_.Run(PlateAt, 1).Get("depth.Z", format);
  gizmo_.Set("convention", "larger is farther");
  ExpectNear(nearer, gizmo_.Run(PlateAt, 1).Get("depth.Z", format).neg().add(1));
}

TEST_F(GizmoDepthTest, APreviewIsGreyOrInFalseColours) {
  gizmo_.Set("preview", "grey");
  const Plate grey = gizmo_.Run(PlateAt, 1);
  ExpectPasses(PlateAt(1), grey, Rgb());
  const at::Tensor depth = grey.channels.at("depth.Z");
  for (const std::string& name : Rgb()) EXPECT_TRUE(at::equal(grey.channels.at(name), depth));
  const Area format = grey.format();
  const at::Tensor inside = grey.Get("depth.Z", format);
  gizmo_.Set("preview", "false colours");
  // Between 0 and a number: the lowest is blue, the middle green, the highest red.
  for (const double at : {0.125, 0.5, 0.875}) {
    gizmo_.Set("preview_high", absl::StrCat(inside.min().item<double>() / at));
    const Plate coloured = gizmo_.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), coloured, Rgb());
    EXPECT_TRUE(at::equal(coloured.channels.at("depth.Z"), depth));
    const int64_t nearest = inside.argmin().item<int64_t>();
    std::vector<double> colour;
    for (const std::string& name : Rgb()) {
      colour.push_back(coloured.Get(name, format).reshape({-1})[nearest].item<double>());
    }
    const std::vector<double> expected = at < 0.5   ? std::vector<double>{0, 0, 1}
                                         : at > 0.5 ? std::vector<double>{1, 0, 0}
                                                    : std::vector<double>{0.5, 1, 0.5};
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(colour[i], expected[i], 1e-4) << at << " " << Rgb()[i];
  }
}

TEST(GizmoTest, APulldownChoosesTheModel) {
  const std::vector<std::string> names = NukeTestModels("NukeDepth");
  ASSERT_GT(names.size(), 2);
  // The first two that one node can run.
  const Manifest first = ManifestOf(names[0]);
  std::string other;
  absl::StatusOr<std::vector<PackageFile>> files;
  for (size_t i = 1; i < names.size() && other.empty(); ++i) {
    files = (*FindTarget("nuke"))->choice({first, ManifestOf(names[i])}, "chosen");
    if (files.ok()) other = names[i];
  }
  ASSERT_NE(other, "");
  Gizmo gizmo = GizmoIn(files, first, {names[0], other});
  const Area format = PlateAt(1).format();
  const at::Tensor image = ToSRGB(PlateAt(1).Image(Rgb(), format));
  ExpectNear(GetNukeModel(names[0]).Run(image)[0][0], gizmo.Run(PlateAt, 1).Get("depth.Z", format));
  gizmo.Set("which_model", other);
  ExpectNear(GetNukeModel(other).Run(image)[0][0], gizmo.Run(PlateAt, 1).Get("depth.Z", format));
}

TEST(GizmoTest, AMatteHasItsLayerAndReplacesAlphaOnDemand) {
  const std::string name = NukeTestModels("NukeMatte").front();
  Gizmo gizmo = GizmoOf(name);
  const Plate plate = PlateAt(1);
  std::vector<std::string> rgba = Rgb();
  rgba.push_back("rgba.alpha");
  at::Tensor image = plate.Image(rgba, plate.format());
  image.slice(1, 0, 3).copy_(ToSRGB(image.slice(1, 0, 3)));
  const at::Tensor matte = GetNukeModel(name).Run(image)[0][0];
  const Plate result = gizmo.Run(PlateAt, 1);
  ExpectPasses(plate, result, {});
  ExpectNear(matte, result.Get("matte.alpha", plate.format()));
  gizmo.Set("premultiply", "true");
  const Plate premultiplied = gizmo.Run(PlateAt, 1);
  ExpectNear(matte, premultiplied.Get("rgba.alpha", plate.format()));
  ExpectNear(plate.Get("rgba.red", plate.format()) * matte, premultiplied.Get("rgba.red", plate.format()));
}

TEST(GizmoTest, AMatteOfAPlateAloneHasItsLayer) {
  const std::string name = NukeTestModels("NukeMask").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor image = ToSRGB(PlateAt(1).Image(Rgb(), format));
  for (const int64_t side : {64, 96}) {
    gizmo.Set("side", absl::StrCat(side));
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), result, {});
    ExpectNear(GetNukeModel(name).Run(image, {{"side", side}})[0][0], result.Get("matte.alpha", format));
  }
  gizmo.Set("replace_rgba", "true");
  const Plate replaced = gizmo.Run(PlateAt, 1);
  EXPECT_TRUE(at::equal(replaced.channels.at("rgba.alpha"), replaced.channels.at("matte.alpha")));
}

TEST(GizmoTest, PointsAndABoxReachTheModel) {
  const std::string name = NukeTestModels("NukePrompt").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor image = ToSRGB(PlateAt(1).Image(Rgb(), format));
  std::map<std::string, c10::IValue> knobs = {{"side", int64_t{128}}};
  const auto expect_masks_of_the_model = [&](const std::map<std::string, c10::IValue>& changed) {
    for (const auto& [knob, value] : changed) {
      knobs[knob] = value;
      gizmo.Set(knob, value.isInt() ? absl::StrCat(value.toInt()) : absl::StrCat(value.toDouble()));
    }
    const at::Tensor mask = GetNukeModel(name).Run(image, knobs)[0][0];
    const Plate result = gizmo.Run(PlateAt, 1);
    ExpectPasses(PlateAt(1), result, {});
    ExpectNear(mask, result.Get("matte.alpha", format));
    return mask;
  };
  gizmo.Set("side", "128");
  const at::Tensor first = expect_masks_of_the_model({{"point_1_x", 0.25}, {"point_1_y", 0.75}});
  const at::Tensor second =
      expect_masks_of_the_model({{"point_8_is", int64_t{1}}, {"point_8_x", 0.875}, {"point_8_y", 0.125}});
  const at::Tensor boxed =
      expect_masks_of_the_model({{"box", int64_t{1}}, {"box_left", 0.125}, {"box_top", 0.75}, {"box_right", 0.5}});
  EXPECT_FALSE(at::equal(first, second));
  EXPECT_FALSE(at::equal(second, boxed));
}

TEST(GizmoTest, TheCoarseDepthOfAPlateBecomesTheModels) {
  const std::string name = NukeTestModels("NukePromptedDepth").front();
  Gizmo gizmo = GizmoOf(name);
  const auto plate_at = [](double frame) {
    Plate plate = PlateAt(frame);
    plate.channels["depth.Z"] = plate.channels.at("mask.a").mul(3).add(2);
    return plate;
  };
  const Plate plate = plate_at(1);
  const at::Tensor image =
      at::cat({ToSRGB(plate.Image(Rgb(), plate.format())), plate.Image({"depth.Z"}, plate.format())}, 1);
  const Plate result = gizmo.Run(plate_at, 1);
  ExpectPasses(plate, result, {"depth.Z"});
  ExpectNear(GetNukeModel(name).Run(image)[0][0], result.Get("depth.Z", plate.format()));
}

TEST(GizmoTest, NormalsHaveALayerAndAPreview) {
  const std::string name = NukeTestModels("NukeNormals").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor normals = GetNukeModel(name).Run(ToSRGB(PlateAt(1).Image(Rgb(), format)))[0];
  gizmo.Set("preview", "true");
  const Plate result = gizmo.Run(PlateAt, 1);
  ExpectNear(normals[1], result.Get("normals.green", format));
  ExpectNear(normals[1] / 2 + 0.5, result.Get("rgba.green", format));
}

TEST(GizmoTest, ALargerImageIsTheNewFormat) {
  const std::string name = NukeTestModels("NukeUpscale").front();
  NukeModel model = GetNukeModel(name);
  const int64_t scale = model.nuke.attr("scale").toInt();
  const auto larger = [&](const Area& area) { return ToLinear(model.Run(ToSRGB(PlateAt(1).Image(Rgb(), area))))[0]; };
  Gizmo gizmo = GizmoOf(name);
  const Plate result = gizmo.Run(PlateAt, 1);
  EXPECT_EQ(result.width, 40 * scale);
  EXPECT_EQ(result.height, 30 * scale);
  ExpectNear(larger({0, 0, 40, 30})[2], result.Get("rgba.blue", result.format()));
  EXPECT_EQ(result.channels.at("mask.a").size(1), 54 * scale);
  gizmo.Set("overscan", "true");
  const Area box = {-6 * scale, -3 * scale, 48 * scale, 33 * scale};
  ExpectNear(larger(PlateAt(1).box)[2], gizmo.Run(PlateAt, 1).Get("rgba.blue", box));
}

TEST(GizmoTest, ASlowerPlateHasFramesBetween) {
  const std::string name = NukeTestModels("NukeBetween").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  // At half speed frame 3 of the output is the plate's frame 2, and frame 4 lies behind it.
  ExpectPasses(PlateAt(2), gizmo.Run(PlateAt, 3), {});
  const Plate between = gizmo.Run(PlateAt, 4);
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(2).Image(Rgb(), format)), ToSRGB(PlateAt(3).Image(Rgb(), format))}, 1);
  ExpectNear(ToLinear(GetNukeModel(name).Run(pair, {{"timestep", 0.5}}))[0][0], between.Get("rgba.red", format));
  EXPECT_TRUE(at::equal(between.channels.at("mask.a"), PlateAt(2).channels.at("mask.a")));
}

// The channels that the model does not know move as its colours do: a plate whose layer holds its red, too, keeps that
// equal to the red that the model gives.
TEST(GizmoTest, ARetimeMovesEveryChannelAsItsColours) {
  const std::string name = NukeTestModels("NukeRetime").front();
  Gizmo gizmo = GizmoOf(name);
  gizmo.Set("input_is_srgb", "true");
  const auto plate_at = [](double frame) {
    Plate plate = PlateAt(frame);
    plate.box = plate.format();
    for (auto& [channel, pixels] : plate.channels) pixels = PlateAt(frame).Get(channel, plate.box);
    plate.channels["depth.Z"] = plate.channels.at("rgba.red").mul(50);
    return plate;
  };
  const Area format = plate_at(1).format();
  const at::Tensor pair = at::cat({plate_at(2).Image(Rgb(), format), plate_at(3).Image(Rgb(), format)}, 1);
  for (const int64_t shrink : {1, 2}) {
    gizmo.Set("shrink", absl::StrCat(shrink));
    const at::Tensor output = GetNukeModel(name).Run(pair, {{"timestep", 0.5}, {"shrink", shrink}})[0];
    const Plate between = gizmo.Run(plate_at, 4);
    ExpectNear(output[1], between.Get("rgba.green", format));
    ExpectNear(output[4], between.Get("forward.v", format));
    ExpectNear(output[5], between.Get("backward.u", format));
    EXPECT_GT(output.slice(0, 3, 7).abs().max().item<double>(), 1);
    // The model pads its images with black; a pixel that comes from there has another nearest pixel in the plate.
    const at::Tensor x = at::arange(format.r, at::kFloat), y = at::arange(format.t, at::kFloat).unsqueeze(1);
    at::Tensor inside = at::ones_like(output[0]);
    for (const int64_t motion : {3, 5}) {
      const at::Tensor column = output[motion].add(x), row = output[motion + 1].neg().add(y);
      inside = inside.mul(column.ge(0)).mul(column.le(format.r - 1)).mul(row.ge(0)).mul(row.le(format.t - 1));
    }
    EXPECT_GT(inside.mean().item<double>(), 0.5);
    ExpectNear(output[0].mul(inside), between.Get("depth.Z", format).div(50).mul(inside));
    EXPECT_FALSE(at::equal(between.channels.at("depth.Z"), plate_at(2).channels.at("depth.Z")));
  }
  // What the model sees are both frames as a display shows them, and with overscan all of their pixels.
  Gizmo linear = GizmoOf(name);
  for (const Area& seen : {format, PlateAt(2).box}) {
    const at::Tensor shown = at::cat({ToSRGB(PlateAt(2).Image(Rgb(), seen)), ToSRGB(PlateAt(3).Image(Rgb(), seen))}, 1);
    const at::Tensor output = GetNukeModel(name).Run(shown, {{"timestep", 0.5}})[0];
    const Plate between = linear.Run(PlateAt, 4);
    ExpectNear(ToLinear(output[1]), between.Get("rgba.green", seen));
    ExpectNear(output[3], between.Get("forward.u", seen));
    linear.Set("overscan", "true");
  }
  // At half speed frame 3 of the output is the plate's frame 2, which passes as it is, with its motion.
  const Plate whole = gizmo.Run(plate_at, 3);
  ExpectPasses(plate_at(2), whole, {});
  ExpectNear(GetNukeModel(name).Run(pair, {{"timestep", 0.0}, {"shrink", 2}})[0][3], whole.Get("forward.u", format));
}

TEST(GizmoTest, DepthIsOfTheMiddleOfFiveFrames) {
  const std::string name = NukeTestModels("NukeShot").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  std::vector<at::Tensor> frames;
  for (const double frame : {3, 1, 2, 4, 5}) frames.push_back(ToSRGB(PlateAt(frame).Image(Rgb(), format)));
  const at::Tensor depth = GetNukeModel(name).Run(at::cat(frames, 1))[0][0];
  const Plate result = gizmo.Run(PlateAt, 3);
  ExpectPasses(PlateAt(3), result, {});
  ExpectNear(depth, result.Get("depth.Z", format));
  EXPECT_EQ(result.channels.size(), PlateAt(3).channels.size() + 1);
}

TEST(GizmoTest, MotionIntoTheNextFrameLeavesTheOtherChannels) {
  const std::string name = NukeTestModels("NukeMotion").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(3).Image(Rgb(), format)), ToSRGB(PlateAt(4).Image(Rgb(), format))}, 1);
  for (const int64_t shrink : {2, 1}) {
    gizmo.Set("shrink", absl::StrCat(shrink));
    const at::Tensor motion = GetNukeModel(name).Run(pair, {{"shrink", shrink}})[0];
    const Plate result = gizmo.Run(PlateAt, 3);
    ExpectPasses(PlateAt(3), result, {});
    ExpectNear(motion[0], result.Get("forward.u", format));
    ExpectNear(motion[1], result.Get("forward.v", format));
    EXPECT_EQ(result.channels.count("backward.u"), PlateAt(3).channels.count("backward.u"));
  }
}

TEST(GizmoTest, MotionIsThatOfThePlatesOwnFrames) {
  const std::string name = NukeTestModels("NukeFlow").front();
  Gizmo gizmo = GizmoOf(name);
  const Area format = PlateAt(1).format();
  const at::Tensor pair =
      at::cat({ToSRGB(PlateAt(3).Image(Rgb(), format)), ToSRGB(PlateAt(4).Image(Rgb(), format))}, 1);
  const at::Tensor motion = GetNukeModel(name).Run(pair, {{"timestep", 0.0}})[0];
  const Plate result = gizmo.Run(PlateAt, 3);
  ExpectPasses(PlateAt(3), result, {});
  ExpectNear(motion[0], result.Get("forward.u", format));
  ExpectNear(motion[1], result.Get("forward.v", format));
  ExpectNear(motion[3], result.Get("backward.v", format));
  gizmo.Set("preview", "true");
  const Plate preview = gizmo.Run(PlateAt, 3);
  ExpectPasses(PlateAt(3), preview, Rgb());
  ExpectNear(at::clamp(motion[0] / 40 + 0.5, 0, 1), preview.Get("rgba.red", format));
  ExpectNear(at::clamp((motion[1] * 0.866 - motion[0] * 0.5) / 40 + 0.5, 0, 1), preview.Get("rgba.green", format));
}

}  // namespace
}  // namespace modelport
