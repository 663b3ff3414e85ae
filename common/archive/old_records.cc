#include "common/archive/old_records.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace modelport {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using caffe2::serialize::PyTorchStreamWriter;

// Whether the new archive has no copy of the record `name`. Old readers do not know debug records, and the writer makes
// its own records about the archive as a whole.
bool IsLeftOut(absl::string_view name) {
  return absl::EndsWith(name, ".debug_pkl") || absl::StartsWith(name, ".data/") || name == "version" ||
         name == "byteorder";
}

void CopyRecord(PyTorchStreamReader& reader, const ArchivePieces& archive, const std::string& name,
                PyTorchStreamWriter& writer) {
  if (absl::StartsWith(name, "data/")) {
    // Weights are not compressed, so they need no copy.
    const absl::string_view weights = archive.View(reader.getRecordOffset(name), reader.getRecordSize(name));
    if (!weights.empty()) return writer.writeRecord(name, weights.data(), weights.size());
  }
  const auto [data, size] = reader.getRecord(name);
  std::string content(static_cast<const char*>(data.get()), size);
  if (absl::StartsWith(name, "code/")) content = OldSyntax(content);
  writer.writeRecord(name, content.data(), content.size());
}

}  // namespace

void WriteOldRecords(const std::shared_ptr<ArchivePieces>& archive, uint32_t version, const RecordWriter& add_records,
                     const std::function<size_t(const void*, size_t)>& sink) {
  PyTorchStreamReader reader(archive);
  PyTorchStreamWriter writer(sink);
  for (const std::string& name : reader.getAllRecords()) {
    if (!IsLeftOut(name)) CopyRecord(reader, *archive, name, writer);
  }
  const std::string record = absl::StrCat(version, "\n");
  writer.writeRecord("version", record.data(), record.size());
  add_records(writer);
  writer.writeEndOfFile();
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
