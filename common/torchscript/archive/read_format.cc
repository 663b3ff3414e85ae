#include "common/torchscript/archive/read_format.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using Record = ScriptArchive::Record;

// Prefers the newer of the two records, as LibTorch does.
absl::StatusOr<uint32_t> Version(const ScriptArchive& archive) {
  const Record* record = archive.Find(".data/version");
  if (record == nullptr) record = archive.Find("version");
  if (record == nullptr) return absl::DataLossError("no record has the version of the format");
  uint32_t version = 0;
  if (absl::SimpleAtoi(absl::StripAsciiWhitespace(record->content), &version)) return version;
  return absl::DataLossError(absl::StrCat(Brief(record->path), ": the version is not a number: \"",
                                          Brief(record->content.substr(0, 20)), "\""));
}

absl::StatusOr<bool> NamesNoneType(const Record& record) {
  const std::string code(record.content);
  const absl::StatusOr<std::string> old = CatchTorch([&] { return OldSyntax(code); });
  if (old.ok()) return *old != code;
  return absl::DataLossError(
      absl::StrCat(Brief(record.path), ": not TorchScript: ", PrintableLines(old.status().message())));
}

}  // namespace

absl::StatusOr<ArchiveFormat> FormatOf(const ScriptArchive& archive) {
  ArchiveFormat format;
  ASSIGN_OR_RETURN(format.version, Version(archive));
  for (const Record& record : archive.records()) {
    if (record.path == ".data/version" || absl::EndsWith(record.path, ".debug_pkl")) format.new_records = true;
    if (!IsCode(record.path)) continue;
    ASSIGN_OR_RETURN(const bool names_none_type, NamesNoneType(record));
    format.none_type |= names_none_type;
  }
  return format;
}

absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (const absl::Status status = CheckScriptFile(file->bytes()); !status.ok()) return Annotate(status, path);
  const absl::StatusOr<ScriptArchive> archive = ScriptArchive::Read(file->bytes());
  if (!archive.ok()) return Annotate(archive.status(), path);
  absl::StatusOr<ArchiveFormat> format = FormatOf(*archive);
  return format.ok() ? format : Annotate(format.status(), path);
}

bool IsOldRecord(absl::string_view path) {
  return !absl::EndsWith(path, ".debug_pkl") && !absl::StartsWith(path, ".data/") && path != "version";
}

std::string OldSyntax(const std::string& code) {
  torch::jit::Lexer lexer(std::make_shared<torch::jit::Source>(code));
  std::string old;
  size_t copied = 0;
  for (; lexer.cur().kind != torch::jit::TK_EOF; lexer.next()) {
    const torch::jit::Token& token = lexer.cur();
    if (token.kind != torch::jit::TK_NONE_TYPE) continue;
    absl::StrAppend(&old, code.substr(copied, token.range.start() - copied), "None");
    copied = token.range.end();
  }
  return absl::StrCat(old, code.substr(copied));
}

}  // namespace modelport
