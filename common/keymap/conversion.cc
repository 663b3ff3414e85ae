#include "common/keymap/conversion.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/expression/expression.h"
#include "common/keymap/key_pattern.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

constexpr size_t kMaxPatterns = 100;

// "concatenate(0)".
absl::StatusOr<Operation> ParseOperation(absl::string_view text) {
  ASSIGN_OR_RETURN(const Call call, ParseCall(text));
  if (!call.named.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": an operation has no named arguments"));
  }
  std::vector<int64_t> arguments;
  for (const Expression& expression : call.positional) {
    if (const absl::optional<DType> dtype = ParseDType(expression.text())) {
      arguments.push_back(DTypeArgument(*dtype));
    } else {
      ASSIGN_OR_RETURN(arguments.emplace_back(), expression.EvaluateInt({}));
    }
  }
  return MakeOperation(call.type, std::move(arguments));
}

// The inverses of `operations` in reverse order; nullopt if one has none.
absl::optional<std::vector<Operation>> Invert(const std::vector<Operation>& operations, size_t inputs) {
  std::vector<Operation> inverse;
  for (size_t i = 0; i < operations.size(); ++i) {
    const size_t before = *CountResults(absl::MakeSpan(operations).first(i), inputs);
    absl::optional<Operation> back = operations[i].Inverse(before);
    if (!back) return absl::nullopt;
    inverse.insert(inverse.begin(), *std::move(back));
  }
  return inverse;
}

std::vector<std::string> SortedNames(const KeyPattern& pattern) {
  std::vector<std::string> names = pattern.names();
  std::sort(names.begin(), names.end());
  return names;
}

// Why the patterns do not belong together, or "". A key must follow from a slot, and from any slot of the rule.
std::string PatternProblem(const Conversion& conversion) {
  const KeyPattern& first = conversion.slots.front();
  for (const KeyPattern& slot : conversion.slots) {
    if (SortedNames(slot) != SortedNames(first)) {
      return absl::StrCat("\"", slot.text(), "\" has other placeholders than \"", first.text(), "\"");
    }
  }
  for (const KeyPattern& key : conversion.keys) {
    std::string problem = UnboundPlaceholder(first, key);
    if (!problem.empty()) return problem;
  }
  return "";
}

// Why the operations do not lead from the keys to the slots, or "".
std::string CountProblem(const Conversion& conversion) {
  const size_t keys = conversion.keys.size(), slots = conversion.slots.size();
  const absl::optional<size_t> results = CountResults(conversion.operations, keys);
  if (results == slots) return "";
  return absl::StrCat("the rule has ", keys, keys == 1 ? " key and " : " keys and ", slots,
                      slots == 1 ? " slot; " : " slots; ",
                      conversion.operations.empty() ? "without `by`, each slot takes one key"
                      : results                     ? absl::StrCat("`by` makes ", *results, " of the keys")
                                                    : "an operation of `by` does not take that many");
}

class ConversionParser {
 public:
  ConversionParser(const YamlValue& item, YamlProblems* problems)
      : item_(item), reader_(item, "an item of field \"sources\"", problems), problems_(problems) {}

  absl::optional<Conversion> Parse() {
    const size_t before = problems_->size();
    Conversion conversion;
    conversion.mark = item_.mark;
    conversion.slots = TakePatterns("slot");
    conversion.keys = TakePatterns("key");
    conversion.operations = TakeOperations();
    conversion.one_way = reader_.TakeText("one_way");
    if (const YamlValue* when = reader_.Take("when")) {
      conversion.when = ParsePattern(ReadText(*when, "field \"when\"", problems_), when->mark, problems_);
    }
    reader_.Finish();
    if (problems_->size() > before) return absl::nullopt;
    // The parser of YAML has reported a value that is not valid, before this rule.
    if (conversion.slots.empty() || conversion.keys.empty()) return absl::nullopt;
    for (const std::string& problem : {PatternProblem(conversion), CountProblem(conversion)}) {
      if (!problem.empty()) problems_->Add(item_.mark, problem);
    }
    if (problems_->size() > before) return absl::nullopt;
    SetInverse(&conversion);
    return problems_->size() > before ? absl::nullopt : absl::make_optional(std::move(conversion));
  }

