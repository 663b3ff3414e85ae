#include "common/torchscript/parity/stage.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/dotted_path.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr absl::string_view kOf = "of ";
constexpr absl::string_view kInput = "input ";
constexpr absl::string_view kElement = " -> ";

// Removes the last " [3]" of `text` and returns 3; 0 if there is none.
int TakeCall(absl::string_view& text) {
  const size_t bracket = text.rfind(" [");
  int call = 0;
  if (bracket == text.npos || text.back() != ']') return 0;
  if (!absl::SimpleAtoi(text.substr(bracket + 2, text.size() - bracket - 3), &call) || call < 0) return 0;
  text = text.substr(0, bracket);
  return call;
}

// Removes "input of " or "input 1 of " from the beginning.
void TakeInput(absl::string_view& text, Stage& stage) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, kInput)) return;
  if (!absl::ConsumePrefix(&rest, kOf)) {
    const size_t space = rest.find(' ');
    if (space == rest.npos || !absl::SimpleAtoi(rest.substr(0, space), &stage.argument) || stage.argument < 0) return;
    rest.remove_prefix(space + 1);
    if (!absl::ConsumePrefix(&rest, kOf)) return;
  }
  stage.side = Stage::Side::kInput;
  text = rest;
}

absl::Status NoStage(absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a stage is a submodule's path, such as blocks.2, or a method, such as norm.forward(), not ", Brief(name)));
}

// Whether `path`, what is left of a name, has more of the signs that were taken from it: "a [0] [1]", "a() [x]".
bool HasSigns(absl::string_view path) {
  return absl::StartsWith(path, kInput) || absl::StrContains(path, " [") || absl::StrContains(path, "()");
}

}  // namespace

bool SameCall(const Stage& a, const Stage& b) { return a.path == b.path && a.method == b.method && a.call == b.call; }

absl::StatusOr<Stage> ParseStage(absl::string_view name) {
  Stage stage;
  absl::string_view text = name;
  if (const size_t arrow = text.find(kElement); arrow != text.npos) {
    stage.element = std::string(text.substr(arrow + kElement.size()));
    text = text.substr(0, arrow);
  }
  stage.call = TakeCall(text);
  TakeInput(text, stage);
  if (absl::ConsumeSuffix(&text, "()")) {
    const size_t dot = text.rfind('.');
    stage.method = std::string(text.substr(dot == text.npos ? 0 : dot + 1));
    text = text.substr(0, dot == text.npos ? 0 : dot);
    if (stage.method.empty()) return NoStage(name);
  } else if (text.empty()) {
    return NoStage(name);
  }
  if (HasSigns(text) || HasSigns(stage.method)) return NoStage(name);
  stage.path = std::string(text);
  return stage;
}

std::string StageName(const Stage& stage) {
  std::string name;
  if (stage.side == Stage::Side::kInput) {
    name = stage.argument == 0 ? "input of " : absl::StrCat(kInput, stage.argument, " ", kOf);
  }
  const bool is_plain = stage.method == "forward" && !stage.path.empty();
  absl::StrAppend(&name, is_plain ? stage.path : JoinPath(stage.path, stage.method) + "()");
  if (stage.call > 0) absl::StrAppend(&name, " [", stage.call, "]");
  if (!stage.element.empty()) absl::StrAppend(&name, kElement, stage.element);
  return name;
}

}  // namespace modelport
