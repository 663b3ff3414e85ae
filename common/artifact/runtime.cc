#include "common/artifact/runtime.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/frontend/schema_matching.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/artifact/operator_table.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr Runtime kRuntimes[] = {
    {"1.6", /*max_archive_version=*/5, /*old_records=*/true, /*floor_divides=*/false},
    {"1.12", /*max_archive_version=*/10, /*old_records=*/false, /*floor_divides=*/false},
    {"2.1", /*max_archive_version=*/10, /*old_records=*/false, /*floor_divides=*/true},
    {"2.7", /*max_archive_version=*/10, /*old_records=*/false, /*floor_divides=*/true},
    {"2.13", /*max_archive_version=*/10, /*old_records=*/false, /*floor_divides=*/true},
};

absl::Status CheckFormat(const Runtime& runtime, const ArchiveFormat& format) {
  if (format.version > runtime.max_archive_version) {
    return absl::FailedPreconditionError(absl::StrCat("LibTorch ", runtime.name, " reads archives up to version ",
                                                      runtime.max_archive_version, ", this one has version ",
                                                      format.version));
  }
  if (runtime.old_records && format.new_records) {
    return absl::FailedPreconditionError(
        absl::StrCat("LibTorch ", runtime.name, " cannot read archives with .data/version or .debug_pkl records"));
  }
  return absl::OkStatus();
}

// True if the compiler finds a schema for the call, as it does when a runtime loads the archive's code.
bool Matches(const std::vector<c10::FunctionSchema>& schemas, const OperatorCall& call) {
  if (schemas.empty()) return false;
  const auto graph = std::make_shared<torch::jit::Graph>();
  std::vector<torch::jit::NamedValue> positional, named;
  for (const OperatorCall::Argument& argument : call.arguments) {
    torch::jit::Value* value = graph->addInput()->setType(argument.type);
    if (argument.keyword.empty()) {
      positional.emplace_back(value);
    } else {
      named.emplace_back(argument.keyword, value);
    }
  }
  std::vector<const c10::FunctionSchema*> candidates;
  for (const c10::FunctionSchema& schema : schemas) candidates.push_back(&schema);
  return CatchTorch([&] { torch::jit::matchSchemas(candidates, torch::jit::SourceRange(), *graph, positional, named); })
      .ok();
}

absl::Status CheckOperator(const Runtime& runtime, const Operator& op) {
  const std::vector<c10::FunctionSchema> schemas = RegisteredSchemas(runtime.name, op.name);
  for (const OperatorCall& call : op.calls) {
    const std::string where = absl::StrCat(call.module.empty() ? "the root module" : call.module, " calls ", call.text);
    if (!Matches(schemas, call)) {
      return absl::FailedPreconditionError(absl::StrCat(where, ", which LibTorch ", runtime.name, " does not have"));
    }
    if (op.name == "aten::floor_divide" && !runtime.floor_divides) {
      return absl::FailedPreconditionError(
          absl::StrCat(where, ", which rounds towards zero in LibTorch ", runtime.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const Runtime> Runtimes() { return kRuntimes; }

absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path) {
  auto format = CatchTorch([&] {
    caffe2::serialize::PyTorchStreamReader reader(path);
    ArchiveFormat found;
    found.version = reader.version();
    for (const std::string& record : reader.getAllRecords()) {
      if (record == ".data/version" || absl::EndsWith(record, ".debug_pkl")) found.new_records = true;
    }
    return found;
  });
  if (!format.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": not a TorchScript archive: ", format.status().message()));
  }
  return format;
}

absl::Status CheckRuntime(const Runtime& runtime, const ArchiveFormat& format, const std::vector<Operator>& operators) {
  RETURN_IF_ERROR(CheckFormat(runtime, format));
  for (const Operator& op : operators) RETURN_IF_ERROR(CheckOperator(runtime, op));
  return absl::OkStatus();
}

std::string MinimumRuntime(const ArchiveFormat& format, const std::vector<Operator>& operators) {
  for (const Runtime& runtime : kRuntimes) {
    if (CheckRuntime(runtime, format, operators).ok()) return std::string(runtime.name);
  }
  return "";
}

}  // namespace modelport
