#include "common/torchscript/parity/reference.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/output_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/tensor_file.h"

namespace modelport {
namespace {

using Json = nlohmann::json;

constexpr char kInput[] = "input.";

// In bytes. Parsed JSON takes many times the memory of its text: 3 bytes can be a list.
constexpr size_t kMaxJson = size_t{1} << 20;

// How many lists of a setting may lie within each other.
constexpr int kMaxLevels = 20;

absl::StatusOr<std::string> Metadata(const Checkpoint& file, const std::string& key, absl::string_view wanted) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  return absl::InvalidArgumentError(absl::StrCat("the metadata `", key, "` is missing: wants ", wanted));
}

// The value of the metadata `key`, whose text is `text`; a discarded one if that is not JSON.
absl::StatusOr<Json> ParseJson(absl::string_view key, const std::string& text) {
  // The parser would stop at a NUL as if the text ended there.
  if (text.find('\0') != text.npos) return Json(Json::value_t::discarded);
  if (text.size() <= kMaxJson) return Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return absl::InvalidArgumentError(
      absl::StrCat("the metadata `", key, "` has ", text.size(), " bytes, wants at most ", kMaxJson));
}

absl::StatusOr<at::Tensor> ReadTensor(const Checkpoint& file, const CheckpointTensor& tensor) {
  ASSIGN_OR_RETURN(at::Tensor copy, CopyTensor(file, tensor));
  ASSIGN_OR_RETURN(const int64_t nonfinite,
                   CatchTorch([&] { return copy.isfinite().logical_not().sum().item<int64_t>(); }));
  if (nonfinite == 0) return copy;
  return absl::InvalidArgumentError(
      absl::StrCat(Brief(tensor.key), ": ", nonfinite, " elements are not finite, so that they compare with nothing"));
}

bool IsInt64(const Json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() || json.get<uint64_t>() <= std::numeric_limits<int64_t>::max());
}

// The value of an argument; nullopt for what no argument is.
absl::optional<c10::IValue> ArgumentValue(const Json& json) {
  if (json.is_null()) return c10::IValue();
  if (json.is_boolean()) return json.get<bool>();
  if (IsInt64(json)) return json.get<int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return absl::nullopt;
  if (std::all_of(json.begin(), json.end(), IsInt64)) return json.get<std::vector<int64_t>>();
  if (std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_number(); })) {
    return json.get<std::vector<double>>();
  }
  return absl::nullopt;
}

absl::Status AddArgument(const std::string& name, c10::IValue value, Reference& reference) {
  if (reference.arguments.emplace(name, std::move(value)).second) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the argument ", Brief(name), " is given twice, as a tensor and in the metadata `call`"));
}

absl::Status ReadArguments(const Json& arguments, Reference& reference) {
  if (!arguments.is_object()) {
    return absl::InvalidArgumentError("the metadata `call`: `arguments` wants an object, such as {\"masks\": null}");
  }
  for (const auto& [name, json] : arguments.items()) {
    absl::optional<c10::IValue> value = ArgumentValue(json);
    if (!value) {
      return absl::InvalidArgumentError(
          absl::StrCat("the metadata `call`: argument ", Brief(name),
                       " wants null, a boolean, a number of 64 bits, a text or a list of such numbers"));
    }
    RETURN_IF_ERROR(AddArgument(name, *std::move(value), reference));
  }
  return absl::OkStatus();
}

absl::Status ReadKnobs(const Json& knobs, Reference& reference) {
  const absl::Status wrong = absl::InvalidArgumentError(
      "the metadata `call`: `knobs` wants an object of numbers and booleans, such as {\"focal\": 500.0}");
  if (!knobs.is_object()) return wrong;
  for (const auto& [name, json] : knobs.items()) {
    absl::optional<c10::IValue> value = ArgumentValue(json);
    if (!value || !(value->isBool() || value->isScalar())) return wrong;
    reference.knobs[name] = *std::move(value);
  }
  return absl::OkStatus();
}

absl::Status ReadCall(const std::string& text, Reference& reference) {
  ASSIGN_OR_RETURN(const Json call, ParseJson("call", text));
  if (!call.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the metadata `call` wants JSON such as {\"method\": \"forward\"}, has ", Brief(text)));
  }
  for (const auto& [field, json] : call.items()) {
    if (field == "arguments") {
      RETURN_IF_ERROR(ReadArguments(json, reference));
    } else if (field == "knobs") {
      RETURN_IF_ERROR(ReadKnobs(json, reference));
    } else if (field == "method" && json.is_string()) {
      reference.method = json.get<std::string>();
    } else if (field == "method") {
      return absl::InvalidArgumentError("the metadata `call`: `method` wants a text");
    } else {
      return absl::InvalidArgumentError(absl::StrCat("the metadata `call`: unknown field ", Brief(field),
                                                     NearestHint(field, {"arguments", "knobs", "method"})));
    }
  }
  return absl::OkStatus();
}

