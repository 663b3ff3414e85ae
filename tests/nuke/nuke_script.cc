#include "tests/nuke/nuke_script.h"

#include <algorithm>
#include <cstdint>
#include <regex>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// Takes the next word of `text`; none at the end of a line, which is taken too. Sets `is_wrong` if the text ends within
// braces or quotes, or goes on right behind them.
bool TakeWord(absl::string_view& text, NukeWord& word, bool& is_wrong) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r')) text.remove_prefix(1);
  if (text.empty() || text[0] == '\n') {
    if (!text.empty()) text.remove_prefix(1);
    return false;
  }
  word = {"", text[0] == '{'};
  const bool is_quoted = text[0] == '"';
  int depth = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text[0];
    if (c == '\\' && text.size() > 1) {
      if (word.is_braced) word.text += c;
      text.remove_prefix(1);
      word.text += !word.is_braced && text[0] == 'n' ? '\n' : text[0];
      continue;
    }
    if (is_quoted && c == '"' && ++depth == 2) break;
    if (is_quoted && c == '"') continue;
    if (word.is_braced && c == '}' && --depth == 0) break;
    if (word.is_braced && c == '{' && ++depth == 1) continue;
    if (!is_quoted && !word.is_braced && (c == ' ' || c == '\n')) return true;
    word.text += c;
  }
  const bool is_enclosed = is_quoted || word.is_braced;
  is_wrong |= text.empty() && is_enclosed;
  if (!text.empty()) text.remove_prefix(1);
  is_wrong |= is_enclosed && !text.empty() && text.find_first_of(" \t\r\n") != 0;
  return true;
}

// The commands of a script, each with its words; comments are none.
std::vector<std::vector<NukeWord>> Commands(absl::string_view text, bool& is_wrong) {
  std::vector<std::vector<NukeWord>> commands;
  while (!text.empty()) {
    std::vector<NukeWord> command;
    for (NukeWord word; TakeWord(text, word, is_wrong);) command.push_back(word);
    if (!command.empty() && !absl::StartsWith(command[0].text, "#")) commands.push_back(std::move(command));
  }
  return commands;
}

// The knobs that a class of nodes has in Foundry's reference guide and in public scripts, without those of every node.
const std::set<std::string>* KnobsOf(const std::string& type) {
  static const auto* const knobs = new std::map<std::string, std::set<std::string>>{
      {"Input", {"number"}},
      {"Output", {}},
      {"StickyNote", {}},
      {"Assert", {"expression", "message"}},
      {"FrameHold", {"firstFrame", "increment"}},  // first_frame is the spelling of Nuke 12 and older.
      {"BlackOutside", {}},
      {"Crop", {"box", "softness", "reformat", "intersect", "crop"}},
      {"Colorspace", {"channels", "colorspace_in", "colorspace_out", "mix"}},
      {"Copy",
       {"from0", "to0", "from1", "to1", "from2", "to2", "from3", "to3", "channels", "bbox", "maskChannelMask",
        "maskChannelInput", "inject", "invert_mask", "fringe", "mix"}},
      {"Inference", {"modelFile", "useGPUIfAvailable", "halfPrecision", "serialiseKnob", "gpuName"}},
      {"Transform",
       {"translate", "rotate", "scale", "skewX", "skewY", "center", "invert_matrix", "filter", "clamp",
        "black_outside"}},
      {"IDistort",
       {"channels", "uv", "uv_offset", "uv_scale", "blur", "blur_scale", "maskChannel", "invert_mask", "premultiplied",
        "filter"}},
      {"Switch", {"which"}},
      {"Keymix", {"channels", "maskChannel", "invertMask", "mix", "bbox"}},
      {"Reformat",
       {"type", "format", "box_width", "box_height", "box_fixed", "scale", "resize", "center", "filter", "clamp",
        "black_outside", "pbb"}},
      {"Expression",
       {"temp_name0", "temp_expr0", "temp_name1", "temp_expr1", "temp_name2", "temp_expr2", "temp_name3", "temp_expr3",
        "channel0", "channel1", "channel2", "channel3", "expr0", "expr1", "expr2", "expr3", "mix", "unpremult"}},
      {"MergeExpression",
       {"temp_name0", "temp_expr0",  "temp_name1", "temp_expr1", "temp_name2",      "temp_expr2",
        "temp_name3", "temp_expr3",  "channel0",   "channel1",   "channel2",        "channel3",
        "expr0",      "expr1",       "expr2",      "expr3",      "maskChannelMask", "maskChannelInput",
        "inject",     "invert_mask", "fringe",     "mix"}},
      {"Premult", {"channels", "alpha", "invert"}},
      {"CatFileCreator", {"torchScriptFile", "catFile", "channelsIn", "channelsOut", "modelId", "outputScale"}},
  };
  const auto found = knobs->find(type);
  return found == knobs->end() ? nullptr : &found->second;
}

