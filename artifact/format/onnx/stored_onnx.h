#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_STORED_ONNX_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_STORED_ONNX_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "artifact/format/onnx/read_model.h"
#include "artifact/format/stored_artifact.h"
#include "common/io/mapped_file.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"

namespace modelport::onnx {

// The entry of a file's metadata that has the manifest.
inline constexpr char kManifestKey[] = "modelport.manifest";

// An ONNX file, whose initializers have the names of slots, those that its graph uses. Weights of linear layers have
// kTransposedEnding behind them.
class StoredOnnx : public StoredArtifact {
 public:
  // Reads the file that was opened at `path`. Elements that are not in it lie in the file of this name with ".data"
  // behind it, in the same folder: `data`, or if that is null it is opened, by no link.
  //   NotFound  there is no such file
  //   others    as ReadModel and FindElements
  static absl::StatusOr<std::shared_ptr<const StoredOnnx>> Read(const std::string& path,
                                                                std::shared_ptr<const MappedFile> mapped,
                                                                std::shared_ptr<const MappedFile> data = nullptr);

  StoredOnnx(std::string path, std::shared_ptr<const MappedFile> mapped, std::shared_ptr<const MappedFile> data,
             FileModel model)
      : StoredArtifact(std::move(path), std::move(mapped), std::move(data)), model_(std::move(model)) {}

  const FileModel& model() const { return model_; }

  FormatKind format() const override { return FormatKind::kOnnx; }
  bool has_code() const override { return true; }
  absl::StatusOr<absl::optional<StoredPart>> FindManifest() const override;
  // Nullopt for slots that the graph does not use, or of whose tensors others were computed when it was made.
  absl::StatusOr<std::vector<absl::optional<StoredPart>>> FindTensors(const std::vector<Slot>& slots,
                                                                      DType dtype) const override;

 private:
  // The initializer of a slot.
  struct HeldWeight {
    std::string name;
    const FileTensor* tensor;
    bool is_transposed;
  };

  // Nullopt if the file has none.
  absl::optional<HeldWeight> FindWeight(const Slot& slot) const;

  FileModel model_;
};

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_STORED_ONNX_H_
