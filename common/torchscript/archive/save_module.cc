#include "common/torchscript/archive/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/export.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/archive_writer.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// The memory of a module's tensors, which does not change as long as the module lives.
class TensorMemory {
 public:
  explicit TensorMemory(const torch::jit::Module& module) {
    for (const at::Tensor& tensor : module.parameters()) Add(tensor);
    for (const at::Tensor& tensor : module.buffers()) Add(tensor);
  }

  bool Contains(absl::string_view bytes) const {
    const auto next = ends_.upper_bound(bytes.data());
    return next != ends_.begin() && bytes.data() + bytes.size() <= std::prev(next)->second;
  }

 private:
  void Add(const at::Tensor& tensor) {
    const char* begin = static_cast<const char*>(tensor.const_data_ptr());
    ends_[begin] = begin + tensor.nbytes();
  }

  std::map<const char*, const char*> ends_;  // The end of each tensor's memory by its begin.
};

using caffe2::serialize::PyTorchStreamReader;
using caffe2::serialize::PyTorchStreamWriter;

// Collects what LibTorch writes for `module`, without CRC-32s. Neither copies the tensors' bytes nor reads them.
std::shared_ptr<ArchivePieces> Serialize(const torch::jit::Module& module, const TensorMemory& tensors) {
  auto pieces = std::make_shared<ArchivePieces>();
  const auto collect = [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    // Neither call fails. That is necessary: after an error, LibTorch's writer would throw from its destructor, which
    // ends the process.
    (tensors.Contains(bytes) ? pieces->WriteLasting(bytes) : pieces->Write(bytes)).IgnoreError();
    return size;
  };
  PyTorchStreamWriter writer(collect, /*compute_crc32=*/false);
  torch::jit::ScriptModuleSerializer serializer(writer);
  serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
  writer.writeEndOfFile();
  return pieces;
}

// Writes the records of `archive` to `out`, as the version `old` if it is not null. Throws the exceptions of LibTorch.
absl::Status CopyRecords(const std::shared_ptr<ArchivePieces>& archive, const TensorMemory& tensors, const Runtime* old,
                         ArchiveWriter& out) {
  PyTorchStreamReader reader(archive);
  for (const std::string& path : reader.getAllRecords()) {
    // LibTorch derives this identity of an archive from the CRC-32s, and does not need it.
    if (path == ".data/serialization_id") continue;
    if (old != nullptr && !IsOldRecord(path)) continue;
    std::string copy;
    const absl::string_view content = ReadRecord(reader, *archive, path, &copy);
    if (absl::StartsWith(path, "code/")) {
      RETURN_IF_ERROR(out.AddDeflated(path, old != nullptr ? OldSyntax(copy) : copy));
    } else if (tensors.Contains(content)) {
      RETURN_IF_ERROR(out.AddLasting(path, content));
    } else {
      RETURN_IF_ERROR(out.AddStored(path, content));
    }
  }
  return old == nullptr ? absl::OkStatus() : out.AddStored("version", absl::StrCat(old->max_archive_version, "\n"));
}

absl::Status WriteExtra(const std::vector<ExtraFile>& extra, ArchiveWriter& out) {
  for (const ExtraFile& file : extra) {
    ASSIGN_OR_RETURN(const std::string text, file.text());
    RETURN_IF_ERROR(out.AddStored(absl::StrCat("extra/", file.name), text));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          Writer& out) {
  const Runtime* const old = runtime != nullptr && runtime->old_records ? runtime : nullptr;
  const TensorMemory tensors(module);
  ArchiveWriter writer(out);
  absl::Status copied;
  RETURN_IF_ERROR(CatchTorch([&] { copied = CopyRecords(Serialize(module, tensors), tensors, old, writer); }));
  RETURN_IF_ERROR(copied);
  RETURN_IF_ERROR(WriteExtra(extra, writer));
  return writer.Finish();
}

absl::StatusOr<std::shared_ptr<ArchivePieces>> MakeArchive(const torch::jit::Module& module, const Runtime* runtime,
                                                           const std::vector<ExtraFile>& extra) {
  auto pieces = std::make_shared<ArchivePieces>();
  RETURN_IF_ERROR(WriteArchive(module, runtime, extra, *pieces));
  return pieces;
}

ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators) {
  if (runtime != nullptr && runtime->old_records) return FormatFor(*runtime);
  ArchiveFormat format;
  format.new_records = true;
  format.version = caffe2::serialize::kMinProducedFileFormatVersion;
  for (const Operator& op : operators) format.version = std::max(format.version, op.version);
  return format;
}

}  // namespace modelport
