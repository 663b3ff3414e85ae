// Each folder includes only files of the folders that stand above it in the list of CONTRIBUTING.md, and of itself.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/read_sources.h"

namespace modelport {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// The first words of the indented lines below "## Rooms".
std::vector<std::string> Rooms(absl::string_view document) {
  std::vector<std::string> rooms;
  document.remove_prefix(std::min(document.find("## Rooms"), document.size()));
  for (absl::string_view line : absl::StrSplit(document, '\n')) {
    if (absl::ConsumePrefix(&line, "    ")) rooms.emplace_back(line.substr(0, line.find(' ')));
  }
  return rooms;
}

// The position in `rooms` of the folder that contains `path`; -1 if there is none.
int RoomOf(const std::vector<std::string>& rooms, absl::string_view path) {
  for (size_t i = 0; i < rooms.size(); ++i) {
    if (absl::StartsWith(path, absl::StrCat(rooms[i], "/"))) return i;
  }
  return -1;
}

// "FILE: uses FILE" for each include of a file whose room stands below the room of `path`.
std::vector<std::string> ArrowsUp(const std::vector<std::string>& rooms, const std::string& path,
                                  const std::string& code) {
  std::vector<std::string> arrows;
  const int own = RoomOf(rooms, path);
  for (absl::string_view line : absl::StrSplit(code, '\n')) {
    if (!absl::ConsumePrefix(&line, "#include \"")) continue;
    const absl::string_view used = line.substr(0, line.find('"'));
    if (RoomOf(rooms, used) > own) arrows.push_back(absl::StrCat(path, ": uses ", used));
  }
  return arrows;
}

TEST(RoomsTest, UseOnlyRoomsAboveThem) {
  const std::vector<std::string> rooms = Rooms(ReadSource("CONTRIBUTING.md"));
  ASSERT_THAT(rooms, SizeIs(testing::Gt(15)));
  for (const std::string& path : SourcePaths()) {
    if (absl::StartsWith(path, "models/")) continue;
    EXPECT_NE(RoomOf(rooms, path), -1) << path << ": its folder is not in CONTRIBUTING.md";
    EXPECT_THAT(ArrowsUp(rooms, path, ReadSource(path)), IsEmpty());
  }
}

TEST(RoomsTest, AnArrowUpIsFound) {
  const std::vector<std::string> rooms = Rooms("x\n## Rooms\n\n    common/io  files\n    tools  commands\n");
  EXPECT_THAT(rooms, testing::ElementsAre("common/io", "tools"));
  EXPECT_THAT(ArrowsUp(rooms, "common/io/a.cc", "#include <map>\n#include \"tools/b.h\"\n"),
              testing::ElementsAre("common/io/a.cc: uses tools/b.h"));
  EXPECT_THAT(ArrowsUp(rooms, "tools/b.cc", "#include \"common/io/a.h\"\n#include \"absl/x.h\"\n"), IsEmpty());
}

}  // namespace
}  // namespace modelport