 private:
  std::vector<KeyPattern> TakePatterns(absl::string_view field) {
    std::vector<KeyPattern> patterns;
    const YamlValue* const value = reader_.Require(field);
    if (value == nullptr) return patterns;
    const absl::StatusOr<std::vector<std::string>> texts =
        ExpandAlternatives(ReadText(*value, absl::StrCat("field \"", field, "\""), problems_));
    if (!texts.ok()) {
      problems_->Add(value->mark, texts.status().message());
      return patterns;
    }
    for (const std::string& text : *texts) {
      absl::optional<KeyPattern> pattern = ParsePattern(text, value->mark, problems_);
      if (pattern) patterns.push_back(*std::move(pattern));
    }
    return patterns;
  }

  std::vector<Operation> TakeOperations() {
    std::vector<Operation> operations;
    const YamlValue* const value = reader_.Take("by");
    if (value == nullptr) return operations;
    const std::vector<std::string> texts = value->kind == YamlValue::Kind::kText
                                               ? std::vector<std::string>{value->text}
                                               : ReadTexts(*value, "field \"by\"", problems_);
    for (const std::string& text : texts) {
      absl::StatusOr<Operation> operation = ParseOperation(text);
      if (operation.ok()) {
        operations.push_back(*std::move(operation));
      } else {
        problems_->Add(value->mark, operation.status().message());
      }
    }
    return operations;
  }

  void SetInverse(Conversion* conversion) {
    if (!conversion->one_way.empty()) return;
    absl::optional<std::vector<Operation>> inverse = Invert(conversion->operations, conversion->keys.size());
    if (!inverse) {
      return problems_->Add(item_.mark, "an operation of `by` has no inverse; state why none is needed as `one_way`");
    }
    conversion->inverse = *std::move(inverse);
    for (const KeyPattern& key : conversion->keys) {
      if (SortedNames(key) == SortedNames(conversion->slots.front())) continue;
      return problems_->Add(item_.mark, absl::StrCat("slots that differ take the same key \"", key.text(),
                                                     "\"; state why no inverse is needed as `one_way`"));
    }
  }

  const YamlValue& item_;
  YamlMapReader reader_;
  YamlProblems* problems_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandAlternatives(absl::string_view text) {
  std::vector<std::string> expanded = {""};
  while (!text.empty()) {
    const size_t open = std::min(text.find('{'), text.size());
    for (std::string& pattern : expanded) absl::StrAppend(&pattern, text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const size_t close = text.find('}');
    if (close == text.npos) return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" has no closing brace"));
    const absl::string_view group = text.substr(1, close - 1);
    std::vector<std::string> alternatives = absl::StrSplit(group, ',');
    // A placeholder.
    if (alternatives.size() == 1) alternatives = {std::string(text.substr(0, close + 1))};
    text.remove_prefix(close + 1);
    std::vector<std::string> products;
    for (const std::string& pattern : expanded) {
      for (const std::string& alternative : alternatives) {
        if (alternative.empty()) {
          return absl::InvalidArgumentError(absl::StrCat("\"{", group, "}\" has an empty alternative"));
        }
        products.push_back(absl::StrCat(pattern, alternative));
      }
      if (products.size() > kMaxPatterns) {
        return absl::InvalidArgumentError(absl::StrCat("stands for more than ", kMaxPatterns, " patterns"));
      }
    }
    expanded = std::move(products);
  }
  return expanded;
}

void ParseConversion(const YamlValue& item, std::vector<Conversion>* conversions, YamlProblems* problems) {
  absl::optional<Conversion> conversion = ConversionParser(item, problems).Parse();
  if (conversion) conversions->push_back(*std::move(conversion));
}

}  // namespace modelport
