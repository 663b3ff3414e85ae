#include "common/torchscript/script/class_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace modelport {
namespace {

// Removes from `text` each piece that starts with `begin`, up to and including the next `end`.
void RemovePieces(absl::string_view begin, absl::string_view end, std::string* text) {
  for (size_t start = text->find(std::string(begin)); start != std::string::npos;
       start = text->find(std::string(begin), start)) {
    const size_t stop = text->find(std::string(end), start);
    if (stop == std::string::npos) return;
    text->erase(start, stop + end.size() - start);
  }
}

}  // namespace

std::string WithPluginNames(absl::string_view text) {
  std::string plain = absl::StrReplaceAll(text, {{absl::StrCat(kClassNamespace, "."), ""}});
  RemovePieces(" (of Python compilation unit at: 0x", ")", &plain);
  return plain;
}

}  // namespace modelport
