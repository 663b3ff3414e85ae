#include "common/torchscript/proof/check_entry_points.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Module;

bool TakesTensor(const c10::Argument& argument) {
  const c10::Type& type = *argument.type();
  const bool is_optional = type.kind() == c10::TypeKind::OptionalType;
  return (is_optional ? *type.containedTypes()[0] : type).kind() == c10::TypeKind::TensorType;
}

absl::Status CheckInputs(const EntryPoint& entry_point, const c10::FunctionSchema& schema) {
  std::vector<std::string> arguments, inputs;
  for (const c10::Argument& argument : schema.arguments()) arguments.push_back(argument.name());
  arguments.erase(arguments.begin());  // self
  for (const Port& input : entry_point.inputs) inputs.push_back(input.name);
  if (inputs != arguments) {
    return EntryPointError(entry_point.place, entry_point,
                           absl::StrCat("field \"inputs\" wants the arguments ", absl::StrJoin(arguments, ", "),
                                        ", has ", inputs.empty() ? "none" : absl::StrJoin(inputs, ", ")));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& input = entry_point.inputs[i];
    if (TakesTensor(schema.arguments()[i + 1]) == input.shape.has_value()) continue;
    return EntryPointError(
        input.place, entry_point,
        absl::StrCat("argument ", input.name,
                     input.shape ? " takes no tensor, but has a shape" : " takes a tensor: state its shape"));
  }
  for (const Port& output : entry_point.outputs) {
    for (const std::string& argument : {output.only_with, output.only_without}) {
      if (argument.empty() || std::count(inputs.begin(), inputs.end(), argument) > 0) continue;
      return EntryPointError(output.place, entry_point,
                             absl::StrCat("no argument \"", argument, "\"", NearestHint(argument, inputs)));
    }
  }
  return absl::OkStatus();
}

bool IsTensor(const c10::Type& type) { return type.kind() == c10::TypeKind::TensorType; }

bool HasTensors(const c10::Type& type) {
  const auto& contained = type.containedTypes();
  return IsTensor(type) ||
         std::any_of(contained.begin(), contained.end(), [](const auto& inner) { return HasTensors(*inner); });
}

bool IsTensorList(const c10::Type& type) { return type.kind() == c10::TypeKind::ListType && HasTensors(type); }

void AddParts(const c10::Type& type, const std::string& place, std::vector<ResultPart>& parts) {
  if (type.kind() == c10::TypeKind::TupleType) {
    const auto& elements = type.containedTypes();
    for (size_t i = 0; i < elements.size(); ++i) AddParts(*elements[i], absl::StrCat(place, "[", i, "]"), parts);
  } else if (IsTensorList(type)) {
    AddParts(*type.containedTypes()[0], absl::StrCat(place, "[i]"), parts);
  } else {
    parts.push_back({place, IsTensor(type)});
  }
}

// Adds the values in `result` to `values`, from `next` on, which becomes the part after them.
void Split(const c10::IValue& result, const c10::Type& type, size_t& next,
           std::vector<std::vector<c10::IValue>>& values) {
  if (type.kind() == c10::TypeKind::TupleType) {
    const auto& types = type.containedTypes();
    for (size_t i = 0; i < types.size(); ++i) Split(result.toTupleRef().elements()[i], *types[i], next, values);
  } else if (IsTensorList(type)) {
    const c10::Type& item_type = *type.containedTypes()[0];
    for (const c10::IValue& item : result.toListRef()) {
      size_t part = next;
      Split(item, item_type, part, values);
    }
    next += PartsOf(item_type).size();
  } else {
    values[next++].push_back(result);
  }
}

// A size of a shape, as it is with `symbols`.
absl::StatusOr<int64_t> SizeOf(const Expression& size, int64_t actual, Scope& symbols) {
  const std::vector<std::string> names = size.names();
  const bool is_symbol = names.size() == 1 && size.text() == names[0];
  if (is_symbol) symbols.emplace(names[0], actual);  // Its first size is the one that others are compared with.
  return size.EvaluateInt(symbols);
}

// One call of an entry point.
class ResultChecker {
 public:
  ResultChecker(const torch::jit::Module& module, const EntryPoint& entry_point, std::string call,
                const std::vector<c10::IValue>& inputs)
      : entry_point_(entry_point),
        call_(std::move(call)),
        schema_(module.get_method(entry_point.method).function().getSchema()),
        weights_(at::kFloat) {
    for (const at::Tensor& parameter : module.parameters()) {
      weights_ = parameter.scalar_type();
      break;
    }
    for (size_t i = 0; i + 1 < schema_.arguments().size(); ++i) {
      const absl::optional<c10::IValue> fallback = schema_.arguments()[i + 1].default_value();
      arguments_.push_back(i < inputs.size() ? inputs[i] : fallback.value_or(c10::IValue()));
    }
  }

