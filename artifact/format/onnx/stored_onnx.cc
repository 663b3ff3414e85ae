#include "artifact/format/onnx/stored_onnx.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/onnx.pb.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"

namespace modelport::onnx {
namespace {

// ONNX's number of a dtype of tensors in slots; UNDEFINED for others.
int TypeOf(DType dtype) {
  using onnx_file::TensorProto;
  switch (dtype) {
    case DType::kFloat32:
      return TensorProto::FLOAT;
    case DType::kFloat16:
      return TensorProto::FLOAT16;
    case DType::kBFloat16:
      return TensorProto::BFLOAT16;
    case DType::kInt64:
      return TensorProto::INT64;
    default:
      return TensorProto::UNDEFINED;
  }
}

// Opens the data file of the ONNX file at `path`.
absl::StatusOr<std::shared_ptr<const MappedFile>> OpenData(const std::string& data_path, const std::string& path) {
  absl::StatusOr<std::shared_ptr<const MappedFile>> data = MappedFile::Open(data_path, MappedFile::Use::kNamed);
  if (!absl::IsNotFound(data.status())) return data;
  return absl::NotFoundError(absl::StrCat(data.status().message(), ", and ", path,
                                          " has its weights there\n  put it there again, or export the model again"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const StoredOnnx>> StoredOnnx::Read(const std::string& path,
                                                                   std::shared_ptr<const MappedFile> mapped,
                                                                   std::shared_ptr<const MappedFile> data) {
  ASSIGN_OR_RETURN(const std::string real_path, ArtifactRealPath(path));
  const std::string data_path = DataFilePath(real_path);
  absl::StatusOr<FileModel> model = ReadModel(mapped->bytes(), DataFileName(real_path));
  if (!model.ok()) return Annotate(model.status(), path);
  if (!model->has_external()) {
    data = nullptr;
  } else {
    if (data == nullptr) {
      ASSIGN_OR_RETURN(data, OpenData(data_path, path));
    }
    RETURN_IF_ERROR(Annotate(FindElements(data->bytes(), *model), data_path));
  }
  return std::make_shared<const StoredOnnx>(path, std::move(mapped), std::move(data), *std::move(model));
}

absl::StatusOr<absl::optional<StoredPart>> StoredOnnx::FindManifest() const {
  const auto found = model_.metadata.find(kManifestKey);
  if (found == model_.metadata.end()) return absl::nullopt;
  return StoredPart{absl::StrCat("metadata_props ", kManifestKey), found->second};
}

absl::optional<StoredOnnx::HeldWeight> StoredOnnx::FindWeight(const Slot& slot) const {
  // Those of a wrapped model lie below it.
  for (const std::string& name : {slot.name, absl::StrCat(kWrappedName, ".", slot.name)}) {
    const auto found = model_.constants.find(name);
    if (found != model_.constants.end()) return HeldWeight{name, &found->second, false};
    if (slot.shape.size() != 2) continue;
    const auto transposed = model_.constants.find(absl::StrCat(name, kTransposedEnding));
    if (transposed != model_.constants.end()) return HeldWeight{transposed->first, &transposed->second, true};
  }
  return absl::nullopt;
}

absl::StatusOr<std::vector<absl::optional<StoredPart>>> StoredOnnx::FindTensors(const std::vector<Slot>& slots,
                                                                                DType dtype) const {
  std::vector<absl::optional<StoredPart>> tensors;
  for (const Slot& slot : slots) {
    const absl::optional<HeldWeight> held = FindWeight(slot);
    if (!held) {
      tensors.emplace_back();
      continue;
    }
    const auto& [name, tensor, is_transposed] = *held;
    Shape shape = slot.shape;
    if (is_transposed) std::swap(shape[0], shape[1]);
    const DType wanted = slot.dtype.value_or(dtype);
    const uint64_t size = *ElementCount(shape) * ByteSize(wanted);
    if (tensor->shape != shape || tensor->type != TypeOf(wanted) || tensor->bytes.size() != size) {
      return absl::DataLossError(absl::StrCat(path(), ": initializer ", name, ": wants ", DTypeName(wanted), " ",
                                              ShapeString(shape), ", has ", tensor->bytes.size(), " bytes of type ",
                                              tensor->type, " ", ShapeString(tensor->shape)));
    }
    tensors.emplace_back(
        StoredPart{.name = absl::StrCat("initializer ", name), .bytes = tensor->bytes, .is_transposed = is_transposed});
  }
  return tensors;
}

}  // namespace modelport::onnx
