#include "common/keymap/config_rule.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/model_config.h"
#include "common/expression/read_expression.h"
#include "common/module_tree/module_library.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

// Those of the base class of configurations of transformers 4 and 5, which older releases write in full, also into
// objects of the file. In alphabetical order.
constexpr absl::string_view kGeneralFields[] = {
    "_attn_implementation_autoset",
    "_commit_hash",
    "_name_or_path",
    "add_cross_attention",
    "architectures",
    "attn_implementation",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token_id",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dtype",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "eos_token_id",
    "exponential_decay_length_penalty",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "id2label",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "length_penalty",
    "max_length",
    "min_length",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_scores",
    "pad_token_id",
    "prefix",
    "problem_type",
    "pruned_heads",
    "remove_invalid_values",
    "repetition_penalty",
    "return_dict",
    "return_dict_in_generate",
    "sep_token_id",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "typical_p",
    "use_bfloat16",
    "use_cache",
};

std::string ListText(const std::vector<std::string>& items) {
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

// A text, or a list of texts.
std::string ReadConfigValue(const YamlValue& value, const std::string& subject, YamlProblems* problems) {
  if (value.kind != YamlValue::Kind::kList) return ConfigText(ReadText(value, subject, problems));
  std::vector<std::string> items = ReadTexts(value, subject, problems);
  for (std::string& item : items) item = ConfigText(item);
  return ListText(items);
}

// The field `as`: a text for all values, or a name for each.
void ReadForm(const YamlValue& value, ConfigRule* rule, YamlProblems* problems) {
  if (value.kind == YamlValue::Kind::kMap) {
    for (const YamlValue::Field& name : value.fields) {
      rule->names.emplace(name.name, ReadText(name.value, "a name in field \"as\"", problems));
    }
    return;
  }
  rule->form = ReadText(value, "field \"as\"", problems);
  if (rule->form.empty() || absl::StrContains(rule->form, "{}")) return;
  problems->Add(value.mark, absl::StrCat("field \"as\" wants {} in the place of the value, has \"", rule->form, "\""));
}

ConfigRule ReadRule(const YamlValue::Field& field, YamlProblems* problems) {
  const std::string subject = absl::StrCat("field \"", field.name, "\" of field \"config\"");
  ConfigRule rule{.field = field.name, .value = "", .mark = field.mark};
  if (field.value.kind != YamlValue::Kind::kMap) {
    rule.value = ReadConfigValue(field.value, subject, problems);
    return rule;
  }
  YamlMapReader reader(field.value, subject, problems);
  if (const YamlValue* const is = reader.Require("is")) rule.is = ReadExpression(*is, "field \"is\"", problems);
  rule.of = reader.TakeText("of");
  rule.when = TakeExpression("when", &reader, problems);
  if (const YamlValue* const as = reader.Take("as")) ReadForm(*as, &rule, problems);
  if (const YamlValue* const absent = reader.Take("absent")) {
    rule.absent = ReadConfigValue(*absent, "field \"absent\"", problems);
  }
  rule.otherwise = reader.TakeText("otherwise");
  reader.Finish();
  return rule;
}

absl::StatusOr<std::string> Written(const ConfigRule& rule, const Value& value) {
  const auto* const as_text = std::get_if<std::string>(&value);
  std::string text = ConfigText(as_text != nullptr ? *as_text : ValueString(value));
  if (!rule.names.empty()) {
    const auto name = rule.names.find(text);
    if (name == rule.names.end()) return absl::InvalidArgumentError(absl::StrCat("`as` has no name for ", text));
    text = name->second;
  }
  return rule.form.empty() ? text : absl::StrReplaceAll(rule.form, {{"{}", text}});
}

absl::StatusOr<std::string> WrittenList(const ConfigRule& rule, const std::vector<Value>& values) {
  std::vector<std::string> items;
  for (const Value& value : values) {
    ASSIGN_OR_RETURN(std::string item, Written(rule, value));
    items.push_back(std::move(item));
  }
  return ListText(items);
}

absl::StatusOr<std::string> WrittenValue(const ConfigRule& rule, const Value& value) {
  if (const auto* const integers = std::get_if<std::vector<int64_t>>(&value)) {
    return WrittenList(rule, {integers->begin(), integers->end()});
  }
  if (const auto* const floats = std::get_if<std::vector<double>>(&value)) {
    return WrittenList(rule, {floats->begin(), floats->end()});
  }
  return Written(rule, value);
}

// Whether every name in `expression` is an argument or a module type.
bool HasNames(const absl::optional<Expression>& expression, const Scope& arguments, const ModuleLibrary& library) {
  if (!expression) return true;
  const std::vector<std::string> names = expression->names();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return arguments.count(name) > 0 || library.Find(name) != nullptr;
  });
}

absl::StatusOr<absl::optional<std::string>> Evaluate(const ConfigRule& rule, const Scope& arguments) {
  if (rule.when) {
    ASSIGN_OR_RETURN(const bool holds, rule.when->EvaluateCondition(arguments));
    if (!holds) return absl::nullopt;
  }
  ASSIGN_OR_RETURN(const Value value, rule.is->Evaluate(arguments));
  ASSIGN_OR_RETURN(std::string text, WrittenValue(rule, value));
  return absl::make_optional(std::move(text));
}

}  // namespace

std::vector<ConfigRule> TakeConfigRules(YamlMapReader* reader, YamlProblems* problems) {
  std::vector<ConfigRule> rules;
  for (const YamlValue::Field& field : reader->TakeFields("config")) rules.push_back(ReadRule(field, problems));
  return rules;
}

const ConfigRule* FindConfigRule(const std::vector<ConfigRule>& rules, absl::string_view field) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const ConfigRule& r) { return r.field == field; });
  return rule == rules.end() ? nullptr : &*rule;
}

absl::StatusOr<absl::optional<std::string>> WantedConfig(const ConfigRule& rule, const ModuleTree& tree,
                                                         absl::string_view at) {
  if (!rule.is) return absl::make_optional(rule.value);
  const ModuleNode* const module = FindModule(tree, rule.of.empty() ? std::string(at) : JoinPath(at, rule.of));
  if (module == nullptr || module->is_list()) return absl::nullopt;
  const Scope& arguments = module->arguments;
  if (!HasNames(rule.is, arguments, *tree.library) || !HasNames(rule.when, arguments, *tree.library)) {
    return absl::nullopt;
  }
  absl::StatusOr<absl::optional<std::string>> wanted = Evaluate(rule, arguments);
  if (wanted.ok()) return wanted;
  return Annotate(wanted.status(), absl::StrCat("field \"", rule.field, "\" of field \"config\""));
}

bool IsGeneralConfigField(absl::string_view field) {
  const std::vector<absl::string_view> parts = absl::StrSplit(field, '.');
  return std::any_of(parts.begin(), parts.end(), [](absl::string_view part) {
    return std::binary_search(std::begin(kGeneralFields), std::end(kGeneralFields), part);
  });
}

}  // namespace modelport