  absl::Status Check(const c10::IValue& result) {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].isTensor()) RETURN_IF_ERROR(CheckShape(entry_point_.inputs[i], arguments_[i].toTensor()));
    }
    const c10::Type& type = *schema_.returns()[0].type();
    return IsTensorDict(type) ? CheckDict(result.toGenericDict()) : CheckParts(SplitResult(result, type));
  }

 private:
  absl::Status CheckDict(const c10::impl::GenericDict& result) {
    std::vector<bool> found(entry_point_.outputs.size());
    for (const auto& entry : result) {
      const std::string& key = entry.key().toStringRef();
      const size_t i = FindOutput(key);
      if (i == found.size()) {
        return EntryPointError(entry_point_.place, entry_point_,
                               absl::StrCat("no output \"", key, "\", which ", call_, " has"));
      }
      found[i] = true;
      RETURN_IF_ERROR(CheckTensor(entry_point_.outputs[i], entry.value().toTensor()));
    }
    for (size_t i = 0; i < found.size(); ++i) {
      const Port& output = entry_point_.outputs[i];
      if (found[i] != IsThere(output)) {
        return Wrong(output, absl::StrCat(found[i] ? "is" : "is not", " in the result"));
      }
    }
    return absl::OkStatus();
  }

  // The output that is `key` in this call.
  size_t FindOutput(absl::string_view key) const {
    const auto is_it = [&](const Port& output) {
      const size_t brace = output.name.find('{');
      const bool is_same =
          brace == output.name.npos ? key == output.name : absl::StartsWith(key, output.name.substr(0, brace));
      return is_same && (output.only_without.empty() || IsThere(output));
    };
    return std::find_if(entry_point_.outputs.begin(), entry_point_.outputs.end(), is_it) - entry_point_.outputs.begin();
  }

  absl::Status CheckParts(const std::vector<std::vector<c10::IValue>>& parts) {
    size_t next = 0;
    for (size_t i = 0; i < parts.size(); ++i, ++next) {
      const Port* output = &entry_point_.outputs[next];
      if (next + 1 < entry_point_.outputs.size() && AreAlternatives(*output, entry_point_.outputs[next + 1])) {
        ++next;
        if (!IsThere(*output)) output = &entry_point_.outputs[next];
      }
      for (const c10::IValue& value : parts[i]) {
        if (!value.isTensor()) continue;
        if (!IsThere(*output)) {
          if (value.toTensor().numel() == 0) continue;
          return Wrong(*output, "wants an empty tensor");
        }
        RETURN_IF_ERROR(CheckTensor(*output, value.toTensor()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckTensor(const Port& output, const at::Tensor& tensor) {
    RETURN_IF_ERROR(CheckShape(output, tensor));
    if (tensor.scalar_type() != DTypeOf(output)) {
      return Wrong(output, absl::StrCat("wants the dtype ", c10::toString(DTypeOf(output)), ", has ",
                                        c10::toString(tensor.scalar_type())));
    }
    return tensor.is_floating_point() ? CheckRange(output, tensor) : absl::OkStatus();
  }

  absl::Status CheckShape(const Port& port, const at::Tensor& tensor) {
    std::vector<std::string> wanted;
    bool fits = static_cast<int64_t>(port.shape->size()) == tensor.dim();
    for (size_t i = 0; i < port.shape->size(); ++i) {
      const Expression& size = (*port.shape)[i];
      wanted.push_back(size.text());
      if (!fits) continue;
      const absl::StatusOr<int64_t> expected = SizeOf(size, tensor.size(i), symbols_);
      if (!expected.ok()) return Wrong(port, expected.status().message());
      if (*expected != tensor.size(i)) fits = false;
    }
    if (fits) return absl::OkStatus();
    const auto format = [](std::string* out, const auto& symbol) {
      absl::StrAppend(out, symbol.first, " = ", ValueString(symbol.second));
    };
    const std::string known = absl::StrJoin(symbols_, ", ", format);
    return Wrong(port, absl::StrCat("wants [", absl::StrJoin(wanted, ", "), "]", known.empty() ? "" : " with ", known,
                                    ", has [", absl::StrJoin(tensor.sizes(), ", "), "]"));
  }

  absl::Status CheckRange(const Port& output, const at::Tensor& tensor) const {
    const at::Tensor values = tensor.masked_select(tensor.isfinite()).to(at::kDouble);
    if (values.numel() == 0) return absl::OkStatus();
    const double rounding = 4 * Epsilon(tensor.scalar_type());
    const double least = values.min().item<double>(), greatest = values.max().item<double>();
    if (output.min && least < *output.min - rounding * std::abs(*output.min)) {
      return Wrong(output, absl::StrCat("wants at least ", *output.min, ", has ", least));
    }
    if (output.max && greatest > *output.max + rounding * std::abs(*output.max)) {
      return Wrong(output, absl::StrCat("wants at most ", *output.max, ", has ", greatest));
    }
    return absl::OkStatus();
  }

  at::ScalarType DTypeOf(const Port& output) const {
    if (output.dtype == "float32") return at::kFloat;
    if (output.dtype == "bool") return at::kBool;
    return output.dtype == "int64" ? at::kLong : weights_;
  }

  // Whether the arguments ask for this output.
  bool IsThere(const Port& output) const {
    return (output.only_with.empty() || IsGiven(output.only_with)) &&
           (output.only_without.empty() || !IsGiven(output.only_without));
  }

  // Whether the argument has a value that is neither None, false, 0 nor empty.
  bool IsGiven(absl::string_view name) const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (entry_point_.inputs[i].name != name) continue;
      const c10::IValue& value = arguments_[i];
      if (value.isBool()) return value.toBool();
      if (value.isInt()) return value.toInt() != 0;
      if (value.isString()) return !value.toStringRef().empty();
      if (value.isList()) return !value.toListRef().empty();
      return !value.isNone();
    }
    return false;
  }

  absl::Status Wrong(const Port& port, absl::string_view message) const {
    return EntryPointError(port.place, entry_point_, absl::StrCat("\"", port.name, "\" of ", call_, ": ", message));
  }

  const EntryPoint& entry_point_;
  const std::string call_;
  const c10::FunctionSchema& schema_;
  at::ScalarType weights_;
  std::vector<c10::IValue> arguments_;  // Without self.
  Scope symbols_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> OutputPlaces(const EntryPoint& entry_point, const c10::Type& result) {
  std::vector<std::string> places;
  if (IsTensorDict(result)) {
    for (const Port& output : entry_point.outputs) places.push_back(absl::StrCat("result[\"", output.name, "\"]"));
    return places;
  }
  const std::vector<ResultPart> parts = PartsOf(result);
  size_t next = 0;
  for (size_t i = 0; i < entry_point.outputs.size(); ++i) {
    const Port& output = entry_point.outputs[i];
    if (i > 0 && AreAlternatives(entry_point.outputs[i - 1], output)) {
      places.push_back(places.back());
      continue;
    }
    if (next == parts.size() || parts[next].is_tensor != output.shape.has_value()) {
      return EntryPointError(output.place, entry_point,
                             absl::StrCat("\"", output.name, "\" ",
                                          next == parts.size() ? "is not in"
                                                               : (output.shape ? "has a shape but is no tensor in"
                                                                               : "is a tensor, without a shape, in"),
                                          " the result, which is ", result.annotation_str()));
    }
    places.push_back(parts[next++].place);
  }
  if (next == parts.size()) return places;
  return EntryPointError(entry_point.place, entry_point,
                         absl::StrCat("field \"outputs\" wants ", parts.size(), " parts of the result, which is ",
                                      result.annotation_str(), ", has ", next));
}

absl::Status CheckEntryPoints(const Module& module, const std::vector<EntryPoint>& entry_points) {
  for (const EntryPoint& entry_point : entry_points) {
    const auto method = module.find_method(entry_point.method);
    if (!method) {
      std::vector<std::string> known;
      for (const torch::jit::Method& other : module.get_methods()) known.push_back(other.name());
      return EntryPointError(entry_point.place, entry_point,
                             absl::StrCat("no such method", NearestHint(entry_point.method, known)));
    }
    const c10::FunctionSchema& schema = method->function().getSchema();
    RETURN_IF_ERROR(CheckInputs(entry_point, schema));
    RETURN_IF_ERROR(OutputPlaces(entry_point, *schema.returns()[0].type()).status());
  }
  return absl::OkStatus();
}

bool IsTensorDict(const c10::Type& type) {
  return type.kind() == c10::TypeKind::DictType && type.containedTypes()[0]->kind() == c10::TypeKind::StringType &&
         IsTensor(*type.containedTypes()[1]);
}

std::vector<ResultPart> PartsOf(const c10::Type& type) {
  std::vector<ResultPart> parts;
  AddParts(type, "result", parts);
  return parts;
}

std::vector<std::vector<c10::IValue>> SplitResult(const c10::IValue& result, const c10::Type& type) {
  std::vector<std::vector<c10::IValue>> values(PartsOf(type).size());
  size_t next = 0;
  Split(result, type, next, values);
  return values;
}

absl::Status CheckResult(const torch::jit::Module& module, const EntryPoint& entry_point, const std::string& call,
                         const std::vector<c10::IValue>& inputs, const c10::IValue& result) {
  absl::Status status;
  const auto check = [&] { status = ResultChecker(module, entry_point, call, inputs).Check(result); };
  RETURN_IF_ERROR(Annotate(CatchTorch(check), call));
  return status;
}

}  // namespace modelport
