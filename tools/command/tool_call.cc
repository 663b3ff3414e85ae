#include "tools/command/tool_call.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace modelport {

namespace {

std::string& AllToolsProgram() {
  static auto* const program = new std::string();
  return *program;
}

}  // namespace

void SetAllToolsProgram(absl::string_view name) { AllToolsProgram() = std::string(name); }

std::string RepositoryOf(absl::string_view path) {
  constexpr absl::string_view kBefore = "/bin/external/", kAfter = "/tools/";
  const size_t before = path.rfind(kBefore);
  if (before == path.npos) return "";
  const absl::string_view name = path.substr(before + kBefore.size());
  const size_t end = name.find('/');
  if (end == name.npos || name.substr(end, kAfter.size()) != kAfter) return "";
  return absl::StrCat("@", name.substr(0, end));
}

const std::string& ModelportRepository() {
  static const auto* const repository = [] {
    std::error_code error;
    return new std::string(RepositoryOf(std::filesystem::read_symlink("/proc/self/exe", error).string()));
  }();
  return *repository;
}

std::string ToolCall(absl::string_view tool, absl::string_view arguments) {
  const std::string& program = AllToolsProgram();
  if (!program.empty()) return absl::StrCat(program, " ", tool, arguments.empty() ? "" : " ", arguments);
  return absl::StrCat("bazel run ", ModelportRepository(), "//tools:", tool, arguments.empty() ? "" : " -- ",
                      arguments);
}

std::string PagePlace(absl::string_view page) {
  const std::string& program = AllToolsProgram();
  return absl::StrCat(program.empty() ? "docs/" : absl::StrCat("share/doc/", program, "/"), page);
}

}  // namespace modelport
