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

absl::StatusOr<std::vector<absl::optional<StoredPart>>> StoredOnnx::FindTensors(const std::vector<Slot>& slots,
                                                                                DType dtype) const {
  std::vector<absl::optional<StoredPart>> tensors;
  for (const Slot& slot : slots) {
    auto found = model_.constants.find(slot.name);
    // Those of a wrapped model lie below it.
    if (found == model_.constants.end()) found = model_.constants.find(absl::StrCat(kWrappedName, ".", slot.name));
    if (found == model_.constants.end()) {
      tensors.emplace_back();
      continue;
    }
    const FileTensor& tensor = found->second;
    const DType wanted = slot.dtype.value_or(dtype);
    const uint64_t size = *ElementCount(slot.shape) * ByteSize(wanted);
    if (tensor.shape != slot.shape || tensor.type != TypeOf(wanted) || tensor.bytes.size() != size) {
      return absl::DataLossError(absl::StrCat(path(), ": initializer ", slot.name, ": wants ", DTypeName(wanted), " ",
                                              ShapeString(slot.shape), ", has ", tensor.bytes.size(), " bytes of type ",
                                              tensor.type, " ", ShapeString(tensor.shape)));
    }
    tensors.emplace_back(StoredPart{absl::StrCat("initializer ", slot.name), tensor.bytes});
  }
  return tensors;
}

}  // namespace modelport::onnx
