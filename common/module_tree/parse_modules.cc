#include "common/module_tree/parse_modules.h"

#include "common/module_tree/type_parser.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"

namespace modelport {

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
