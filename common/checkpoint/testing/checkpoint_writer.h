// Whole checkpoint files by hand, as the formats' own writers lay them out.
#ifndef MODELPORT_COMMON_CHECKPOINT_TESTING_CHECKPOINT_WRITER_H_
#define MODELPORT_COMMON_CHECKPOINT_TESTING_CHECKPOINT_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// The bytes of a torch storage, as its key names them.
struct StorageData {
  std::string key;
  int64_t elements;
  std::string bytes;
};

// A file of torch.save: `object` is a pickled value, see pickle_writer.h.
std::string TorchZipFile(absl::string_view object, const std::vector<StorageData>& storages);

// The same in the format before PyTorch 1.6.
std::string TorchLegacyFile(absl::string_view object, const std::vector<StorageData>& storages);

std::string SafetensorsFile(absl::string_view header, absl::string_view data);

// One small checkpoint in each format, with the float32 tensors "a" [2, 3] = 0 to 5 and "b" [2] = 6, 7.
std::string SmallTorchZip();
std::string SmallTorchLegacy();
std::string SmallSafetensors();

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TESTING_CHECKPOINT_WRITER_H_