// Whether public gizmos have the class.
bool IsOtherClass(const std::string& type) {
  static const auto* const types = new std::set<std::string>{
      "BackdropNode", "C_STMap2_1", "CopyBBox",     "Dissolve", "Dot",   "Erode",    "Grade", "Invert",
      "Merge2",       "Ramp",       "PostageStamp", "Remove",   "STMap", "Shuffle2", "Viewer"};
  return types->count(type) == 1;
}

// Whether a class is only looked at, and no image.
bool IsNote(const std::string& type) { return type == "StickyNote" || type == "BackdropNode"; }

bool IsKnobOfEveryNode(const std::string& knob) {
  static const auto* const knobs =
      new std::set<std::string>{"inputs",      "name",           "label",           "selected",
                                "xpos",        "ypos",           "tile_color",      "gl_color",
                                "note_font",   "note_font_size", "note_font_color", "hide_input",
                                "cached",      "disable",        "postage_stamp",   "icon",
                                "autolabel",   "help",           "knobChanged",     "onCreate",
                                "onDestroy",   "updateUI",       "lifetimeStart",   "lifetimeEnd",
                                "useLifetime", "bookmark"};
  return knobs->count(knob) == 1;
}

// Whether every script has the channel.
bool IsBuiltIn(absl::string_view channel) {
  static const auto* const channels =
      new std::set<absl::string_view>{"rgba.red",     "rgba.green", "rgba.blue",        "rgba.alpha",   "depth.Z",
                                      "forward.u",    "forward.v",  "backward.u",       "backward.v",   "disparityL.x",
                                      "disparityL.y", "mask.a",     "rotopaint_mask.a", "disparityR.x", "disparityR.y"};
  return channels->count(channel) == 1;
}

class Reader {
 public:
  explicit Reader(absl::string_view text) {
    bool is_wrong = false;
    for (const std::vector<NukeWord>& command : Commands(text, is_wrong)) Read(command);
    if (is_wrong) Fault("the script has braces or quotes that do not end a word");
    CheckLinks();
    script_.stack = std::move(stack_);
  }

  NukeScript script() && { return std::move(script_); }

 private:
  void Fault(const std::string& fault) { script_.faults.push_back(fault); }

  void Read(const std::vector<NukeWord>& command) {
    const std::string& type = command[0].text;
    if (type == "end_group") return;
    if (command.size() < 2) return Fault(absl::StrCat(type, ": stands alone"));
    const std::string& word = command[1].text;
    if (type == "set") {
      if (stack_.empty()) return Fault(absl::StrCat("set ", word, ": there is no image"));
      saved_["$" + word] = stack_.back();
    } else if (type == "push") {
      if (word != "0" && saved_.count(word) == 0) Fault(absl::StrCat("push ", word, ": is not set"));
      stack_.push_back(word == "0" ? "" : saved_[word]);
    } else if (type == "add_layer") {
      for (const NukeWord& part : NukeWords(word)) layers_.insert(part.text);
    } else if (type == "clone") {
      const auto saved = saved_.find(word);
      const auto original = saved == saved_.end() ? script_.nodes.end() : script_.nodes.find(saved->second);
      if (original == script_.nodes.end() || command.size() < 3)
        return Fault(absl::StrCat("clone ", word, ": of no node"));
      NukeNode clone = ReadNode(original->second.type, command[2].text);
      clone.values.insert(original->second.values.begin(), original->second.values.end());
      // It has all knobs of the original, and so its name.
      absl::StrAppend(&clone.values["name"].text, " clone ", ++clones_);
      AddNode(std::move(clone));
    } else if (type == "Gizmo" || type == "Group") {
      script_.gizmo = ReadNode(type, word);
    } else {
      AddNode(ReadNode(type, word));
    }
  }

  NukeNode ReadNode(const std::string& type, const std::string& body) {
    NukeNode node;
    node.type = type;
    bool is_wrong = false;
    for (const std::vector<NukeWord>& command : Commands(body, is_wrong)) {
      const std::string& knob = command[0].text;
      if (command.size() < 2) {
        Fault(absl::StrCat(type, ": ", knob, " has no value"));
      } else if (knob == "addUserKnob") {
        AddUserKnob(command[1].text, node);
      } else {
        if (command.size() > 2) Fault(absl::StrCat(type, ": ", knob, " has more than one value"));
        node.values[knob] = command[1];
      }
    }
    if (is_wrong) Fault(absl::StrCat(type, ": has braces or quotes that do not end a word"));
    CheckKnobs(node);
    return node;
  }

