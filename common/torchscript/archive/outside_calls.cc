#include "common/torchscript/archive/outside_calls.h"

#include <torch/csrc/jit/frontend/lexer.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/text/printable.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// An operator, or a namespace of operators and of classes.
struct OutsideName {
  absl::string_view name;
  absl::string_view effect;
};

constexpr OutsideName kOutsideNames[] = {
    {"_c10d_functional::", "exchanges data with other processes"},
    {"_c10d_functional_autograd::", "exchanges data with other processes"},
    {"_dtensor::", "exchanges data with other processes"},
    {"aten::from_file", "reads and writes files"},
    {"aten::save", "writes files"},
    {"c10d::", "exchanges data with other processes"},
    {"symm_mem::", "exchanges data with other processes"},
};

bool IsNamespace(const OutsideName& outside) { return absl::EndsWith(outside.name, "::"); }

bool RunsWhileLoading(const std::string& method) { return method == "__setstate__" || method == "__getstate__"; }

// "PLACE: defines NAME" for the first such method that the record defines; "" if it defines none.
std::string FindDefinition(const ScriptArchive::Record& record) {
  torch::jit::Lexer lexer(std::make_shared<torch::jit::Source>(std::string(record.content), std::string(record.path),
                                                               /*first line*/ 1));
  bool defines = false;  // Whether the last token was `def`.
  while (lexer.cur().kind != torch::jit::TK_EOF) {
    const torch::jit::Token token = lexer.next();
    if (defines && token.kind == torch::jit::TK_IDENT && RunsWhileLoading(token.text())) {
      const auto place = token.range.file_line_col();
      return absl::StrCat(Brief(std::get<0>(*place)), ":", std::get<1>(*place), ": defines ", token.text());
    }
    defines = token.kind == torch::jit::TK_DEF;
  }
  return "";
}

absl::Status CallsOutside(absl::string_view place, absl::string_view name, absl::string_view effect) {
  return absl::FailedPreconditionError(absl::StrCat(Brief(place), ": calls ", name, ", which ", effect,
                                                    "\n  remove the call and save the module again"));
}

}  // namespace

absl::string_view OutsideEffect(absl::string_view name) {
  for (const OutsideName& outside : kOutsideNames) {
    if (IsNamespace(outside) ? absl::StartsWith(name, outside.name) : name == outside.name) return outside.effect;
  }
  return "";
}

absl::Status CheckLoadingRunsNothing(const ScriptArchive& archive) {
  for (const ScriptArchive::Record& record : archive.records()) {
    if (!IsCode(record.path)) continue;
    const absl::StatusOr<std::string> found = CatchTorch([&] { return FindDefinition(record); });
    if (!found.ok()) {
      return absl::DataLossError(
          absl::StrCat(Brief(record.path), ": not TorchScript: ", PrintableLines(found.status().message())));
    }
    if (found->empty()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(*found, ", which runs while the file is loaded\n  remove the method and save the module again"));
  }
  return absl::OkStatus();
}

absl::Status CheckNoOutsideCalls(const torch::jit::Module& module) {
  const ModuleCalls calls = CollectCalls(module);
  for (const Operator& op : calls.operators) {
    const absl::string_view effect = OutsideEffect(op.name);
    if (!effect.empty()) return CallsOutside(op.calls.front().places.front().line.place, op.name, effect);
  }
  for (const NativeClass& used : calls.native_classes) {
    const absl::string_view effect = OutsideEffect(absl::StrReplaceAll(used.name, {{".", "::"}}));
    if (!effect.empty()) return CallsOutside(used.place.place, absl::StrCat("torch.classes.", used.name), effect);
  }
  return absl::OkStatus();
}

}  // namespace modelport