// A setting; lists may hold lists, `levels` within each other. nullopt for what no setting is.
absl::optional<c10::IValue> SettingValue(const Json& json, int levels = kMaxLevels) {
  if (!json.is_array()) return ArgumentValue(json);
  if (levels == 0) return absl::nullopt;
  std::vector<c10::IValue> items;
  for (const Json& element : json) {
    absl::optional<c10::IValue> item = SettingValue(element, levels - 1);
    if (!item) return absl::nullopt;
    items.push_back(*std::move(item));
  }
  return c10::ivalue::Tuple::create(std::move(items));
}

// The metadata `key`, an object; an empty one if there is none.
absl::StatusOr<Json> Object(const Checkpoint& file, const std::string& key, absl::string_view wanted) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) return Json::object();
  ASSIGN_OR_RETURN(Json json, ParseJson(key, found->second));
  if (json.is_object()) return json;
  return absl::InvalidArgumentError(absl::StrCat("the metadata `", key, "` wants JSON such as ", wanted));
}

absl::Status ReadSlices(const Checkpoint& file, Reference& reference) {
  constexpr char kWanted[] = R"({"blocks.2": "[:, ::4, :]"})";
  ASSIGN_OR_RETURN(const Json slices, Object(file, "slices", kWanted));
  for (const auto& [name, slice] : slices.items()) {
    if (!slice.is_string()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the metadata `slices`: ", Brief(name), " wants a text, as in ", kWanted));
    }
    reference.slices[name] = slice.get<std::string>();
  }
  return absl::OkStatus();
}

absl::Status ReadNoise(const Checkpoint& file, Reference& reference) {
  constexpr char kWanted[] = R"({"blocks.2": 1.5e-6})";
  ASSIGN_OR_RETURN(const Json noise, Object(file, "noise", kWanted));
  for (const auto& [name, number] : noise.items()) {
    if (!number.is_number() || !(number.get<double>() >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the metadata `noise`: ", Brief(name), " wants a number from 0, as in ", kWanted));
    }
    reference.noise[name] = number.get<double>();
  }
  return absl::OkStatus();
}

// The metadata `key`, maps of settings.
absl::StatusOr<Settings> ReadSettings(const Checkpoint& file, const std::string& key, absl::string_view wanted) {
  ASSIGN_OR_RETURN(const Json modules, Object(file, key, wanted));
  Settings read;
  for (const auto& [path, settings] : modules.items()) {
    if (!settings.is_object()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the metadata `", key, "`: ", Brief(path), " wants an object, as in ", wanted));
    }
    for (const auto& [name, json] : settings.items()) {
      absl::optional<c10::IValue> value = SettingValue(json);
      if (value) read[path][name] = *std::move(value);
    }
  }
  return read;
}

absl::StatusOr<Reference> Read(const Checkpoint& file) {
  if (file.format() != "safetensors") {
    return absl::InvalidArgumentError(absl::StrCat("a reference is a safetensors file, this is ", file.format()));
  }
  Reference reference;
  reference.path = file.path();
  ASSIGN_OR_RETURN(reference.model, Metadata(file, "model", "the name of the variant that was called"));
  ASSIGN_OR_RETURN(const std::string call, Metadata(file, "call", "JSON such as {\"method\": \"forward\"}"));
  RETURN_IF_ERROR(ReadCall(call, reference));
  RETURN_IF_ERROR(ReadSlices(file, reference));
  RETURN_IF_ERROR(ReadNoise(file, reference));
  ASSIGN_OR_RETURN(reference.settings, ReadSettings(file, "settings", R"({"blocks.0.norm1": {"eps": 1e-6}})"));
  ASSIGN_OR_RETURN(reference.values, ReadSettings(file, "values", R"({"blocks.2": {"reshape": true}})"));
  for (const CheckpointTensor& tensor : file.state_dicts().front().tensors) {
    ASSIGN_OR_RETURN(at::Tensor value, ReadTensor(file, tensor));
    absl::string_view name = tensor.key;
    if (absl::ConsumePrefix(&name, kInput)) {
      RETURN_IF_ERROR(AddArgument(std::string(name), std::move(value), reference));
    } else {
      reference.expected.emplace_back(tensor.key, std::move(value));
    }
  }
  if (!reference.expected.empty()) return reference;
  return absl::InvalidArgumentError("every tensor is an input: nothing to compare with; name what came out \"output\"");
}

// A value of a call or a setting in JSON; nullopt if JSON has none for it.
absl::optional<Json> ToJson(const c10::IValue& value) {
  if (value.isNone()) return Json();
  if (value.isBool()) return Json(value.toBool());
  if (value.isInt()) return Json(value.toInt());
  if (value.isDouble()) return Json(value.toDouble());
  if (value.isString()) return Json(value.toStringRef());
  if (!value.isList() && !value.isTuple()) return absl::nullopt;
  Json items = Json::array();
  std::vector<c10::IValue> elements;
  if (value.isTuple()) {
    elements = value.toTupleRef().elements().vec();
  } else {
    for (const c10::IValue& element : value.toList()) elements.push_back(element);
  }
  for (const c10::IValue& element : elements) {
    absl::optional<Json> item = ToJson(element);
    if (!item) return absl::nullopt;
    items.push_back(*std::move(item));
  }
  return items;
}

// The tensors of the file; arguments that are no tensors go to `call`.
absl::StatusOr<NamedTensors> Tensors(const Reference& reference, Json& call) {
  NamedTensors tensors = reference.expected;
  for (const auto& [name, value] : reference.arguments) {
    if (value.isTensor()) {
      tensors.emplace_back(absl::StrCat("input.", name), value.toTensor());
    } else {
      absl::optional<Json> json = ToJson(value);
      if (!json) {
        return absl::UnimplementedError(absl::StrCat("the argument ", Brief(name), " is a ", value.tagKind(),
                                                     ", which a reference file cannot hold"));
      }
      call["arguments"][name] = *std::move(json);
    }
  }
  return tensors;
}

Json ToJson(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [path, values] : settings) {
    for (const auto& [name, value] : values) {
      if (absl::optional<Json> item = ToJson(value)) json[path][name] = *std::move(item);
    }
  }
  return json;
}

