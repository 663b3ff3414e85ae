#include "common/text/template.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr absl::string_view kEnd = "@end@";

bool IsName(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// The name in a line `@each name@`; empty for any other line.
absl::string_view ListName(absl::string_view line) {
  return absl::ConsumePrefix(&line, "@each ") && absl::ConsumeSuffix(&line, "@") ? line : "";
}

class Filler {
 public:
  Filler(const TemplateData& data, const std::function<std::string(absl::string_view)>& escape)
      : data_(data), escape_(escape) {}

  absl::Status Fill(const std::vector<absl::string_view>& lines) {
    for (size_t i = 0; i < lines.size(); ++i) {
      const absl::string_view name = ListName(lines[i]);
      if (name.empty()) {
        AddLine(lines[i], data_.values);
        continue;
      }
      const size_t end = std::find(lines.begin() + i, lines.end(), kEnd) - lines.begin();
      const auto list = data_.lists.find(name);
      if (end == lines.size() || list == data_.lists.end()) {
        return absl::InternalError(absl::StrCat("template: ", lines[i], ": no such list, or no ", kEnd, " after it"));
      }
      for (const TemplateValues& item : list->second) {
        for (size_t j = i + 1; j < end; ++j) AddLine(lines[j], item);
      }
      i = end;
    }
    return status_;
  }

  const std::vector<std::string>& filled() const { return filled_; }

 private:
  void AddLine(absl::string_view line, const TemplateValues& item) {
    std::string filled;
    while (!line.empty()) {
      const size_t begin = std::min(line.find('@'), line.size());
      absl::StrAppend(&filled, line.substr(0, begin));
      line.remove_prefix(begin);
      if (line.empty()) break;
      const absl::string_view name = line.substr(1, line.substr(1).find('@'));
      const bool is_value = IsName(name) && name.size() + 2 <= line.size();
      absl::StrAppend(&filled, is_value ? Value(name, item) : "@");
      line.remove_prefix(is_value ? name.size() + 2 : 1);
    }
    filled_.push_back(std::move(filled));
  }

  std::string Value(absl::string_view name, const TemplateValues& item) {
    for (const TemplateValues* values : {&item, &data_.values}) {
      const auto value = values->find(name);
      if (value != values->end()) return escape_(value->second);
    }
    const auto value = data_.verbatim.find(name);
    if (value != data_.verbatim.end()) return value->second;
    status_.Update(absl::InternalError(absl::StrCat("template: no value for @", name, "@")));
    return "";
  }

  const TemplateData& data_;
  const std::function<std::string(absl::string_view)>& escape_;
  std::vector<std::string> filled_;  // The lines so far.
  absl::Status status_;
};

}  // namespace

std::vector<TemplateValues> KeepIf(bool condition) { return std::vector<TemplateValues>(condition ? 1 : 0); }

absl::StatusOr<std::string> FillTemplate(absl::string_view text, const TemplateData& data,
                                         const std::function<std::string(absl::string_view)>& escape) {
  Filler filler(data, escape);
  RETURN_IF_ERROR(filler.Fill(absl::StrSplit(text, '\n')));
  return absl::StrJoin(filler.filled(), "\n");
}

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(Printable(text), {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

absl::StatusOr<absl::string_view> FindEmbedded(absl::Span<const EmbeddedFile> files, absl::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.path.substr(file.path.rfind('/') + 1) == name) return file.text;
  }
  return absl::InternalError(absl::StrCat("no embedded file ", name));
}

}  // namespace modelport
