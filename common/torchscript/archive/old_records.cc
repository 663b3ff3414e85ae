#include "common/torchscript/archive/old_records.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace modelport {
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