std::map<std::string, std::string> MetadataOf(const Reference& reference, const Json& call) {
  std::map<std::string, std::string> metadata = {{"model", reference.model}, {"call", call.dump()}};
  if (!reference.slices.empty()) metadata["slices"] = Json(reference.slices).dump();
  if (!reference.noise.empty()) metadata["noise"] = Json(reference.noise).dump();
  for (const auto& [key, settings] :
       {std::pair("settings", &reference.settings), std::pair("values", &reference.values)}) {
    if (Json json = ToJson(*settings); !json.empty()) metadata[key] = json.dump();
  }
  return metadata;
}

bool IsItems(const c10::IValue& value) { return value.isList() || value.isTuple(); }

std::vector<c10::IValue> Elements(const c10::IValue& value) {
  if (value.isTuple()) return value.toTupleRef().elements().vec();
  const c10::impl::GenericList list = value.toList();
  return {list.begin(), list.end()};
}

}  // namespace

std::vector<std::string> ArgumentNames(const torch::jit::Module& module, const Stage& call) {
  torch::jit::Module callee = module;
  for (const absl::string_view part : absl::StrSplit(call.path, '.', absl::SkipEmpty())) {
    const std::string name(part);
    if (!callee.hasattr(name) || !callee.attr(name).isModule()) return {};
    callee = callee.attr(name).toModule();
  }
  const auto method = callee.find_method(call.method);
  if (!method) return {};
  const std::vector<c10::Argument>& arguments = method->function().getSchema().arguments();
  std::vector<std::string> names;
  for (size_t i = 1; i < arguments.size(); ++i) names.push_back(arguments[i].name());  // The first one is the module.
  return names;
}

bool IsOutput(absl::string_view name) { return name == "output" || absl::StartsWith(name, "output."); }

absl::StatusOr<Reference> ReadReference(const std::string& path) {
  ASSIGN_OR_RETURN(const Checkpoint file, OpenCheckpoint(path));
  absl::StatusOr<Reference> reference = Read(file);
  RETURN_IF_ERROR(file.CheckUnchanged());
  if (!reference.ok()) return Annotate(reference.status(), path);
  return reference;
}

