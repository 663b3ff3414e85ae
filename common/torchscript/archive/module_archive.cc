#include "common/torchscript/archive/module_archive.h"

#include <caffe2/serialize/file_adapter.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
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

// A file that calls `on_bytes` with the number of bytes of each read.
class CountingReader : public caffe2::serialize::ReadAdapterInterface {
 public:
  CountingReader(const std::string& path, const std::function<void(int64_t)>& on_bytes)
      : file_(path), on_bytes_(on_bytes) {}

  size_t size() const override { return file_.size(); }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override {
    on_bytes_(size);
    return file_.read(position, buffer, size, what);
  }

 private:
  caffe2::serialize::FileAdapter file_;
  const std::function<void(int64_t)>& on_bytes_;
};

bool Contains(absl::string_view whole, absl::string_view part) {
  const std::less_equal<> before;
  return before(whole.data(), part.data()) && before(part.data() + part.size(), whole.data() + whole.size());
}

// An archive of the records, none of them compressed. It refers to their contents in `archive`.
std::shared_ptr<ArchivePieces> WritePieces(const ScriptArchive& archive) {
  auto pieces = std::make_shared<ArchivePieces>();
  absl::string_view content;
  const auto append = [&](const void* data, size_t size) {
    const absl::string_view bytes(static_cast<const char*>(data), size);
    const absl::Status written = Contains(content, bytes) ? pieces->WriteLasting(bytes) : pieces->Write(bytes);
    return written.ok() ? size : 0;
  };
  caffe2::serialize::PyTorchStreamWriter writer(append, /*compute_crc32=*/false);
  for (const ScriptArchive::Record& record : archive.records()) {
    content = record.content;
    writer.writeRecord(std::string(record.path), content.data(), content.size());
  }
  content = "";
  writer.writeEndOfFile();
  return pieces;
}

using caffe2::serialize::PyTorchStreamReader;

size_t FirstDifference(absl::string_view a, absl::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  return std::mismatch(a.begin(), a.begin() + size, b.begin()).first - a.begin();
}

// The line that contains byte `position`.
absl::string_view LineAt(absl::string_view text, size_t position) {
  const size_t before = position == 0 ? text.npos : text.rfind('\n', position - 1);
  const size_t begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', position) - begin);
}

std::string DescribeText(absl::string_view expected, absl::string_view actual) {
  const size_t position = FirstDifference(expected, actual);
  const absl::string_view before = expected.substr(0, position);
  return absl::StrCat("line ", 1 + std::count(before.begin(), before.end(), '\n'), ": is not what Modelport writes",
                      "\n  wants ", Brief(LineAt(expected, position)), "\n  has   ",
                      Brief(LineAt(actual, std::min(position, actual.size()))));
}

bool IsText(absl::string_view path) { return absl::EndsWith(path, ".py") || absl::EndsWith(path, ".json"); }

// Compares the records of a file with those of the expected archive.
class RecordComparer {
 public:
  RecordComparer(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                 const std::vector<std::string>& slots)
      : pieces_(*expected), reader_(expected), file_(file), slots_(slots) {}

  // Describes the first difference. Call it only if the files differ. Throws the exceptions of LibTorch.
  absl::Status Explain() {
    const std::vector<std::string> paths = reader_.getAllRecords();
    for (const ZipRecord& record : file_.records()) {
      absl::string_view path = record.name;
      if (absl::ConsumePrefix(&path, kArchiveFolder) && std::find(paths.begin(), paths.end(), path) != paths.end())
        continue;
      return absl::DataLossError(absl::StrCat(Brief(record.name), ": a record that Modelport does not write"));
    }
    for (const std::string& path : paths) {
      RETURN_IF_ERROR(Annotate(Compare(path), Describe(path)));
    }
    return absl::DataLossError("every record is right, but Modelport arranges the records in another way");
  }

 private:
  // "data/3 (blocks.0.norm1.weight)".
  std::string Describe(const std::string& path) const {
    absl::string_view number = path;
    size_t slot = 0;
    if (!absl::ConsumePrefix(&number, "data/") || !absl::SimpleAtoi(number, &slot) || slot >= slots_.size())
      return path;
    return absl::StrCat(path, " (", slots_[slot], ")");
  }

