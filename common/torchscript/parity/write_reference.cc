#include <ATen/TensorOperators.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using Json = nlohmann::json;

absl::optional<DType> FindDType(at::ScalarType type) {
  for (const auto& [scalar, dtype] : std::map<at::ScalarType, DType>{{at::kDouble, DType::kFloat64},
                                                                     {at::kFloat, DType::kFloat32},
                                                                     {at::kHalf, DType::kFloat16},
                                                                     {at::kBFloat16, DType::kBFloat16},
                                                                     {at::kLong, DType::kInt64},
                                                                     {at::kInt, DType::kInt32},
                                                                     {at::kShort, DType::kInt16},
                                                                     {at::kChar, DType::kInt8},
                                                                     {at::kByte, DType::kUInt8},
                                                                     {at::kBool, DType::kBool}}) {
    if (scalar == type) return dtype;
  }
  return absl::nullopt;
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

std::map<std::string, std::string> Metadata(const Reference& reference, const Json& call) {
  std::map<std::string, std::string> metadata = {{"model", reference.model}, {"call", call.dump()}};
  if (!reference.slices.empty()) metadata["slices"] = Json(reference.slices).dump();
  Json settings = Json::object();
  for (const auto& [path, values] : reference.settings) {
    for (const auto& [name, value] : values) {
      if (absl::optional<Json> json = ToJson(value)) settings[path][name] = *std::move(json);
    }
  }
  if (!settings.empty()) metadata["settings"] = settings.dump();
  return metadata;
}

}  // namespace

absl::Status WriteReference(const Reference& reference, Writer& out) {
  Json call = {{"method", reference.method}};
  ASSIGN_OR_RETURN(const NamedTensors tensors, Tensors(reference, call));
  std::vector<std::pair<SafetensorsTensor, at::Tensor>> entries;
  for (const auto& [name, tensor] : tensors) {
    const absl::optional<DType> dtype = FindDType(tensor.scalar_type());
    if (!dtype) {
      return absl::UnimplementedError(absl::StrCat(Brief(name), " is a tensor of ", c10::toString(tensor.scalar_type()),
                                                   ", which a reference file cannot hold"));
    }
    entries.push_back({{name, *dtype, tensor.sizes().vec()}, tensor});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return ComesBefore(a.first, b.first); });
  std::vector<SafetensorsTensor> headers;
  for (const auto& [header, tensor] : entries) headers.push_back(header);
  RETURN_IF_ERROR(out.Write(SafetensorsHeader(headers, Metadata(reference, call))));
  for (const auto& [header, tensor] : entries) {
    ASSIGN_OR_RETURN(const at::Tensor bytes, CatchTorch([&, &tensor = tensor] { return tensor.contiguous(); }));
    RETURN_IF_ERROR(out.Write({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()}));
  }
  return absl::OkStatus();
}

absl::Status WriteReference(const Reference& reference, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteReference(reference, file));
  return file.Commit();
}

}  // namespace modelport