absl::StatusOr<Reference> RecordReference(const torch::jit::Module& module, const std::string& method,
                                          const std::vector<c10::IValue>& inputs, const std::string& path,
                                          const std::string& model) {
  Reference reference = {.path = path, .model = model, .method = method};
  const absl::Status status = RunObserved(
                                  module, method, inputs,
                                  [&](const ObservedTensor& point, const at::Tensor& tensor) {
                                    reference.expected.emplace_back(point.name, tensor.detach().clone());
                                    return tensor;
                                  },
                                  [&](const Stage& call, const std::vector<c10::IValue>& values) {
                                    const std::vector<std::string> names = ArgumentNames(module, call);
                                    for (size_t i = 0; i < values.size() && i < names.size(); ++i) {
                                      if (IsSetting(values[i])) reference.values[StageName(call)][names[i]] = values[i];
                                    }
                                    return at::Tensor();
                                  })
                                  .status();
  if (!status.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": ", Brief(method), " fails on these inputs: ", status.message()));
  }
  const std::vector<c10::Argument>& arguments = module.get_method(method).function().getSchema().arguments();
  for (size_t i = 0; i < inputs.size(); ++i) reference.arguments[arguments[i + 1].name()] = inputs[i];
  reference.settings = FindSettings(module);
  return reference;
}

absl::Status WriteReference(const Reference& reference, Writer& out) {
  Json call = {{"method", reference.method}};
  for (const auto& [name, value] : reference.knobs) call["knobs"][name] = ToJson(value).value_or(Json());
  ASSIGN_OR_RETURN(const NamedTensors tensors, Tensors(reference, call));
  return WriteTensors(tensors, MetadataOf(reference, call), out);
}

absl::Status WriteReference(const Reference& reference, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteReference(reference, file));
  return file.Commit();
}

bool IsSetting(const c10::IValue& value) {
  if (!IsItems(value)) {
    return value.isBool() || value.isInt() || value.isDouble() || value.isString() || value.isNone();
  }
  const std::vector<c10::IValue> items = Elements(value);
  return std::all_of(items.begin(), items.end(), IsSetting);
}

bool SameSetting(const c10::IValue& a, const c10::IValue& b) {
  if (IsItems(a) && IsItems(b)) {
    const std::vector<c10::IValue> left = Elements(a), right = Elements(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), SameSetting);
  }
  if (IsItems(a) != IsItems(b)) {
    // Upstream may write a size of two equal sides as one number.
    const std::vector<c10::IValue> items = Elements(IsItems(a) ? a : b);
    return !items.empty() && std::all_of(items.begin(), items.end(),
                                         [&](const auto& item) { return SameSetting(item, IsItems(a) ? b : a); });
  }
  if (a.isBool() || b.isBool()) {
    // An artifact for a host with knobs may hold 1 in the place of true.
    const auto is_flag = [](const c10::IValue& value) { return value.isBool() || value.isInt(); };
    return is_flag(a) && is_flag(b) && a.toScalar().to<int64_t>() == b.toScalar().to<int64_t>();
  }
  if (a.isScalar() && b.isScalar()) return a.toScalar().to<double>() == b.toScalar().to<double>();
  if (a.isString() && b.isString()) return a.toStringRef() == b.toStringRef();
  return a.isNone() && b.isNone();
}

std::string SettingText(const c10::IValue& value) {
  if (value.isDouble()) return absl::StrFormat("%.9g", value.toDouble());
  if (IsItems(value)) {
    return absl::StrCat(
        "[",
        absl::StrJoin(Elements(value), ", ",
                      [](std::string* out, const c10::IValue& item) { absl::StrAppend(out, SettingText(item)); }),
        "]");
  }
  std::ostringstream text;
  text << value;
  return text.str();
}

Settings FindSettings(const torch::jit::Module& module) {
  Settings settings;
  for (const auto& submodule : module.named_modules()) {
    std::map<std::string, c10::IValue>& own = settings[submodule.name];
    const c10::ClassTypePtr type = submodule.value.type();
    for (size_t i = 0; i < type->numConstants(); ++i) {
      if (IsSetting(type->getConstant(i))) own.emplace(type->getConstantName(i), type->getConstant(i));
    }
    for (const auto& attribute : submodule.value.named_attributes(/*recurse=*/false)) {
      if (IsSetting(attribute.value)) own.emplace(attribute.name, attribute.value);
    }
    // The mode of the whole, which models here do not depend on.
    own.erase("training");
  }
  return settings;
}

SettingsComparison CompareSettings(const Settings& expected, const Settings& actual) {
  SettingsComparison comparison;
  for (const auto& [path, settings] : expected) {
    const auto own = actual.find(path);
    if (own == actual.end()) continue;
    for (const auto& [name, value] : settings) {
      const auto found = own->second.find(name);
      if (found == own->second.end()) continue;
      if (SameSetting(value, found->second)) {
        ++comparison.equal;
      } else {
        comparison.differences.push_back({path, name, SettingText(value), SettingText(found->second)});
      }
    }
  }
  return comparison;
}

}  // namespace modelport
