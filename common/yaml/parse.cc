#include "common/yaml/parse.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/text/printable.h"
#include "yaml-cpp/emitterstyle.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/mark.h"
#include "yaml-cpp/parser.h"

namespace modelport {
namespace {

// Far more levels than a person writes, and far fewer than would exhaust the stack of a recursive function.
constexpr size_t kMaxDepth = 50;

// The position of the first control character that is not `allowed`, or the size of `text`. yaml-cpp treats some
// control characters as the end of the file, and terminals execute others.
size_t FindControl(absl::string_view text, absl::string_view allowed) {
  const auto is_control = [&](unsigned char c) { return (c < 0x20 && !absl::StrContains(allowed, c)) || c == 0x7f; };
  return std::find_if(text.begin(), text.end(), is_control) - text.begin();
}

std::string ControlMessage(char control) {
  return absl::StrFormat("control character 0x%02x; take it out", static_cast<unsigned char>(control));
}

// Whether yaml-cpp can parse the text: its size, its encoding and its control characters.
bool CheckText(const YamlFile& file, YamlProblems* problems) {
  const YamlMark start = {file.path, 1, 1};
  if (file.text.size() > kMaxYamlSize) {
    problems->Add(start, absl::StrCat("the file has more than ", kMaxYamlSize, " bytes; split it"));
    return false;
  }
  // yaml-cpp would take it out, and give the places of what follows without it.
  if (absl::StartsWith(file.text, "\xEF\xBB\xBF")) {
    problems->Add(start, "the file begins with a byte order mark; save it as UTF-8 without one");
    return false;
  }
  if (!IsUtf8(file.text)) {
    problems->Add(start, "the file is not UTF-8; save it as UTF-8");
    return false;
  }
  const size_t control = FindControl(file.text, "\t\n\r");
  if (control == file.text.size()) return true;
  const absl::string_view before = absl::string_view(file.text).substr(0, control);
  const int line = std::count(before.begin(), before.end(), '\n') + 1;
  const int column = control - (before.rfind('\n') + 1) + 1;
  problems->Add({file.path, line, column}, ControlMessage(file.text[control]));
  return false;
}

// The number of "(" without a ")" in text without quotes.
int OpenBrackets(const YamlValue& value) {
  if (!value.plain) return 0;
  return std::count(value.text.begin(), value.text.end(), '(') - std::count(value.text.begin(), value.text.end(), ')');
}

// The line `number`, counted from 0, without its line end.
absl::string_view LineOf(absl::string_view text, int number) {
  for (; number > 0 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// Whether a pattern such as {path*}.norm.{leaf} stands on the line without quotes, where YAML reads its braces as a
// map.
bool HasBarePattern(absl::string_view line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const absl::string_view pair = line.substr(i, 2);
    if (quote != '\0') {
      if (line[i] == quote) quote = '\0';
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (pair == ".{" || pair == "}." || pair == "*}") {
      return true;
    }
  }
  return false;
}

// What the author must change to mend `error` of yaml-cpp on `line`, if that is known; else `error`.
std::string Explain(const std::string& error, absl::string_view line) {
  const absl::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
  if (absl::StrContains(indentation, '\t')) return "a tab in the indentation; use spaces";
  if (HasBarePattern(line)) return "a pattern with braces stands in quotes, such as \"head.{rest*}\"";
  if (error == YAML::ErrorMsg::MAP_VALUE) {
    if (absl::StartsWith(line.substr(indentation.size()), "def ")) {
      return "TorchScript must be a block: write \"|\" after the name of its field";
    }
    return "no field begins here: start it in the column of the fields around it, or quote text that has \": \" in it";
  }
  if (error == YAML::ErrorMsg::END_OF_MAP) {
    return "this is not a field of the map above: fields start in the same column and have a \":\"";
  }
  if (error == YAML::ErrorMsg::END_OF_SEQ) {
    return "this is not an item of the list above: items start in the same column with \"- \"";
  }
  return error;
}

// Builds values from yaml-cpp's events. yaml-cpp's nodes would lose duplicate names, anchors and the kind of quotes.
class ValueBuilder : public YAML::EventHandler {
 public:
  ValueBuilder(const YamlFile& file, YamlProblems* problems) : file_(file), problems_(problems) {
    result_.mark = {file.path, 1, 1};
  }

  YamlValue TakeResult() { return std::move(result_); }

  // The first field in a map that has no value although fields follow: the lines of its value probably have the wrong
  // indentation, which causes the other problems. Null if there is none.
  const YamlValue::Field* first_bare_field() const { return first_bare_field_ ? &*first_bare_field_ : nullptr; }

  YamlMark Mark(const YAML::Mark& mark) const { return {file_.path, mark.line + 1, mark.column + 1}; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Complete(NewValue(YamlValue::Kind::kNothing, mark, "?", anchor));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problems_->Add(Mark(mark), "aliases are not allowed; write the value again");
    Complete(Invalid(Mark(mark)));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    YamlValue value = NewValue(YamlValue::Kind::kText, mark, tag, anchor);
    value.text = text;
    // CheckText does not see control characters that are written as escapes, such as "\x1b".
    if (const size_t control = FindControl(text, "\t\n"); control < text.size()) {
      problems_->Add(value.mark, ControlMessage(text[control]));
    }
    value.plain = tag == "?";
    // The mark of a block is at its "|". The text begins on the next line.
    if (absl::ClippedSubstr(file_.text, mark.pos, 1) == "|") value.block_line = value.mark.line + 1;
    Complete(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    Open(NewValue(YamlValue::Kind::kList, mark, tag, anchor), mark, style);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    Open(NewValue(YamlValue::Kind::kMap, mark, tag, anchor), mark, style);
  }
  void OnMapEnd() override { Close(); }

 private:
  // A list or map whose end has not been read yet.
  struct OpenValue {
    YamlValue value;
    bool is_flow = false;                              // Whether it is written in braces or brackets.
    int open_brackets = 0;                             // The number of "(" that are open in a call without quotes.
    absl::optional<YamlValue> name = {};               // The name of the field whose value comes next.
    absl::flat_hash_map<std::string, int> lines = {};  // The line of each field so far, by name.
  };

  YamlValue NewValue(YamlValue::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    YamlValue value;
    value.kind = kind;
    value.mark = Mark(mark);
    if (anchor != 0) problems_->Add(value.mark, "anchors are not allowed");
    if (tag.size() > 1) problems_->Add(value.mark, absl::StrCat("tags are not allowed: ", tag));
    return value;
  }

  void Open(YamlValue value, const YAML::Mark& mark, YAML::EmitterStyle::value style) {
    if (open_.size() == kMaxDepth) throw YAML::ParserException(mark, absl::StrCat("more than ", kMaxDepth, " levels"));
    open_.push_back({.value = std::move(value), .is_flow = style == YAML::EmitterStyle::Flow});
  }

  void Close() {
    YamlValue value = std::move(open_.back().value);
    open_.pop_back();
    Complete(std::move(value));
  }

  void Complete(YamlValue value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (IsPieceOfCall(&value)) {
      return;
    } else if (open_.back().value.kind == YamlValue::Kind::kList) {
      open_.back().value.items.push_back(std::move(value));
    } else if (!open_.back().name.has_value()) {
      open_.back().name = std::move(value);
    } else {
      AddField(&open_.back(), std::move(value));
    }
  }

  // YAML splits a call without quotes, such as f(1, 2) in a list in brackets, at its commas. Reports the first piece.
  // Returns true for the other pieces, which are left out.
  bool IsPieceOfCall(YamlValue* value) {
    OpenValue& parent = open_.back();
    const bool is_absent_value = parent.name.has_value() && parent.name->kind == YamlValue::Kind::kInvalid;
    if (parent.open_brackets > 0 || is_absent_value) {
      parent.open_brackets += OpenBrackets(*value);
      // In a map, each other piece arrives as a name, followed by an absent value.
      if (parent.value.kind == YamlValue::Kind::kMap) {
        parent.name = parent.name.has_value() ? absl::nullopt : absl::make_optional(Invalid(value->mark));
      }
      return true;
    }
    if (!parent.is_flow || OpenBrackets(*value) <= 0) return false;
    problems_->Add(value->mark, absl::StrCat("quote the call \"", value->text,
                                             ", ...\": in braces and brackets a comma ends text without quotes"));
    parent.open_brackets = OpenBrackets(*value);
    *value = Invalid(value->mark);
    return false;
  }

  static YamlValue Invalid(const YamlMark& mark) {
    YamlValue value;
    value.kind = YamlValue::Kind::kInvalid;
    value.mark = mark;
    return value;
  }

  void AddField(OpenValue* map, YamlValue value) {
    YamlValue name = *std::exchange(map->name, absl::nullopt);
    if (!map->is_flow && !first_bare_field_ && !map->value.fields.empty() &&
        map->value.fields.back().value.kind == YamlValue::Kind::kNothing) {
      first_bare_field_ = map->value.fields.back();
    }
    if (name.kind != YamlValue::Kind::kText) return problems_->Add(name.mark, "a field's name must be text");
    if (name.text == "<<") return problems_->Add(name.mark, "merge keys are not allowed");
    const auto [first, is_new] = map->lines.emplace(name.text, name.mark.line);
    if (!is_new) {
      return problems_->Add(name.mark,
                            absl::StrCat("duplicate field \"", name.text, "\"; the first is on line ", first->second));
    }
    // yaml-cpp gives an absent value the mark of the whole map.
    if (value.kind == YamlValue::Kind::kNothing) value.mark = name.mark;
    map->value.fields.push_back({std::move(name.text), std::move(name.mark), std::move(value)});
  }

  const YamlFile& file_;
  YamlProblems* problems_;
  std::vector<OpenValue> open_;
  absl::optional<YamlValue::Field> first_bare_field_;
  YamlValue result_;
};

}  // namespace

YamlValue ParseYaml(const YamlFile& file, YamlProblems* problems) {
  YamlValue invalid;
  invalid.kind = YamlValue::Kind::kInvalid;
  invalid.mark = {file.path, 1, 1};
  if (!CheckText(file, problems)) return invalid;
  std::istringstream stream(file.text);
  YamlProblems found(file.path);
  ValueBuilder builder(file, &found);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlValue result = builder.TakeResult();
    if (parser.HandleNextDocument(builder)) {
      found.Add(builder.TakeResult().mark, "a second document; a file holds one");
    }
    if (const YamlValue::Field* bare = builder.first_bare_field()) {
      problems->Add(bare->mark, absl::StrCat("\"", bare->name, "\" has no value: write it after the name, or below it ",
                                             "and indented deeper"));
      return invalid;
    }
    problems->Append(found);
    return result;
  } catch (const YAML::Exception& error) {
    problems->Append(found);
    problems->Add(builder.Mark(error.mark),
                  absl::StrCat("not valid YAML: ", Explain(error.msg, LineOf(file.text, error.mark.line))));
    return invalid;
  }
}

}  // namespace modelport