  absl::Status Compare(const std::string& path) {
    const ZipRecord* const record = file_.Find(path);
    if (record == nullptr) return absl::DataLossError("missing");
    std::string copy, inflated;
    const absl::string_view expected = ReadRecord(reader_, pieces_, path, &copy);
    if (record->size != expected.size() && !IsText(path)) {
      return absl::DataLossError(absl::StrCat("wants ", expected.size(), " bytes, has ", record->size));
    }
    absl::string_view actual = record->bytes;
    if (record->deflated) {
      // An inflated text of any size must not fill the memory.
      ASSIGN_OR_RETURN(inflated, InflateRecord(*record, 2 * expected.size() + (size_t{1} << 20)));
      actual = inflated;
    }
    if (actual == expected) return CheckCrc32(*record, actual);
    if (IsText(path)) return absl::DataLossError(DescribeText(expected, actual));
    return absl::DataLossError(
        absl::StrCat("is not what Modelport writes from byte ", FirstDifference(expected, actual), " on"));
  }

  const ArchivePieces& pieces_;
  PyTorchStreamReader reader_;
  const ArtifactFile& file_;
  const std::vector<std::string>& slots_;
};

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

absl::Status ArchivePieces::Write(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const bool continues =
      !copies_.empty() && !pieces_.empty() && pieces_.rbegin()->second.data() == copies_.back().data();
  if (!continues) copies_.emplace_back();
  std::string& copy = copies_.back();
  const uint64_t start = size_ - copy.size();
  copy.append(bytes.data(), bytes.size());
  pieces_[start] = copy;
  size_ += bytes.size();
  return absl::OkStatus();
}

absl::Status ArchivePieces::WriteLasting(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  pieces_[size_] = bytes;
  size_ += bytes.size();
  return absl::OkStatus();
}

absl::string_view ArchivePieces::View(uint64_t position, size_t size) const {
  if (position >= size_) return "";
  const auto& [start, piece] = *std::prev(pieces_.upper_bound(position));
  const uint64_t offset = position - start;
  return size <= piece.size() - offset ? piece.substr(offset, size) : "";
}

bool ArchivePieces::Equals(absl::string_view bytes) const {
  return bytes.size() == size_ && std::all_of(pieces_.begin(), pieces_.end(), [bytes](const auto& piece) {
           return bytes.substr(piece.first, piece.second.size()) == piece.second;
         });
}

size_t ArchivePieces::read(uint64_t position, void* buffer, size_t size, const char*) const {
  size_t count = 0;
  while (count < size && position + count < size_) {
    const auto& [start, piece] = *std::prev(pieces_.upper_bound(position + count));
    const absl::string_view rest = piece.substr(position + count - start, size - count);
    std::memcpy(static_cast<char*>(buffer) + count, rest.data(), rest.size());
    count += rest.size();
  }
  return count;
}

absl::string_view ReadRecord(caffe2::serialize::PyTorchStreamReader& reader, const ArchivePieces& archive,
                             const std::string& path, std::string* copy) {
  if (absl::StartsWith(path, "data/")) {
    const absl::string_view tensor = archive.View(reader.getRecordOffset(path), reader.getRecordSize(path));
    if (!tensor.empty()) return tensor;
  }
  const auto [data, size] = reader.getRecord(path);
  copy->assign(static_cast<const char*>(data.get()), size);
  return *copy;
}

absl::StatusOr<torch::jit::Module> LoadModule(const std::string& path, const std::function<void(int64_t)>& on_bytes) {
  auto module =
      CatchTorch([&] { return torch::jit::load(std::make_unique<CountingReader>(path, on_bytes), at::kCPU); });
  if (!module.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": LibTorch cannot load it: ", module.status().message()));
  }
  return module;
}

absl::StatusOr<torch::jit::Module> LoadArchive(const ScriptArchive& archive) {
  auto module = CatchTorch([&] { return torch::jit::load(WritePieces(archive), at::kCPU); });
  if (module.ok() || absl::IsResourceExhausted(module.status())) return module;
  return absl::DataLossError(absl::StrCat("LibTorch cannot load it: ", module.status().message()));
}

absl::Status CompareArchive(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                            const std::vector<std::string>& slots) {
  if (expected->Equals(file.bytes())) return absl::OkStatus();
  absl::Status difference;
  const absl::Status caught = CatchTorch([&] { difference = RecordComparer(expected, file, slots).Explain(); });
  return Annotate(caught.ok() ? difference : caught, file.path());
}

}  // namespace modelport
