#include "release/archive_page.h"

#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

std::string WithCommands(absl::string_view page) {
  static const auto* const run = new std::regex(R"((\./)?bazelw? run (--config=\w+ )?//tools:(\w+)( --)?)");
  static const auto* const label = new std::regex(R"(//tools:(\w+)( --)?)");
  static const auto* const picture = new std::regex("=docs/pictures/");
  static const auto* const example = new std::regex(R"((`| )examples/(cpp|onnx)\b)");
  static const auto* const reference = new std::regex(R"(`tools/reference/(\w+\.py`))");
  static const auto* const aside = new std::regex(R"(\s\(`//[^`]*`\))");
  std::string text = std::regex_replace(std::string(page), *run, "modelport $3");
  text = std::regex_replace(text, *label, "modelport $1");
  text = std::regex_replace(text, *aside, "");
  text = std::regex_replace(text, *reference, "`share/doc/modelport/reference/$1");
  text = std::regex_replace(text, *example, "$1share/doc/modelport/examples/$2");
  return std::regex_replace(text, *picture, "=share/doc/modelport/pictures/");
}

using HasFile = std::function<bool(const std::string& path)>;

// The page without the lines between the marks, and without rows of tables that say no more than where a page is that
// is not there.
std::string KeptLines(const std::string& page, const HasFile& has) {
  static const auto* const row = new std::regex(R"(\|.*\| \[[^\[\]]*\]\(([^()\s#:]+)\) \|)");
  std::vector<std::string> kept;
  bool is_marked = false;
  for (const absl::string_view text : absl::StrSplit(page, '\n')) {
    const std::string line(text);
    if (line == "<!-- Bazel -->") is_marked = true;
    std::smatch found;
    const bool is_dead = std::regex_match(line, found, *row) && !has(found[1]);
    if (!is_marked && !is_dead) kept.push_back(line);
    if (line == "<!-- /Bazel -->") is_marked = false;
  }
  return absl::StrJoin(kept, "\n");
}

// Whether the text is on building with Bazel, whose flags and files have no meaning for a program of a release.
bool NamesBazel(absl::string_view text) {
  return absl::StrContains(absl::AsciiStrToLower(text), "bazel") || absl::StrContains(text, "--config=") ||
         absl::StrContains(text, "--output_groups") || absl::StrContains(text, ".bzl");
}

// Whether a sentence is on targets or tests of the sources.
bool NamesSources(const std::string& text) {
  static const auto* const source = new std::regex(R"((^|[^:\w])//(:?\w|[.]{3})|\btests/)");
  return std::regex_search(text, *source);
}

// The lines of a page in blocks, between which lines are empty; a fence is one block.
std::vector<std::vector<std::string>> Blocks(const std::string& page) {
  std::vector<std::vector<std::string>> blocks(1);
  bool in_fence = false;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "```")) in_fence = !in_fence;
    if (!line.empty() || in_fence) {
      blocks.back().emplace_back(line);
    } else if (!blocks.back().empty()) {
      blocks.emplace_back();
    }
  }
  if (blocks.back().empty()) blocks.pop_back();
  return blocks;
}

bool IsCode(const std::vector<std::string>& block) {
  return absl::StartsWith(block[0], "    ") || absl::StartsWith(absl::StripLeadingAsciiWhitespace(block[0]), "```");
}

const std::regex& SentenceEnd() {
  static const auto* const end = new std::regex(R"([.:][ \n](?=[A-Z`*\[]))");
  return *end;
}

std::string SentencesForUsers(const std::string& text) {
  std::string kept;
  size_t begin = 0;
  while (begin < text.size()) {
    std::smatch found;
    const bool is_found = std::regex_search(text.begin() + begin, text.end(), found, SentenceEnd());
    const size_t stop = is_found ? begin + found.position() + found.length() : text.size();
    const std::string sentence = text.substr(begin, stop - begin);
    if (!NamesBazel(sentence) && !NamesSources(sentence)) kept += sentence;
    begin = stop;
  }
  return std::string(absl::StripTrailingAsciiWhitespace(kept));
}

