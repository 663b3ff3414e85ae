#include "common/keymap/config_field.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/model_config.h"

namespace modelport {

std::vector<ConfigField> TakeConfig(YamlMapReader* reader, YamlProblems* problems) {
  std::vector<ConfigField> fields;
  for (const YamlValue::Field& field : reader->TakeFields("config")) {
    const std::string subject = absl::StrCat("field \"", field.name, "\" of field \"config\"");
    if (field.value.kind != YamlValue::Kind::kList) {
      fields.push_back({field.name, ConfigText(ReadText(field.value, subject, problems)), field.mark});
      continue;
    }
    std::vector<std::string> texts = ReadTexts(field.value, subject, problems);
    for (std::string& text : texts) text = ConfigText(text);
    fields.push_back({field.name, absl::StrCat("[", absl::StrJoin(texts, ", "), "]"), field.mark});
  }
  return fields;
}

}  // namespace modelport
