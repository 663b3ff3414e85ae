#include "common/artifact/save_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/export.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/artifact/archive_pieces.h"
#include "common/artifact/old_records.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The memory of a module's tensors, which stays as it is as long as the module lives.
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

  std::map<const char*, const char*> ends_;  // By begin.
};

using Sink = std::function<size_t(const void*, size_t)>;
using caffe2::serialize::PyTorchStreamWriter;

// A tensor's bytes come to `sink` in one piece, from where they lie.
void Serialize(const torch::jit::Module& module, const RecordWriter& add_records, bool with_checksums,
               const Sink& sink) {
  PyTorchStreamWriter writer(sink, with_checksums);
  torch::jit::ScriptModuleSerializer serializer(writer);
  serializer.serialize(module, /*extra_files=*/{}, /*bytecode_format=*/false, /*save_mobile_debug_info=*/false);
  add_records(writer);
  writer.writeEndOfFile();
}

void SerializeForOldReaders(const torch::jit::Module& module, const TensorMemory& tensors,
                            const RecordWriter& add_records, uint32_t version, const Sink& sink) {
  const auto pieces = std::make_shared<ArchivePieces>();
  const auto collect = [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    if (tensors.Contains(bytes)) {
      pieces->Append(bytes);
    } else {
      pieces->AppendCopy(bytes);
    }
    return size;
  };
  Serialize(
      module, [](PyTorchStreamWriter&) {}, /*with_checksums=*/false, collect);
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
                          const ArchiveSink& sink) {
  const TensorMemory tensors(module);
  absl::Status extra_status;
  const auto add_extra = [&](PyTorchStreamWriter& writer) { extra_status = WriteExtra(extra, writer); };
  const auto pass_on = [&](const void* data, size_t size) -> size_t {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    sink(bytes, tensors.Contains(bytes));
    return size;
  };
  RETURN_IF_ERROR(CatchTorch([&] {
    if (runtime != nullptr && runtime->old_records) {
      SerializeForOldReaders(module, tensors, add_extra, runtime->max_archive_version, pass_on);
    } else {
      Serialize(module, add_extra, /*with_checksums=*/true, pass_on);
    }
  }));
  return extra_status;
}

ArchiveFormat WrittenFormat(const Runtime* runtime, const std::vector<Operator>& operators) {
  if (runtime != nullptr && runtime->old_records) return FormatFor(*runtime);
  ArchiveFormat format;
  format.new_records = true;
  format.version = caffe2::serialize::kMinProducedFileFormatVersion;
  for (const Operator& op : operators) format.version = std::max(format.version, op.version);
  return format;
}

absl::StatusOr<int64_t> SaveModule(const torch::jit::Module& module, const Runtime* runtime, OutputFile& file,
                                   BackgroundSha256& sha256, const std::function<void(int64_t)>& on_bytes,
                                   const std::vector<ExtraFile>& extra) {
  int64_t total = 0;
  absl::Status written;
  // LibTorch's writer throws from its destructor when a write fails, which would end the process. So a failure is kept
  // for the end, and what comes after it goes nowhere.
  const auto write = [&](absl::string_view bytes, bool is_weights) {
    if (!written.ok()) return;
    if (is_weights) {
      sha256.Append(bytes);
    } else {
      sha256.AppendCopy(bytes);
    }
    written = file.Write(bytes);
    total += bytes.size();
    on_bytes(bytes.size());
  };
  const absl::Status archived = WriteArchive(module, runtime, extra, write);
  RETURN_IF_ERROR(written);
  RETURN_IF_ERROR(archived);
  return total;
}

}  // namespace modelport
