// Each folder of code is a room in the list of CONTRIBUTING.md and includes only files of itself and of the rooms that
// stand above it. The pictures there, one of the top level and one of each folder that has rooms, show who includes
// whom.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// The part of the folder `parent` to which `room` belongs: a folder in it, or itself; "" if the room is not below it.
// The top level is "".
std::string PartOf(const std::string& parent, const std::string& room) {
  if (room == parent) return room;
  const std::string start = parent.empty() ? "" : parent + "/";
  if (!absl::StartsWith(room, start)) return "";
  return room.substr(0, room.find('/', start.size()));
}

// The arrows between the parts of `parent`: "A --> B" for each part A that uses B, unless A also reaches B through
// another part. `uses[i]` has the positions of the rooms that `rooms[i]` uses, all of them before i.
std::vector<std::string> Picture(const std::string& parent, const std::vector<std::string>& rooms,
                                 const std::vector<std::set<int>>& uses) {
  std::vector<std::string> parts;  // In the order of their first rooms.
  std::map<std::string, std::set<std::string>> used;
  for (size_t i = 0; i < rooms.size(); ++i) {
    const std::string part = PartOf(parent, rooms[i]);
    if (part.empty()) continue;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    for (const int room : uses[i]) {
      const std::string other = PartOf(parent, rooms[room]);
      if (!other.empty() && other != part) used[part].insert(other);
    }
  }
  std::map<std::string, std::set<std::string>> reached;
  std::vector<std::string> arrows;
  for (const std::string& part : parts) {
    std::set<std::string> through;
    for (const std::string& other : used[part]) {
      EXPECT_NE(reached.count(other), 0) << part << " uses " << other << ", which stands below it in the list";
      through.insert(reached[other].begin(), reached[other].end());
    }
    for (const std::string& other : used[part]) {
      if (through.count(other) == 0) arrows.push_back(absl::StrCat(part, " --> ", other));
    }
    reached[part] = used[part];
    reached[part].insert(through.begin(), through.end());
  }
  return arrows;
}

// The folders that have rooms below them, the top level first.
std::set<std::string> Parents(const std::vector<std::string>& rooms) {
  std::set<std::string> parents;
  for (std::string room : rooms) {
    while (!room.empty()) {
      const size_t slash = room.rfind('/');
      room = slash == std::string::npos ? "" : room.substr(0, slash);
      parents.insert(room);
    }
  }
  return parents;
}

// The pictures in `document`: the arrows below each line "`FOLDER/`:", or, for the top level, below "All folders:".
std::map<std::string, std::vector<std::string>> DrawnPictures(absl::string_view document) {
  std::map<std::string, std::vector<std::string>> pictures;
  std::string parent;
  for (absl::string_view line : absl::StrSplit(document, '\n')) {
    if (line == "All folders:") parent = "";
    if (absl::ConsumePrefix(&line, "`") && absl::ConsumeSuffix(&line, "/`:")) parent = std::string(line);
    if (absl::StrContains(line, " --> ")) pictures[parent].emplace_back(absl::StripAsciiWhitespace(line));
  }
  return pictures;
}

// The picture as CONTRIBUTING.md shows it.
std::string Draw(const std::string& parent, const std::vector<std::string>& arrows) {
  const std::string title = parent.empty() ? "All folders:" : absl::StrCat("`", parent, "/`:");
  return absl::StrCat(title, "\n\n```mermaid\ngraph TD\n  ", absl::StrJoin(arrows, "\n  "), "\n```\n\n");
}

TEST(RoomsTest, UseOnlyRoomsAboveThem) {
  const std::vector<std::string> rooms = Rooms(ReadSource("CONTRIBUTING.md"));
  ASSERT_THAT(rooms, SizeIs(testing::Gt(15)));
  for (const std::string& path : SourcePaths()) {
    EXPECT_THAT(ArrowsUp(rooms, path, ReadSource(path)), IsEmpty());
  }
}

// LibTorch is for what compiles modules, makes formats of them or runs them; the rest of the core does without it, so
// that another format, or another release, changes few rooms.
TEST(RoomsTest, FewIncludeLibTorch) {
  const std::vector<absl::string_view> allowed = {"common/torchscript/", "artifact/format/",
                                                  "targets/nuke/rules.",  // Look at TorchScript's modules.
                                                  "tools/parity/",       "tools/predict/",   "tools/runtime_tables/"};
  for (const std::string& path : SourcePaths()) {
    const auto is_in = [&](absl::string_view room) { return absl::StartsWith(path, room); };
    if (std::any_of(allowed.begin(), allowed.end(), is_in)) continue;
    const std::string code = ReadSource(path);
    for (const absl::string_view torch :
         {"#include <torch/", "#include <ATen/", "#include <c10/", "#include <caffe2/", "torch::jit::"}) {
      EXPECT_FALSE(absl::StrContains(code, torch)) << path << ": " << torch;
    }
  }
}

TEST(RoomsTest, EachFolderOfCodeIsOne) {
  const std::vector<std::string> rooms = Rooms(ReadSource("CONTRIBUTING.md"));
  for (const std::string& path : SourcePaths()) {
    const std::string folder = path.substr(0, path.rfind('/'));
    EXPECT_THAT(rooms, testing::Contains(folder)) << path;
  }
}

TEST(RoomsTest, ThePicturesShowTheirArrows) {
  const std::string document = ReadSource("CONTRIBUTING.md");
  const std::vector<std::string> rooms = Rooms(document);
  std::vector<std::set<int>> uses(rooms.size());
  for (const std::string& path : SourcePaths()) {
    const int own = RoomOf(rooms, path);
    if (own < 0) continue;
    for (const absl::string_view used : Includes(ReadSource(path))) {
      const int room = RoomOf(rooms, used);
      if (room >= 0 && room < own) uses[own].insert(room);
    }
  }
  auto drawn = DrawnPictures(document);
  for (const std::string& parent : Parents(rooms)) {
    const std::vector<std::string> arrows = Picture(parent, rooms, uses);
    EXPECT_THAT(drawn[parent], testing::UnorderedElementsAreArray(arrows)) << "CONTRIBUTING.md wants\n"
                                                                           << Draw(parent, arrows);
  }
}

TEST(RoomsTest, APictureLeavesOutWhatAnotherPartReaches) {
  EXPECT_THAT(Picture("", {"a", "b", "c"}, {{}, {0}, {0, 1}}), testing::ElementsAre("b --> a", "c --> b"));
}

TEST(RoomsTest, APictureShowsThePartsOfOneFolder) {
  const std::vector<std::string> rooms = {"a/x", "a/y", "b/z/1", "b/z", "b"};
  const std::vector<std::set<int>> uses = {{}, {0}, {1}, {2}, {0, 3}};
  EXPECT_THAT(Parents(rooms), testing::ElementsAre("", "a", "b", "b/z"));
  EXPECT_THAT(Picture("", rooms, uses), testing::ElementsAre("b --> a"));
  EXPECT_THAT(Picture("a", rooms, uses), testing::ElementsAre("a/y --> a/x"));
  EXPECT_THAT(Picture("b", rooms, uses), testing::ElementsAre("b --> b/z"));
  EXPECT_THAT(Picture("b/z", rooms, uses), testing::ElementsAre("b/z --> b/z/1"));
  EXPECT_THAT(DrawnPictures(Draw("", {"b --> a"}) + Draw("b/z", {"b/z --> b/z/1"})),
              testing::ElementsAre(testing::Pair("", testing::ElementsAre("b --> a")),
                                   testing::Pair("b/z", testing::ElementsAre("b/z --> b/z/1"))));
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
