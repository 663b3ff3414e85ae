#include "artifact/request/artifact_request.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest_facts.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "registry/wrappers.h"

namespace modelport {
namespace {

absl::StatusOr<ChosenWrapper> ChooseWrapper(const ArtifactRequest& request) {
  return FindWrapper(*request.entry.plugin, *request.entry.variant, *request.target, request.with_preprocess,
                     request.wrapper);
}

// Adds the arguments of `settings`, "max_depth=35,taps=[1, 2]", to `arguments`; `signature` is that of the variant's
// root.
absl::Status AddArguments(absl::string_view settings, const Variant& variant, const Signature& signature,
                          std::map<std::string, std::string>& arguments) {
  ASSIGN_OR_RETURN(const Scope now, BindArguments(signature, variant.module, Scope()));
  const std::vector<std::string> names = signature.argument_names();
  ASSIGN_OR_RETURN(const Call given, ParseCall(absl::StrCat("set(", settings, ")")));
  if (given.named.empty() || !given.positional.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("wants NAME=VALUE; ", variant.name, " has ", variant.module.text));
  }
  std::set<std::string> seen;
  for (const auto& [name, expression] : given.named) {
    const auto value = now.find(name);
    if (value == now.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(variant.name, " has no argument \"", Brief(name), "\"", NearestHint(name, names)));
    }
    if (!seen.insert(name).second) return absl::InvalidArgumentError(absl::StrCat(name, " is given twice"));
    absl::StatusOr<Value> read = ReadArgument(expression.text(), value->second);
    if (!read.ok()) return Annotate(read.status(), name);
    arguments[name] = ValueString(*read);
  }
  return absl::OkStatus();
}

// The NAME and NUMBER of "NAME=NUMBER"; nullopt if it is none.
absl::optional<std::pair<std::string, double>> ReadNumber(absl::string_view item) {
  const absl::StatusOr<Call> given = ParseCall(absl::StrCat("number(", item, ")"));
  if (!given.ok() || given->named.size() != 1 || !given->positional.empty()) return absl::nullopt;
  const auto& [name, expression] = *given->named.begin();
  const absl::StatusOr<Value> value = expression.Evaluate({});
  const absl::optional<double> number = value.ok() ? NumberOf(*value) : absl::nullopt;
  if (!number) return absl::nullopt;
  return std::make_pair(name, *number);
}

