#include "common/torchscript/archive/script_file.h"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/lexer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/script_archive.h"
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

absl::StatusOr<ScriptArchive> ReadScriptArchive(absl::string_view bytes) {
  RETURN_IF_ERROR(CheckScriptFile(bytes));
  return ScriptArchive::Read(bytes);
}

// Loads a file whose records were checked.
absl::StatusOr<ScriptFile> LoadScriptFile(const ScriptArchive& archive) {
  ASSIGN_OR_RETURN(const ArchiveFormat format, FormatOf(archive));
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadArchive(archive));
  absl::Status outside;
  RETURN_IF_ERROR(CatchTorch([&] { outside = CheckNoOutsideCalls(module); }));
  RETURN_IF_ERROR(outside);
  return ScriptFile{std::make_shared<torch::jit::Module>(std::move(module)), format};
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

absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const ScriptArchive archive, ReadScriptArchive(bytes));
  return LoadScriptFile(archive);
}

absl::StatusOr<ScriptFile> LoadForeignScript(absl::string_view bytes) {
  // Both processes load what was checked, whatever another process writes to the file meanwhile.
  ASSIGN_OR_RETURN(const ScriptArchive archive, ReadScriptArchive(bytes));
  const auto confined =
      RunConfined(LimitsForScript(bytes.size(), absl::Minutes(2)), [&]() -> absl::StatusOr<std::string> {
        at::set_num_threads(1);  // It cannot start threads.
        RETURN_IF_ERROR(CheckLoadingRunsNothing(archive));
        RETURN_IF_ERROR(LoadScriptFile(archive).status());
        return std::string();
      });
  if (!confined.ok()) return ErrorOfScript(confined.status());
  return LoadScriptFile(archive);
}

// LibTorch copies tensors once, in about 1 ns per byte. To compile code it takes about 150 bytes and 2 us per byte, and
// code is compressed in the file. The constants are enough for 2 MB of code, or 30,000 lines, in a file without
// tensors.
ConfinedLimits LimitsForScript(size_t file_size, absl::Duration least_time) {
  const absl::Duration cpu_time = least_time + absl::Nanoseconds(100 * file_size);
  return {.memory = static_cast<int64_t>((512 << 20) + 2 * file_size),
          .cpu_time = cpu_time,
          // The disk may be slow, and the machine busy.
          .wall_time = absl::Minutes(5) + 10 * cpu_time};
}

absl::Status ErrorOfScript(const absl::Status& status) {
  // A message of LibTorch quotes the file, so it may be as long as the file.
  constexpr size_t kMaxMessage = 4000;
  const std::string message = PrintableLines(status.message().substr(0, kMaxMessage));
  // For a module of Modelport's own these errors would be a bug. Here the file causes them.
  if (!absl::IsAborted(status) && !absl::IsInternal(status)) return absl::Status(status.code(), message);
  return absl::DataLossError(absl::StrCat("LibTorch cannot read it: ", message));
}

}  // namespace modelport
