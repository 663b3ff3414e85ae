#include "common/torchscript/archive/script_archive.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/file_kind.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr uint64_t kMaxInflated = uint64_t{64} << 20;

constexpr absl::string_view kFiles[] = {".data/version", "byteorder", "constants.pkl", "data.pkl", "version"};
constexpr absl::string_view kFolders[] = {"code/", "constants/", "data/"};

bool IsRead(absl::string_view path) {
  return std::find(std::begin(kFiles), std::end(kFiles), path) != std::end(kFiles) ||
         std::any_of(std::begin(kFolders), std::end(kFolders),
                     [path](absl::string_view folder) { return absl::StartsWith(path, folder); });
}

bool IsTensor(absl::string_view path) {
  return absl::StartsWith(path, "data/") || absl::StartsWith(path, "constants/");
}

// The contents copied so far, and the number of bytes that may still be inflated.
struct Copies {
  std::deque<std::string>& contents;
  uint64_t inflatable = kMaxInflated;
};

absl::StatusOr<absl::string_view> ReadContent(const ZipRecord& record, absl::string_view path, Copies& copies) {
  if (record.deflated) {
    ASSIGN_OR_RETURN(std::string content, InflateRecord(record, copies.inflatable));
    copies.inflatable -= content.size();
    return copies.contents.emplace_back(std::move(content));
  }
  if (IsTensor(path)) return record.bytes;
  const std::string& content = copies.contents.emplace_back(record.bytes);
  RETURN_IF_ERROR(CheckCrc32(record, content));
  return content;
}

absl::Status TooLarge(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(absl::StrCat(status.message(), ": all compressed records together may have ",
                                                   kMaxInflated,
                                                   "\n  pack the archive again without compression, with zip -0"));
}

absl::Status NotTorchScript(absl::string_view kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a TorchScript file: ", kind,
                   "\n  TorchScript files are saved as torch.jit.script(module).save(path), or by Modelport's export"));
}

absl::Status CheckScriptArchive(absl::string_view file) {
  const absl::StatusOr<std::vector<ZipRecord>> records = ReadZipDirectory(file, ZipMethods::kStoredAndDeflated);
  // What reads the archive says where it is damaged.
  if (!records.ok()) return absl::OkStatus();
  if (const std::string foreign = ForeignArchive(*records); !foreign.empty()) return NotTorchScript(foreign);
  return HasScript(*records) ? absl::OkStatus()
                             : NotTorchScript("a checkpoint of torch.save, which has weights and no code");
}

}  // namespace

absl::Status CheckNoOtherFile(absl::string_view file) {
  const absl::StatusOr<FileKind> kind = DetectFileKind(file);
  if (!kind.ok()) {
    const std::string foreign = ForeignKind(file);
    return foreign.empty() ? absl::OkStatus() : NotTorchScript(foreign);
  }
  switch (*kind) {
    case FileKind::kTorchZip:
      return CheckScriptArchive(file);
    case FileKind::kSafetensors:
      return NotTorchScript("a safetensors file, which has weights and no code");
    case FileKind::kTorchLegacy:
      return NotTorchScript("a pickle or an old checkpoint of torch.save, which has weights and no code");
    case FileKind::kJson:
      return NotTorchScript("a JSON text\n  of an artifact and its manifest, give the artifact");
  }
  return absl::InternalError("unknown file kind");
}

absl::Status CheckScriptFile(absl::string_view file) {
  RETURN_IF_ERROR(CheckNoOtherFile(file));
  const absl::Status status = DetectFileKind(file).status();
  return absl::IsInvalidArgument(status) ? NotTorchScript("not a zip archive") : status;
}

absl::StatusOr<ScriptArchive> ScriptArchive::Read(absl::string_view file) {
  ASSIGN_OR_RETURN(const std::vector<ZipRecord> records, ReadZipDirectory(file, ZipMethods::kStoredAndDeflated));
  ScriptArchive archive;
  Copies copies = {.contents = archive.copies_};
  // The folder of the first record is the archive's folder, as for LibTorch.
  const absl::string_view first = records.empty() ? "" : records.front().name;
  const absl::string_view folder = first.substr(0, first.find('/') + 1);
  for (const ZipRecord& record : records) {
    absl::string_view name = record.name;
    if (folder.empty() || !absl::ConsumePrefix(&name, folder)) continue;
    std::string path(name);
    if (!IsRead(path)) continue;
    const absl::StatusOr<absl::string_view> content = ReadContent(record, path, copies);
    if (!content.ok()) return Annotate(TooLarge(content.status()), Brief(path));
    archive.records_.push_back({archive.copies_.emplace_back(std::move(path)), *content});
  }
  if (archive.Find("constants.pkl") == nullptr) return NotTorchScript("an archive without constants.pkl");
  return archive;
}

const ScriptArchive::Record* ScriptArchive::Find(absl::string_view path) const {
  const auto found =
      std::find_if(records_.begin(), records_.end(), [path](const Record& record) { return record.path == path; });
  return found == records_.end() ? nullptr : &*found;
}

bool IsCode(absl::string_view path) { return absl::StartsWith(path, "code/") && absl::EndsWith(path, ".py"); }

}  // namespace modelport
