#include "registry/plugin.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/module_tree/module_library.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The arguments of the root of `variant`; none if it has no such type, which is reported where its tree is built.
absl::StatusOr<Scope> RootScope(const Plugin& plugin, const Variant& variant) {
  const ModuleType* const root = plugin.library->Find(variant.module.type);
  return root == nullptr ? Scope() : BindArguments(root->signature, variant.module, Scope());
}

// `example` with values in the place of the names in `scope`.
absl::StatusOr<Call> BindExample(const Call& example, const Scope& scope) {
  Call bound = example;
  for (Expression& argument : bound.positional) {
    ASSIGN_OR_RETURN(argument, argument.Bind(scope));
    if (argument.names().empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown name \"", argument.names().front(), "\": arguments of an example are values"));
  }
  const auto text = [](std::string* out, const Expression& argument) { absl::StrAppend(out, argument.text()); };
  bound.text = absl::StrCat(bound.type, "(", absl::StrJoin(bound.positional, ", ", text), ")");
  return bound;
}

}  // namespace

std::string PublishedAddress(const PublishedFile& file) {
  if (!file.url.empty() || file.hub.empty()) return file.url;
  // The folder in front of a name is Modelport's.
  return absl::StrCat("https://huggingface.co/", file.hub, "/resolve/main/",
                      file.name.substr(file.name.rfind('/') + 1));
}

absl::Status CheckMeanAndStd(const Preprocessing& preprocessing) {
  const auto fits = [&](const std::vector<double>& numbers) {
    return static_cast<int64_t>(numbers.size()) == preprocessing.channels;
  };
  const std::vector<double>&mean = preprocessing.mean, &std = preprocessing.std;
  if ((mean.empty() && std.empty()) || (fits(mean) && fits(std))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("fields \"mean\" and \"std\" want a number for each of ",
                                                 preprocessing.channels, " channels, or both are left out; they have ",
                                                 mean.size(), " and ", std.size()));
}

absl::StatusOr<Preprocessing> PreprocessingOf(const Plugin& plugin, const Variant& variant) {
  Preprocessing preprocessing = plugin.preprocessing;
  if (!variant.mean.empty() || !variant.std.empty()) {
    preprocessing.mean = variant.mean;
    preprocessing.std = variant.std;
    RETURN_IF_ERROR(CheckMeanAndStd(preprocessing));
  }
  if (!preprocessing.multiple_of_rule) return preprocessing;
  ASSIGN_OR_RETURN(const Scope scope, RootScope(plugin, variant));
  ASSIGN_OR_RETURN(preprocessing.multiple_of, preprocessing.multiple_of_rule->EvaluateInt(scope));
  if (preprocessing.multiple_of > 0) return preprocessing;
  return absl::InvalidArgumentError(absl::StrCat("field \"multiple_of\" wants a positive integer, ",
                                                 preprocessing.multiple_of_rule->text(), " is ",
                                                 preprocessing.multiple_of));
}

absl::StatusOr<std::vector<Call>> ExamplesOf(const Plugin& plugin, const Variant& variant) {
  ASSIGN_OR_RETURN(const Scope scope, RootScope(plugin, variant));
  std::vector<Call> examples;
  for (const Call& example : plugin.examples) {
    absl::StatusOr<Call> bound = BindExample(example, scope);
    if (!bound.ok()) return Annotate(bound.status(), example.place);
    examples.push_back(*std::move(bound));
  }
  return examples;
}

}  // namespace modelport
