#include "common/yaml/document.h"

#include "absl/strings/str_cat.h"

namespace modelport {

std::string MarkString(const YamlMark& mark) { return absl::StrCat(mark.file, ":", mark.line, ":", mark.column); }

}  // namespace modelport
