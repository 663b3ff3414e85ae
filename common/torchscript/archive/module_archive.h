#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_MODULE_ARCHIVE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_MODULE_ARCHIVE_H_

#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/writer.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// An archive in memory as a list of pieces, which LibTorch can read. Neither Write nor WriteLasting fails.
class ArchivePieces : public caffe2::serialize::ReadAdapterInterface, public Writer {
 public:
  // Copies `bytes`. Copies in a row make one piece.
  absl::Status Write(absl::string_view bytes) override;
  // Makes a piece that refers to `bytes`.
  absl::Status WriteLasting(absl::string_view bytes) override;

  // The `size` bytes from `position` on if one piece contains them, else an empty view. Valid until the next write.
  absl::string_view View(uint64_t position, size_t size) const;

  // Whether the archive consists of `bytes`.
  bool Equals(absl::string_view bytes) const;

  size_t size() const override { return size_; }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override;

 private:
  std::deque<std::string> copies_;
  std::map<uint64_t, absl::string_view> pieces_;  // By position. No piece is empty.
  uint64_t size_ = 0;
};

// The content of the record `path` of `archive`, which `reader` reads. A tensor that lies in one piece is not copied;
// other content lies in `copy`. Throws the exceptions of LibTorch.
absl::string_view ReadRecord(caffe2::serialize::PyTorchStreamReader& reader, const ArchivePieces& archive,
                             const std::string& path, std::string* copy);

// Loads the TorchScript file `path`. The file must be trusted, that is, Modelport itself has written it, because
// loading runs code of the file. Each read calls `on_bytes` with its number of bytes.
//   DataLoss  LibTorch cannot load it
absl::StatusOr<torch::jit::Module> LoadModule(
    const std::string& path, const std::function<void(int64_t)>& on_bytes = [](int64_t) {});

// Loads the module of `archive` with its tensors on the CPU. LibTorch reads a new archive that is written from the
// records of `archive`, so it sees neither other records of the file nor duplicates. Loading runs code of the archive:
// call this within RunConfined if the archive is untrusted.
//   DataLoss            LibTorch cannot load it
//   ResourceExhausted   out of memory
absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive);

// A file in an archive that is not part of the module. torch::jit::load returns it to a caller who names it.
struct ExtraFile {
  std::string name;
  // Makes the file's text. It is called after everything else has been written.
  std::function<absl::StatusOr<std::string>()> text;
};

// Writes the TorchScript archive of `module`, with the files `extra`, to `out`. Equal modules give equal bytes. The
// records are those that LibTorch writes, or those of read_format.h if `runtime` is not null and has old_records. Each
// tensor's bytes go to one call of WriteLasting.
absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          Writer& out);

// The same archive in memory. It refers to the module's tensors, which must outlive it.
absl::StatusOr<std::shared_ptr<ArchivePieces>> MakeArchive(const torch::jit::Module& module, const Runtime* runtime,
                                                           const std::vector<ExtraFile>& extra);

// The format of the archive that WriteArchive writes for a module that calls `operators`. `none_type` stays false: it
// matters only to old runtimes, and WriteArchive never writes the name NoneType for them.
ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators);

// Compares `file` byte by byte with `expected`, the archive that WriteArchive writes. `slots` are the names of the
// module's tensors in the order of the archive, for messages.
//   DataLoss  names the first record that differs, and its line if it is text, or its slot if it is a tensor
absl::Status CompareArchive(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                            const std::vector<std::string>& slots);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_MODULE_ARCHIVE_H_
