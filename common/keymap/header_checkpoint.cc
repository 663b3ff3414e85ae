#include "common/keymap/header_checkpoint.h"

#include <utility>

#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

Checkpoint MakeHeaderCheckpoint(const std::string& path, const std::vector<SeededKey>& keys) {
  StateDict root;
  for (const SeededKey& key : keys) {
    CheckpointTensor tensor;
    tensor.key = key.key;
    tensor.dtype = key.dtype;
    tensor.shape = key.shape;
    tensor.strides = RowMajorStrides(key.shape);
    root.tensors.push_back(std::move(tensor));
  }
  return MakeHeaderCheckpoint(path, std::vector<StateDict>{std::move(root)});
}

Checkpoint MakeHeaderCheckpoint(const std::string& path, std::vector<StateDict> dicts,
                                std::vector<LooseTensors> loose) {
  Checkpoint::Contents contents;
  contents.path = path;
  contents.state_dicts = std::move(dicts);
  contents.loose = std::move(loose);
  return Checkpoint(std::move(contents));
}

}  // namespace modelport