  void AddUserKnob(const std::string& line, NukeNode& node) {
    bool is_wrong = false;
    const auto lines = Commands(line, is_wrong);
    const std::vector<NukeWord> words = lines.empty() ? std::vector<NukeWord>() : lines[0];
    if (is_wrong) Fault(absl::StrCat("addUserKnob: has braces or quotes that do not end a word: ", line));
    NukeUserKnob knob;
    if (words.size() < 2 || !absl::SimpleAtoi(words[0].text, &knob.type))
      return Fault("addUserKnob: has no type or name");
    for (size_t i = 2; i < words.size(); ++i) {
      const std::string& option = words[i].text;
      const bool is_flag = !words[i].is_braced && (option[0] == '+' || option[0] == '-');
      if (is_flag) continue;
      if (option.size() != 1 || std::string("ltTMRn").find(option) == std::string::npos) {
        return Fault(absl::StrCat(words[1].text, ": ", option, " is no option of a knob"));
      }
      const size_t values = option == "R" ? 2 : 1;
      if (i + values >= words.size()) return Fault(absl::StrCat(words[1].text, ": ", option, " has no value"));
      if (option == "l") knob.label = words[i + 1].text;
      if (option == "t") knob.help = words[i + 1].text;
      if (option == "T") knob.text = words[i + 1].text;
      if (option == "M") {
        for (const NukeWord& choice : NukeWords(words[i + 1].text)) knob.choices.push_back(choice.text);
      }
      i += values;
    }
    // A divider needs no name.
    const bool is_new = node.user_knobs.emplace(words[1].text, knob).second;
    if (!is_new && !words[1].text.empty()) Fault(absl::StrCat("addUserKnob: two ", words[1].text));
  }

  // Makes sure that each value is one of a knob that the node has.
  void CheckKnobs(const NukeNode& node) {
    const std::set<std::string>* const known = KnobsOf(node.type);
    for (const auto& [name, value] : node.values) {
      const auto user = node.user_knobs.find(name);
      if (user != node.user_knobs.end()) {
        if (!IsValueOf(user->second, value)) Fault(absl::StrCat(name, ": ", value.text, " is none of its values"));
      } else if (known != nullptr && known->count(name) == 0 && !IsKnobOfEveryNode(name)) {
        Fault(absl::StrCat(node.type, ": has no knob ", name));
      } else if (known != nullptr && !IsChoice(name, value)) {
        Fault(absl::StrCat(node.type, ": ", value.text, " is no ", name));
      }
    }
    for (const auto& [name, value] : node.values) {
      const bool is_channel = node.type == "Copy" && (absl::StartsWith(name, "from") || absl::StartsWith(name, "to"));
      const bool is_off = absl::StartsWith(value.text, "-");  // A row that is switched off.
      if (is_channel && !is_off && !IsBuiltIn(value.text) && layers_.count(value.text) == 0) {
        Fault(absl::StrCat("Copy: no layer has the channel ", value.text));
      }
    }
  }

  // Makes sure that what links and expressions of nodes call NODE.KNOB or parent.KNOB is there.
  void CheckLinks() {
    for (const auto& [name, knob] : script_.gizmo.user_knobs) {
      if (knob.type == 41) CheckLink(name, knob.text);
    }
    // parent.input1 is the gizmo's input.
    static const auto* const link = new std::regex(R"(\b(parent\.(?!input\d*\b)\w+|[A-Z]\w*\.[a-z]\w*))");
    for (const auto& [name, node] : script_.nodes) {
      for (const auto& [knob, value] : node.values) {
        if (knob == "onCreate") continue;
        // Text without braces is an expression or a label, in which a name before a dot may be no node.
        const bool is_braced = absl::StrContains(value.text, "{");
        for (std::sregex_iterator found(value.text.begin(), value.text.end(), *link), end; found != end; ++found) {
          const std::string to = found->str();
          if (is_braced || absl::StartsWith(to, "parent.")) CheckLink(absl::StrCat(name, ".", knob), to);
        }
      }
    }
  }

  void CheckLink(const std::string& from, const std::string& to) {
    const std::vector<std::string> parts = absl::StrSplit(to, '.');
    if (parts.size() == 2 && HasKnob(parts[0], parts[1])) return;
    Fault(absl::StrCat(from, ": there is no knob ", to));
  }

