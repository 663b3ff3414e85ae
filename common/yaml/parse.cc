#include "common/yaml/parse.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/mark.h"
#include "yaml-cpp/parser.h"

namespace modelport {
namespace {

// Builds values from yaml-cpp's events: its own nodes would lose duplicate names, anchors and the kind of quotes.
class ValueBuilder : public YAML::EventHandler {
 public:
  ValueBuilder(const YamlFile& file, YamlProblems* problems) : file_(file), problems_(problems) {
    result_.mark = {file.path, 1, 1};
  }

  YamlValue TakeResult() { return std::move(result_); }

  YamlMark Mark(const YAML::Mark& mark) const { return {file_.path, mark.line + 1, mark.column + 1}; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Complete(NewValue(YamlValue::Kind::kNothing, mark, "?", anchor));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problems_->Add(Mark(mark), "aliases are not allowed; write the value again");
    YamlValue value;
    value.mark = Mark(mark);
    Complete(std::move(value));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    YamlValue value = NewValue(YamlValue::Kind::kText, mark, tag, anchor);
    value.text = text;
    value.plain = tag == "?";
    // The text of a block begins on the line below its "|", which is where the mark is.
    if (absl::ClippedSubstr(file_.text, mark.pos, 1) == "|") value.block_line = value.mark.line + 1;
    Complete(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({NewValue(YamlValue::Kind::kList, mark, tag, anchor), absl::nullopt});
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({NewValue(YamlValue::Kind::kMap, mark, tag, anchor), absl::nullopt});
  }
  void OnMapEnd() override { Close(); }

 private:
  // A list or map whose end has not come yet.
  struct Open {
    YamlValue value;
    absl::optional<YamlValue> name;  // Of the field whose value comes next.
  };

  YamlValue NewValue(YamlValue::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    YamlValue value;
    value.kind = kind;
    value.mark = Mark(mark);
    if (anchor != 0) problems_->Add(value.mark, "anchors are not allowed");
    if (tag.size() > 1) problems_->Add(value.mark, absl::StrCat("tags are not allowed: ", tag));
    return value;
  }

  void Close() {
    YamlValue value = std::move(open_.back().value);
    open_.pop_back();
    Complete(std::move(value));
  }

  void Complete(YamlValue value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (open_.back().value.kind == YamlValue::Kind::kList) {
      open_.back().value.items.push_back(std::move(value));
    } else if (!open_.back().name.has_value()) {
      open_.back().name = std::move(value);
    } else {
      AddField(&open_.back(), std::move(value));
    }
  }

  void AddField(Open* map, YamlValue value) {
    YamlValue name = *std::exchange(map->name, absl::nullopt);
    if (name.kind != YamlValue::Kind::kText) return problems_->Add(name.mark, "a field's name must be text");
    if (name.text == "<<") return problems_->Add(name.mark, "merge keys are not allowed");
    std::vector<YamlValue::Field>& fields = map->value.fields;
    const auto first = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name.text; });
    if (first != fields.end()) {
      return problems_->Add(
          name.mark, absl::StrCat("duplicate field \"", name.text, "\"; the first is on line ", first->mark.line));
    }
    // yaml-cpp gives an absent value the place of the whole map.
    if (value.kind == YamlValue::Kind::kNothing) value.mark = name.mark;
    fields.push_back({std::move(name.text), std::move(name.mark), std::move(value)});
  }

  const YamlFile& file_;
  YamlProblems* problems_;
  std::vector<Open> open_;
  YamlValue result_;
};

}  // namespace

YamlValue ParseYaml(const YamlFile& file, YamlProblems* problems) {
  std::istringstream stream(file.text);
  ValueBuilder builder(file, problems);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlValue result = builder.TakeResult();
    if (parser.HandleNextDocument(builder)) {
      problems->Add(builder.TakeResult().mark, "a second document; a file holds one");
    }
    return result;
  } catch (const YAML::Exception& error) {
    problems->Add(builder.Mark(error.mark), absl::StrCat("no valid YAML: ", error.msg));
    return builder.TakeResult();
  }
}

}  // namespace modelport