// Sets in `numbers` those of `settings`, NAME=NUMBER with commas between, by their names.
//   InvalidArgument  one is none, `fits` refuses it, or it is there already; says that `flag` wants `wanted`
template <typename T>
absl::Status ReadNumbers(absl::string_view flag, absl::string_view settings, absl::string_view wanted,
                         absl::FunctionRef<bool(const std::string& name, double number)> fits,
                         std::map<std::string, T>& numbers) {
  for (const absl::string_view item : absl::StrSplit(settings, ',')) {
    const auto read = ReadNumber(item);
    const bool is_right = read && fits(read->first, read->second);
    if (is_right && numbers.emplace(read->first, static_cast<T>(read->second)).second) continue;
    return absl::InvalidArgumentError(absl::StrCat(flag, "=", Brief(settings), ": wants ", wanted, "; \"", Brief(item),
                                                   is_right ? "\" is there twice" : "\" is none"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetArguments(absl::string_view settings, ArtifactRequest& request) {
  auto variant = std::make_shared<Variant>(*request.entry.variant);
  const ModuleType* const type = request.entry.plugin->library->Find(variant->module.type);
  if (type == nullptr) return absl::InternalError(absl::StrCat("no module type ", variant->module.type));
  RETURN_IF_ERROR(Annotate(AddArguments(settings, *variant, type->signature, request.arguments),
                           absl::StrCat("--set=", Brief(settings))));
  std::string place = variant->module.place;
  ASSIGN_OR_RETURN(variant->module, ParseCall(TextOfCall(type->signature, variant->module, request.arguments)));
  variant->module.place = std::move(place);
  request.changed = std::move(variant);
  request.entry.variant = request.changed.get();
  return absl::OkStatus();
}

absl::Status SetStatedArguments(const Manifest& stated, ArtifactRequest& request) {
  const std::string settings = ArgumentsText(stated, ",");
  return settings.empty() ? absl::OkStatus() : Annotate(SetArguments(settings, request), "arguments");
}

absl::Status SetSizes(absl::string_view settings, ArtifactRequest& request) {
  const auto fits = [](const std::string& letter, double number) {
    return IsShapeSymbol(letter) && number >= 1 && number <= std::numeric_limits<int32_t>::max() &&
           number == std::floor(number);
  };
  return ReadNumbers("--sizes", settings, "sizes of the inputs by their letters, such as B=1,H=518,W=518", fits,
                     request.sizes);
}

absl::Status SetKnobs(absl::string_view settings, ArtifactRequest& request) {
  const auto fits = [](const std::string&, double) { return true; };
  return ReadNumbers("--knob", settings, "numbers by the names of knobs, such as convention=1,max_size=512", fits,
                     request.knobs);
}

absl::StatusOr<std::string> NameOfArtifact(const ArtifactRequest& request, absl::string_view model) {
  ASSIGN_OR_RETURN(const ChosenWrapper chosen, ChooseWrapper(request));
  if (!request.name.empty()) return request.name;
  return ArtifactName(model.empty() ? absl::string_view(request.entry.variant->name) : model,
                      request.method == "forward" ? chosen.name : request.method);
}

Manifest::Request StateRequest(const ArtifactRequest& request) {
  Manifest::Request stated;
  stated.set_model(request.entry.variant->name);
  for (const auto& [name, value] : request.arguments) {
    Manifest::Argument& argument = *stated.add_arguments();
    argument.set_name(name);
    argument.set_value(value);
  }
  stated.set_target(request.target->name);
  stated.set_wrapper(request.wrapper);
  stated.set_with_preprocess(request.with_preprocess);
  if (request.method != "forward") stated.set_method(request.method);
  for (const auto& [letter, number] : request.sizes) {
    Manifest::Size& size = *stated.add_sizes();
    size.set_letter(letter);
    size.set_size(number);
  }
  for (const auto& [name, value] : request.knobs) {
    Manifest::KnobValue& knob = *stated.add_knobs();
    knob.set_name(name);
    knob.set_value(value);
  }
  for (const std::string& output : request.outputs) stated.add_outputs(output);
  if (request.runtime != nullptr) stated.set_runtime(std::string(request.runtime->name));
  stated.set_dtype(std::string(DTypeName(request.dtype)));
  stated.set_opset(request.opset);
  stated.set_external_data(request.external_data);
  stated.set_name(request.name);
  stated.set_licence_text(request.licence_text);
  return stated;
}

absl::StatusOr<ArtifactRequest> StatedRequest(const Registry& registry, const Manifest& manifest) {
  const Manifest::Request& stated = manifest.request();
  ArtifactRequest request;
  ASSIGN_OR_RETURN(request.entry, registry.Find(stated.model()));
  RETURN_IF_ERROR(SetStatedArguments(manifest, request));
  ASSIGN_OR_RETURN(request.target, FindTarget(stated.target()));
  request.wrapper = stated.wrapper();
  request.with_preprocess = stated.with_preprocess();
  request.outputs = {stated.outputs().begin(), stated.outputs().end()};
  const absl::optional<DType> dtype = ParseDType(stated.dtype());
  if (!dtype || !IsArtifactDType(*dtype))
    return absl::DataLossError(absl::StrCat("unknown dtype ", Brief(stated.dtype())));
  request.dtype = *dtype;
  if (!stated.runtime().empty()) {
    ASSIGN_OR_RETURN(request.runtime, FindRuntime(stated.runtime()));
  }
  if (!stated.method().empty()) request.method = stated.method();
  for (const Manifest::Size& size : stated.sizes()) request.sizes[size.letter()] = size.size();
  request.opset = static_cast<int>(stated.opset());
  request.external_data = stated.external_data();
  for (const Manifest::KnobValue& knob : stated.knobs()) request.knobs[knob.name()] = knob.value();
  request.name = stated.name();
  if (!request.name.empty() && !IsArtifactName(request.name)) {
    return absl::DataLossError(absl::StrCat("name: ", Brief(request.name), " is no name of an artifact"));
  }
  request.licence_text = stated.licence_text();
  if (const absl::optional<Seeded> seeded = ParseSeededName(manifest.weights().seeded())) request.weights = *seeded;
  RETURN_IF_ERROR(ChooseWrapper(request).status());
  return request;
}

}  // namespace modelport