  // Whether the node of this name, or the gizmo for "parent", has the knob.
  bool HasKnob(const std::string& name, const std::string& knob) const {
    if (name == "parent") return script_.gizmo.user_knobs.count(knob) == 1 || IsKnobOfEveryNode(knob);
    const auto node = script_.nodes.find(name);
    if (node == script_.nodes.end()) return false;
    // What each node has beside its knobs.
    static const auto* const own = new std::set<std::string>{"bbox", "width", "height"};
    if (own->count(knob) == 1 || IsKnobOfEveryNode(knob) || IsOtherClass(node->second.type)) return true;
    const std::set<std::string>* const known = KnobsOf(node->second.type);
    return known != nullptr && known->count(knob) == 1;
  }

  // Whether the value is one of those that a knob of this name can have; an expression may be any.
  static bool IsChoice(const std::string& knob, const NukeWord& value) {
    static const auto* const choices = new std::map<std::string, std::set<std::string>>{
        {"bbox", {"union", "B", "A", "intersection"}},
        {"filter",
         {"impulse", "cubic", "keys", "simon", "rifman", "mitchell", "parzen", "notch", "lanczos4", "lanczos6",
          "sinc4"}},
        {"type", {"to format", "to box", "scale"}},
        {"crop", {"true", "false"}},
        {"pbb", {"true", "false"}},
    };
    const auto found = choices->find(knob);
    return found == choices->end() || value.text[0] == '{' ||
           found->second.count(absl::AsciiStrToLower(value.text)) == 1 || found->second.count(value.text) == 1;
  }

  static bool IsValueOf(const NukeUserKnob& knob, const NukeWord& value) {
    const std::vector<NukeWord> words = NukeWords(value.text);
    // {{EXPRESSION}}, or one for each part: {EXPRESSION EXPRESSION}.
    const auto is_number = [](const NukeWord& word) {
      double number = 0;
      return word.is_braced || absl::SimpleAtod(word.text, &number);
    };
    int64_t integer = 0;
    switch (knob.type) {
      case 3:
        return words.size() == 1 && (words[0].is_braced || absl::SimpleAtoi(words[0].text, &integer));
      case 4:
        return std::find(knob.choices.begin(), knob.choices.end(), value.text) != knob.choices.end();
      case 6:
        return value.text == "true" || value.text == "false" || (words.size() == 1 && words[0].is_braced);
      case 7:
        return words.size() == 1 && is_number(words[0]);
      case 12:
        return words.size() == 2 && std::all_of(words.begin(), words.end(), is_number);
      case 15:
        return words.size() == 4 && std::all_of(words.begin(), words.end(), is_number);
      default:
        return true;
    }
  }

  void AddNode(NukeNode node) {
    if (KnobsOf(node.type) == nullptr && !IsOtherClass(node.type)) {
      Fault(absl::StrCat(node.type, ": is an unknown class"));
    }
    const auto inputs = node.values.find("inputs");
    int left = IsNote(node.type) ? 0 : 1;
    if (inputs != node.values.end() && !absl::SimpleAtoi(inputs->second.text, &left)) {
      Fault(absl::StrCat(node.type, ": ", inputs->second.text, " is no number of inputs"));
    }
    static const auto* const wanted =
        new std::map<std::string, int>{{"Input", 0}, {"Copy", 2}, {"MergeExpression", 2}, {"Keymix", 3}};
    const auto want = wanted->find(node.type);
    if (want != wanted->end() && want->second != left) {
      Fault(absl::StrCat(node.type, ": wants inputs ", want->second, ", has ", left));
    }
    if (node.type == "Switch" && left < 2) Fault(absl::StrCat("Switch: wants two inputs or more, has ", left));
    for (; left > 0; --left) {
      if (stack_.empty()) {
        Fault(absl::StrCat(node.type, ": there is no image for it"));
        break;
      }
      node.inputs.push_back(stack_.back());
      stack_.pop_back();
    }
    const std::string name = node.values["name"].text;
    if (name.empty()) Fault(absl::StrCat(node.type, ": has no name"));
    if (!IsNote(node.type)) stack_.push_back(name);
    script_.order.push_back(name);
    if (!script_.nodes.emplace(name, std::move(node)).second) Fault(absl::StrCat(name, ": is there twice"));
  }

  NukeScript script_;
  int clones_ = 0;
  std::vector<std::string> stack_;
  std::map<std::string, std::string> saved_;
  std::set<std::string> layers_;
};

}  // namespace

std::vector<NukeWord> NukeWords(absl::string_view text) {
  bool is_wrong = false;
  const auto commands = Commands(text, is_wrong);
  return commands.empty() ? std::vector<NukeWord>() : commands[0];
}

NukeScript ReadNukeScript(absl::string_view text) { return Reader(text).script(); }

}  // namespace modelport