std::string WithoutLastSentence(const std::string& text) {
  size_t last = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), SentenceEnd()), none; found != none; ++found) {
    last = found->position() + found->length();
  }
  return std::string(absl::StripTrailingAsciiWhitespace(text.substr(0, last)));
}

// How links within the page name its headings: "## From a file" is "#from-a-file".
std::set<std::string> Anchors(const std::string& page) {
  std::set<std::string> anchors;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    if (!absl::StartsWith(line, "#")) continue;
    std::string anchor = "#";
    for (const char c : absl::StripAsciiWhitespace(line.substr(line.find_first_not_of('#')))) {
      if (absl::ascii_isalnum(c) || c == '-' || c == '_') anchor += absl::ascii_tolower(c);
      if (c == ' ') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

// The page, in which links to files and headings that are not there are their text alone.
std::string WithLiveLinks(const std::string& page, const HasFile& has) {
  static const auto* const link = new std::regex(R"(!?\[([^\[\]]*)\]\((?!\))([^()\s#:]*)(#[^()\s]*)?\))");
  const std::set<std::string> anchors = Anchors(page);
  std::string text;
  auto rest = page.cbegin();
  for (std::sregex_iterator found(page.begin(), page.end(), *link), end; found != end; ++found) {
    const bool is_file = (*found)[2].length() > 0;
    const bool is_live = is_file ? has((*found)[2]) : anchors.count((*found)[3]) > 0;
    text.append(rest, (*found)[0].first);
    text += is_live ? found->str() : (*found)[1].str();
    rest = (*found)[0].second;
  }
  text.append(rest, page.cend());
  return text;
}

// The rows of a table without its last column.
std::vector<std::string> WithoutLastColumn(std::vector<std::string> rows) {
  for (std::string& row : rows) row.erase(row.rfind('|', row.size() - 2) + 1);
  return rows;
}

// The block without what names bazel and the sources; "" if nothing is left. Of a table, whose rows would lack a cell,
// only a last column of tests is left out for the sources' sake.
std::string ForUsers(const std::vector<std::string>& block) {
  const std::string text = absl::StrJoin(block, "\n");
  if (IsCode(block)) return NamesBazel(text) ? "" : text;
  std::vector<std::string> kept;
  if (absl::StartsWith(block[0], "|")) {
    for (const std::string& row : absl::EndsWith(block[0], "| test |") ? WithoutLastColumn(block) : block) {
      if (!NamesBazel(row)) kept.push_back(row);
    }
    return absl::StrJoin(kept, "\n");
  }
  // Items of a list, or the block as a whole.
  static const auto* const mark = new std::regex(R"(( *(-|\d+\.) ).*)");
  std::vector<std::string> items;
  for (const std::string& line : block) {
    if (items.empty() || std::regex_match(line, *mark)) {
      items.push_back(line);
    } else {
      absl::StrAppend(&items.back(), "\n", line);
    }
  }
  int number = 0;
  for (const std::string& item : items) {
    std::smatch found;
    const std::string first = item.substr(0, item.find('\n'));
    const size_t begin = std::regex_match(first, found, *mark) ? found[1].length() : 0;
    const std::string sentences = SentencesForUsers(item.substr(begin));
    if (sentences.empty()) continue;
    const bool is_numbered = begin > 0 && found[2] != "-";
    kept.push_back(absl::StrCat(is_numbered ? absl::StrCat(++number, ". ") : item.substr(0, begin), sentences));
  }
  return absl::StrJoin(kept, "\n");
}

}  // namespace

std::string ArchivePage(absl::string_view page, const HasFile& has) {
  std::vector<std::string> blocks;
  for (const std::vector<std::string>& block : Blocks(KeptLines(WithCommands(page), has))) {
    std::string kept = ForUsers(block);
    // The sentence that leads to code goes with it.
    if (kept.empty() && IsCode(block) && !blocks.empty() && absl::EndsWith(blocks.back(), ":")) {
      blocks.back() = WithoutLastSentence(blocks.back());
    }
    if (!blocks.empty() && blocks.back().empty()) blocks.pop_back();
    if (!kept.empty()) blocks.push_back(std::move(kept));
  }
  return WithLiveLinks(absl::StrJoin(blocks, "\n\n") + "\n", has);
}

}  // namespace modelport
