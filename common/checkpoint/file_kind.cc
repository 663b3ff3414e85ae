#include "common/checkpoint/file_kind.h"

#include <algorithm>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

using absl::string_view;

constexpr string_view kDownloadAgain = "\n  download the file again";
constexpr string_view kConvert = "\n  save the weights as torch.save(model.state_dict(), path) or as safetensors";

// A format that users sometimes mistake for a checkpoint.
struct Foreign {
  size_t offset;
  string_view magic;
  string_view name;
  string_view cure;
};

constexpr Foreign kForeign[] = {
    {0, "version https://git-lfs", "a Git LFS pointer, not the file itself", "\n  fetch the file with: git lfs pull"},
    {0, "GGUF", "a GGUF file", kConvert},
    {0, "\x89HDF\r\n", "an HDF5 file, as Keras writes", kConvert},
    {4, "TFL3", "a TensorFlow Lite file", kConvert},
    {0, "\x93NUMPY", "a NumPy array", kConvert},
    {0, "\x1f\x8b", "a gzip file", "\n  unpack it first"},
    {0,
     "\xfd"
     "7zXZ",
     "an xz file", "\n  unpack it first"},
    {0, "\x28\xb5\x2f\xfd", "a zstd file", "\n  unpack it first"},
    {0, "BZh", "a bzip2 file", "\n  unpack it first"},
    {257, "ustar", "a tar archive",
     "\n  unpack it first; of torch.save, the format before PyTorch 0.2 is not supported"},
};

string_view FirstBytes(string_view file, size_t offset, size_t size) {
  return file.size() < offset ? string_view() : file.substr(offset, size);
}

bool IsHtml(string_view file) {
  const string_view text = absl::StripLeadingAsciiWhitespace(file.substr(0, 1024));
  return absl::StartsWithIgnoreCase(text, "<!doctype") || absl::StartsWithIgnoreCase(text, "<html") ||
         absl::StartsWithIgnoreCase(text, "<?xml");
}

// The format of a file that is no checkpoint; its name is "" if it is not known.
Foreign FindForeign(string_view file) {
  if (IsHtml(file)) return {0, "", "a web page, perhaps the error page of a download", kDownloadAgain};
  for (const Foreign& foreign : kForeign) {
    if (FirstBytes(file, foreign.offset, foreign.magic.size()) == foreign.magic) return foreign;
  }
  return IsOnnx(file) ? Foreign{0, "", "an ONNX file", kConvert} : Foreign{0, "", "", kConvert};
}

// A safetensors file may begin with a brace too, but the upper bytes of its header's length are 0.
bool IsJson(string_view file) {
  const string_view start = FirstBytes(file, 0, 8);
  return file[0] == '{' && std::all_of(start.begin(), start.end(), [](char c) { return c > 0; });
}

absl::Status NotACheckpoint(string_view name, string_view cure) {
  return absl::InvalidArgumentError(absl::StrCat("not a checkpoint: ", name, cure));
}

bool HasName(string_view path, string_view name) {
  return absl::EndsWith(path, name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

bool HasAnyEnd(string_view path, std::initializer_list<string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [path](string_view end) { return absl::EndsWithIgnoreCase(path, end); });
}

// A record that tells the format of its archive, in which no checkpoint comes.
struct ForeignRecord {
  string_view name;
  string_view archive;
  string_view cure;
};

constexpr string_view kOfExport =
    "\n  save its weights as torch.save(torch.export.load(path).state_dict, \"weights.pth\")";

constexpr ForeignRecord kForeignRecords[] = {
    {"archive_format", "a program of torch.export", kOfExport},
    {"serialized_exported_program.json", "a program of torch.export", kOfExport},
    {"model.weights.h5", "a Keras file", kConvert},
};

// The header follows its length in 8 bytes. Their values may equal the start of any other format, but the length is
// below 4 GiB.
bool IsSafetensors(string_view file) { return FirstBytes(file, 4, 5) == string_view("\0\0\0\0{", 5); }

// Pickles of protocol 2 and above begin with PROTO and the version.
bool IsPickle(string_view file) { return file[0] == '\x80' && file[1] >= 2 && file[1] <= 5; }

}  // namespace

bool IsOnnx(string_view file) {
  // A protobuf whose first field is a small ir_version, then the producer's name or version, the graph or the opset.
  constexpr string_view kSecondFields = "\x12\x1a\x3a\x42";
  return file.size() > 2 && file[0] == '\x08' && file[1] < 0x20 && kSecondFields.find(file[2]) != string_view::npos;
}

absl::StatusOr<FileKind> DetectFileKind(string_view file) {
  constexpr size_t kSafetensorsPrefix = 8;
  if (file.empty()) return absl::DataLossError(absl::StrCat("empty file", kDownloadAgain));
  if (IsHtml(file)) return NotACheckpoint(FindForeign(file).name, kDownloadAgain);
  if (file.size() <= kSafetensorsPrefix) {
    return absl::DataLossError(absl::StrCat("truncated: has ", file.size(), " bytes", kDownloadAgain));
  }
  if (IsSafetensors(file)) return FileKind::kSafetensors;
  if (absl::StartsWith(file, "PK\3\4")) return FileKind::kTorchZip;
  if (IsPickle(file)) return FileKind::kTorchLegacy;
  if (IsJson(file)) return FileKind::kJson;
  if (file[kSafetensorsPrefix] == '{') return FileKind::kSafetensors;
  const Foreign foreign = FindForeign(file);
  return NotACheckpoint(foreign.name.empty() ? "neither torch.save nor safetensors wrote this file" : foreign.name,
                        foreign.cure);
}

std::string ForeignKind(string_view file) {
  if (DetectFileKind(file).ok() || file.size() <= 8) return "";
  const Foreign foreign = FindForeign(file);
  return absl::StrCat(foreign.name, foreign.cure == kConvert ? "" : foreign.cure);
}

bool HasScript(const std::vector<ZipRecord>& records) {
  return std::any_of(records.begin(), records.end(), [](const ZipRecord& record) {
    return HasName(record.name, "constants.pkl") ||
           (absl::EndsWith(record.name, ".py") && absl::StrContains(absl::StrCat("/", record.name), "/code/"));
  });
}

std::string ForeignArchive(const std::vector<ZipRecord>& records) {
  for (const ForeignRecord& foreign : kForeignRecords) {
    for (const ZipRecord& record : records) {
      if (HasName(record.name, foreign.name)) return absl::StrCat(foreign.archive, foreign.cure);
    }
  }
  for (const ZipRecord& record : records) {
    if (HasName(record.name, "data.pkl")) return "";
  }
  if (HasScript(records)) return "";
  for (const ZipRecord& record : records) {
    if (!HasAnyEnd(record.name, {".bin", ".ckpt", ".pt", ".pth", ".safetensors", ".zip"})) continue;
    return absl::StrCat("a zip archive that holds ", Brief(record.name), "\n  unpack it first, and give that file");
  }
  for (const ZipRecord& record : records) {
    if (absl::EndsWith(record.name, ".npy")) return absl::StrCat("an archive of NumPy arrays", kConvert);
  }
  return "a zip archive that torch.save did not write: it has no data.pkl";
}

}  // namespace modelport
