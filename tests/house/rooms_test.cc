// Each folder includes only files of the folders that stand above it in the list of CONTRIBUTING.md, and of itself. The
// picture there shows who includes whom.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/house/read_sources.h"

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

// The position in `rooms` of the innermost folder that contains `path`; -1 if there is none.
int RoomOf(const std::vector<std::string>& rooms, absl::string_view path) {
  int found = -1;
  for (size_t i = 0; i < rooms.size(); ++i) {
    if (!absl::StartsWith(path, absl::StrCat(rooms[i], "/"))) continue;
    if (found < 0 || rooms[i].size() > rooms[found].size()) found = i;
  }
  return found;
}

// The paths in quotes that `code` includes.
std::vector<absl::string_view> Includes(absl::string_view code) {
  std::vector<absl::string_view> paths;
  for (absl::string_view line : absl::StrSplit(code, '\n')) {
    if (absl::ConsumePrefix(&line, "#include \"")) paths.push_back(line.substr(0, line.find('"')));
  }
  return paths;
}

// "FILE: uses FILE" for each include of a file whose room stands below the room of `path`.
std::vector<std::string> ArrowsUp(const std::vector<std::string>& rooms, const std::string& path,
                                  const std::string& code) {
  std::vector<std::string> arrows;
  const int own = RoomOf(rooms, path);
  for (const absl::string_view used : Includes(code)) {
    if (RoomOf(rooms, used) > own) arrows.push_back(absl::StrCat(path, ": uses ", used));
  }
  return arrows;
}

// "A --> B" for each room A that uses B, unless A also reaches B through another room. `uses[i]` has the positions of
// the rooms that `rooms[i]` uses, all of them before i.
std::vector<std::string> Picture(const std::vector<std::string>& rooms, const std::vector<std::set<int>>& uses) {
  std::vector<std::set<int>> reached(rooms.size());
  std::vector<std::string> arrows;
  for (size_t i = 0; i < rooms.size(); ++i) {
    for (const int used : uses[i]) reached[i].insert(reached[used].begin(), reached[used].end());
    for (const int used : uses[i]) {
      if (reached[i].count(used) == 0) arrows.push_back(absl::StrCat(rooms[i], " --> ", rooms[used]));
    }
    reached[i].insert(uses[i].begin(), uses[i].end());
  }
  return arrows;
}

// The arrows of the picture in `document`.
std::vector<std::string> DrawnArrows(absl::string_view document) {
  std::vector<std::string> arrows;
  for (const absl::string_view line : absl::StrSplit(document, '\n')) {
    if (absl::StrContains(line, " --> ")) arrows.emplace_back(absl::StripAsciiWhitespace(line));
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

TEST(RoomsTest, ThePictureShowsTheirArrows) {
  const std::string document = ReadSource("CONTRIBUTING.md");
  const std::vector<std::string> rooms = Rooms(document);
  std::vector<std::set<int>> uses(rooms.size());
  for (const std::string& path : SourcePaths()) {
    const int own = RoomOf(rooms, path);
    const std::string code = ReadSource(path);
    for (const absl::string_view used : Includes(code)) {
      const int room = RoomOf(rooms, used);
      if (room >= 0 && room < own) uses[own].insert(room);
    }
  }
  EXPECT_THAT(DrawnArrows(document), testing::UnorderedElementsAreArray(Picture(rooms, uses)));
}

TEST(RoomsTest, ThePictureLeavesOutWhatAnotherRoomReaches) {
  EXPECT_THAT(Picture({"a", "b", "c"}, {{}, {0}, {0, 1}}), testing::ElementsAre("b --> a", "c --> b"));
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
