#include "common/archive/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/archive/old_records.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

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

using Sink = std::function<size_t(const void*, size_t)>;
using caffe2::serialize::PyTorchStreamWriter;

// Writes the archive of `module` to `sink`, which gets the bytes of each tensor in one call and not as a copy.
void Serialize(const torch::jit::Module& module, const RecordWriter& add_records, bool with_checksums,
               const Sink& sink) {
  PyTorchStreamWriter writer(sink, with_checksums);
  torch::jit::ScriptModuleSerializer serializer(writer);
  serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
  add_records(writer);
  writer.writeEndOfFile();
}

// A sink that writes to `out`, and nothing more after an error, which it keeps in `status`. It never tells LibTorch's
// writer of an error: that writer would throw from its destructor, which ends the process.
Sink SinkTo(const TensorMemory& tensors, Writer& out, absl::Status& status) {
  return [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    if (status.ok()) status = tensors.Contains(bytes) ? out.WriteLasting(bytes) : out.Write(bytes);
    return size;
  };
}

void SerializeForOldReaders(const torch::jit::Module& module, const TensorMemory& tensors,
                            const RecordWriter& add_records, uint32_t version, const Sink& sink) {
  const auto pieces = std::make_shared<ArchivePieces>();
  absl::Status status;  // Always OK, since `pieces` takes every byte.
  Serialize(
      module, [](PyTorchStreamWriter&) {}, /*with_checksums=*/false, SinkTo(tensors, *pieces, status));
  WriteOldRecords(pieces, version, add_records, sink);
}

absl::Status WriteExtra(const std::vector<ExtraFile>& extra, PyTorchStreamWriter& writer) {
  for (const ExtraFile& file : extra) {
    ASSIGN_OR_RETURN(const std::string text, file.text());
    writer.writeRecord(absl::StrCat("extra/", file.name), text.data(), text.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteArchive(const torch::jit::Module& module, const Runtime* runtime, const std::vector<ExtraFile>& extra,
                          Writer& out) {
  absl::Status extra_status, written;
  const auto add_extra = [&](PyTorchStreamWriter& writer) { extra_status = WriteExtra(extra, writer); };
  const TensorMemory tensors(module);
  const Sink sink = SinkTo(tensors, out, written);
  const absl::Status serialized = CatchTorch([&] {
    if (runtime != nullptr && runtime->old_records) {
      SerializeForOldReaders(module, tensors, add_extra, runtime->max_archive_version, sink);
    } else {
      Serialize(module, add_extra, /*with_checksums=*/true, sink);
    }
  });
  RETURN_IF_ERROR(written);
  RETURN_IF_ERROR(serialized);
  return extra_status;
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
