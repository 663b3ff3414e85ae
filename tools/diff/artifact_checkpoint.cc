#include "tools/diff/artifact_checkpoint.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/module_tree/size_tables.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/tensor_record.h"

namespace modelport {
absl::optional<Manifest> FindManifest(const ArtifactFile& file) {
  Manifest manifest;
  if (const ZipRecord* const record = file.Find(absl::StrCat("extra/", kManifestExtraFile))) {
    if (!record->deflated) manifest = ParseKnownFields(record->bytes);
  } else if (const auto beside = MappedFile::Open(ManifestPath(file.path())); beside.ok()) {
    manifest = ParseKnownFields((*beside)->bytes());
  }
  return manifest.model().empty() ? absl::nullopt : absl::make_optional(std::move(manifest));
}

absl::StatusOr<Checkpoint> OpenArtifactTensors(const ArtifactFile& file, const Manifest& manifest,
                                               const TargetTree& tree) {
  const absl::optional<DType> dtype = ParseDType(manifest.dtype());
  if (!dtype) {
    return absl::DataLossError(absl::StrCat(file.path(), ": its manifest states dtype ", Brief(manifest.dtype())));
  }
  const auto owner = std::make_shared<const ArtifactFile>(file);
  Checkpoint::Contents contents;
  contents.path = file.path();
  contents.format = "artifact";
  contents.files.push_back({file.path(), owner->bytes(), owner, &owner->mapped_file()});
  StateDict dict;
  const std::vector<Slot>& slots = tree.kept.tree->slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const DType slot_dtype = slot.dtype.value_or(*dtype);
    ASSIGN_OR_RETURN(const ZipRecord* const record,
                     FindTensorRecord(file, TensorIndex(i, tree.tables), slot, slot_dtype));
    contents.storages.push_back({record->name, record->bytes, record->crc32});
    dict.tensors.push_back({slot.name, slot_dtype, slot.shape, RowMajorStrides(slot.shape), 0, static_cast<int>(i)});
  }
  const size_t tensors = slots.size() + tree.tables.size();
  if (file.Find(absl::StrCat("data/", tensors)) != nullptr) {
    return absl::DataLossError(
        absl::StrCat(file.path(), ": holds more tensors than ", manifest.model(), ", ", tensors));
  }
  contents.state_dicts.push_back(std::move(dict));
  return Checkpoint(std::move(contents));
}

}  // namespace modelport
