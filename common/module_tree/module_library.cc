#include "common/module_tree/module_library.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/module_tree/type_parser.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

std::string AlreadyDefined(const ModuleType& first) {
  return absl::StrCat("module type ", first.name(), " is already defined at ", MarkString(first.mark));
}

bool SamePlace(const SourceText& a, const SourceText& b) { return a.file == b.file && a.line == b.line; }

}  // namespace

absl::Status ModuleLibrary::AddFile(const YamlFile& file, const std::string& name) {
  YamlProblems problems(file.path);
  ModulesFile modules = ParseModules(file, &problems);
  for (SourceText& function : modules.functions) function.name = name;
  for (ModuleType& parsed : modules.types) {
    parsed.methods.name = name;
    auto type = std::make_shared<const ModuleType>(std::move(parsed));
    const auto [same, is_new] = types_.emplace(type->name(), type);
    if (!is_new) problems.Add(type->mark, AlreadyDefined(*same->second));
    own_types_.push_back(std::move(type));
  }
  std::move(modules.functions.begin(), modules.functions.end(), std::back_inserter(functions_));
  return problems.status();
}

absl::Status ModuleLibrary::Include(const ModuleLibrary& used) {
  YamlProblems problems("module types");
  for (const auto& [name, type] : used.types_) {
    const auto [same, is_new] = types_.emplace(name, type);
    if (!is_new && same->second != type) problems.Add(type->mark, AlreadyDefined(*same->second));
  }
  for (const SourceText& function : used.functions_) {
    const bool is_known = std::any_of(functions_.begin(), functions_.end(),
                                      [&](const SourceText& known) { return SamePlace(known, function); });
    if (!is_known) functions_.push_back(function);
  }
  return problems.status();
}

std::string ModuleLibrary::WithPaths(absl::string_view text) const {
  // With what stands around a name, so that a part of a longer path is no name.
  std::map<std::string, std::string> paths;
  const auto add = [&](const SourceText& source) {
    if (source.name == source.file) return;
    paths.emplace(absl::StrCat("\"", source.name, "\""), absl::StrCat("\"", source.file, "\""));
    paths.emplace(absl::StrCat(" ", source.name, ":"), absl::StrCat(" ", source.file, ":"));
  };
  std::for_each(functions_.begin(), functions_.end(), add);
  for (const auto& [name, type] : types_) add(type->methods);
  return absl::StrReplaceAll(text, paths);
}

const ModuleType* ModuleLibrary::Find(absl::string_view name) const {
  const auto type = types_.find(name);
  return type == types_.end() ? nullptr : type->second.get();
}

std::vector<std::string> ModuleLibrary::names() const {
  std::vector<std::string> names;
  for (const auto& [name, type] : types_) names.push_back(name);
  return names;
}

ModulesFile ParseModules(const YamlFile& file, YamlProblems* problems) {
  const YamlValue document = ParseYaml(file, problems);
  ModulesFile modules;
  YamlMapReader reader(document, "a modules file", problems);
  for (const YamlValue::Field& field : reader.TakeFields("modules")) {
    modules.types.push_back(TypeParser(problems).Parse(field));
  }
  for (const YamlValue& item : reader.TakeItems("functions")) {
    modules.functions.push_back(ReadSource(item, "a function", problems));
  }
  reader.Finish();
  return modules;
}

}  // namespace modelport
