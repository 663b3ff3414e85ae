// docs/gallery.md: its pictures of trained models are what its commands write, and its commands are those of
// docs/pictures/draw_gallery.sh, which draws all of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_process.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string output;              // The first cell: "depth in metres, trained".
  std::string picture;             // The last picture of the second one: "predict.png".
  std::vector<std::string> flags;  // Of the command in the third one.
};

// The rows of the page whose third cell begins so.
std::vector<Row> Rows(const std::string& command) {
  std::vector<Row> rows;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(ReadFile(DataPath("docs/gallery.md")), '\n'))) {
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells.size() != 3 || !absl::StartsWith(cells[2], command)) continue;
    const std::string picture = cells[1].substr(cells[1].rfind('/') + 1);
    const std::vector<std::string> quoted = absl::StrSplit(cells[2], '`');
    rows.push_back({cells[0], picture.substr(0, picture.find(')')),
                    absl::StrSplit(absl::StripPrefix(quoted[1], "predict "), ' ')});
  }
  return rows;
}

constexpr char kPredict[] = "`predict ", kPackage[] = "`--model=";

// The value of a flag; "" if the row has none.
std::string Value(const Row& row, absl::string_view flag) {
  for (const std::string& one : row.flags) {
    if (absl::StartsWith(one, flag)) return one.substr(flag.size());
  }
  return "";
}

// A folder with the pictures that this flag names.
std::string FolderWithInputs(const Row& row, absl::string_view flag) {
  const std::string folder = EmptyFolder("gallery");
  for (const std::string& input : std::vector<std::string>(absl::StrSplit(Value(row, flag), ','))) {
    fs::copy(DataPath("docs/pictures/" + input), folder + "/" + input);
  }
  return folder;
}

// How many of the bytes of two pictures are more than two apart, as a part of all; 1 if the sizes differ.
double PartThatDiffers(const Picture& a, const Picture& b) {
  if (a.width() != b.width() || a.height() != b.height()) return 1;
  double count = 0;
  for (size_t i = 0; i < a.rgb().size(); ++i) count += std::abs(a.rgb()[i] - b.rgb()[i]) > 2;
  return count / a.rgb().size();
}

// Expects that a command wrote at `path` what the page shows.
void ExpectPicture(const std::string& path, const std::string& shown_name) {
  ASSERT_OK_AND_ASSIGN(const ReadImageResult written, ReadImage(path, 1 << 24));
  ASSERT_OK_AND_ASSIGN(const ReadImageResult shown, ReadImage(DataPath("docs/pictures/" + shown_name), 1 << 24));
  // Rounding differs between processors.
  EXPECT_LE(PartThatDiffers(Picture(written.image), Picture(shown.image)), 0.01);
}

TEST(GalleryPageTest, PicturesOfTrainedModelsAreWhatTheCommandsWrite) {
  int compared = 0;
  for (const Row& row : Rows(kPredict)) {
    if (!absl::StrContains(row.output, ", trained")) continue;
    SCOPED_TRACE(row.output);
    const std::string folder = FolderWithInputs(row, "--input="), out = Value(row, "--out=");
    const ToolResult result = RunTool("predict", row.flags, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    ExpectPicture(folder + "/" + out, out);
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

TEST(GalleryPageTest, PicturesOfNodesAreWhatPackageDraws) {
  const std::vector<Row> rows = Rows(kPackage);
  EXPECT_EQ(rows.size(), 5);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.output);
    const std::string folder = FolderWithInputs(row, "--picture=");
    std::vector<std::string> flags = row.flags;
    flags.push_back("--out=node");
    const ToolResult result = RunTool("package", flags, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    const std::vector<std::string> files = FileNames(folder + "/node");
    const auto drawn = std::find_if(files.begin(), files.end(),
                                    [](const std::string& name) { return absl::EndsWith(name, "_picture.png"); });
    ASSERT_NE(drawn, files.end());
    ExpectPicture(folder + "/node/" + *drawn, row.picture);
  }
}

TEST(GalleryPageTest, ItsCommandsAreThoseThatDrawIt) {
  const std::vector<std::string> lines = absl::StrSplit(ReadFile(DataPath("docs/pictures/draw_gallery.sh")), '\n');
  const std::vector<Row> rows = Rows(kPredict);
  EXPECT_GE(rows.size(), 7);
  for (const Row& row : rows) {
    const auto has_all = [&](const std::string& line) {
      if (!absl::StrContains(line, absl::StrCat("predict ", Value(row, "--model="), " "))) return false;
      return std::all_of(row.flags.begin(), row.flags.end(), [&](const std::string& flag) {
        const bool is_file = absl::StartsWith(flag, "--input=") || absl::StartsWith(flag, "--out=");
        return is_file || absl::StartsWith(flag, "--model=") || absl::StrContains(line, flag);
      });
    };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), has_all)) << row.output;
  }
}

}  // namespace
}  // namespace modelport
