// Draws random scenes: draw_scene FILE.png [--depth=FILE.exr], or many for a trainer: draw_scene FILE.safetensors.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"
#include "docs/pictures/write_scenes.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"
#include "tools/image/colour_map.h"
#include "tools/image/encode_exr.h"
#include "tools/image/encode_png.h"
#include "tools/image/legend.h"
#include "tools/image/picture.h"

namespace modelport {
namespace {

constexpr int kMaxSide = 8192;

struct DrawFlags {
  FlagGroup group;
  Flag<uint64_t> seed{group, "seed", kPictureSeed, "which scene; by default that of docs/pictures/scene.png"};
  Flag<double> time{group, "time", 0, "when; things move, each along its line, by up to 24 of 256 pixels until 1"};
  Flag<std::string> size{group, "size", "420x280", "WIDTHxHEIGHT in pixels"};
  Flag<std::string> depth{group, "depth", "",
                          "a file for the exact depth: .exr, metres in the channel depth.Z, or .png, in the colours "
                          "and with the legend of predict --colours"};
  Flag<std::string> depth_range{group, "depth_range", "",
                                "MIN,MAX in metres, the ends of the colours; by default those of the depth"};
  Flag<std::string> trimap{group, "trimap", "",
                           "a .png file: white what is nearer than --nearer_than, grey beside its border, black else"};
  Flag<double> nearer_than{group, "nearer_than", 4, "metres"};
  Flag<int64_t> count{group, "count", 1000, "how many scenes go into FILE.safetensors"};
  Flag<uint64_t> first_seed{group, "first_seed", 0, "the seed of the first of them"};
};

// Width and height.
absl::StatusOr<std::pair<int, int>> ReadSize(const std::string& text) {
  const std::vector<std::string> sides = absl::StrSplit(text, 'x');
  int width = 0, height = 0;
  if (sides.size() != 2 || !absl::SimpleAtoi(sides[0], &width) || !absl::SimpleAtoi(sides[1], &height) || width < 1 ||
      height < 1 || width > kMaxSide || height > kMaxSide) {
    return absl::InvalidArgumentError(absl::StrCat("--size wants WIDTHxHEIGHT, each 1 to ", kMaxSide, ", has ", text));
  }
  return std::make_pair(width, height);
}

// The two ends of the colours: those of `depth` if `text`, the flag, is empty.
absl::StatusOr<ValueRange> RangeOfColours(const std::string& text, const std::vector<float>& depth) {
  if (text.empty()) {
    const auto [least, most] = std::minmax_element(depth.begin(), depth.end());
    return ValueRange{*least, *most};
  }
  const absl::optional<ValueRange> range = ParseRange(text);
  if (range) return *range;
  return absl::InvalidArgumentError(absl::StrCat("--depth_range wants MIN,MAX in metres, has ", text));
}

// In colours, the last one nearest, above a legend.
absl::StatusOr<std::string> EncodeColours(const std::vector<float>& depth, const ValueRange& range, int width,
                                          int height) {
  ASSIGN_OR_RETURN(const ColourMap map, FindColourMap("spectral"));
  const Legend legend = {
      .map = map, .reversed = true, .min = range.min, .max = range.max, .text = "exact depth: metres", .warning = ""};
  Picture picture(width, height, {});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) picture.Set(x, y, LegendColour(legend, depth[y * width + x]));
  }
  const Picture drawn = WithLegend(picture, legend);
  return EncodePng(drawn.width(), drawn.height(), absl::MakeConstSpan(drawn.rgb()), {});
}

absl::Status WriteDepth(const std::string& path, const std::string& range, const Scene& scene, int width, int height) {
  const std::vector<float> depth = SceneDepth(scene, width, height);
  if (absl::EndsWith(path, ".png")) {
    ASSIGN_OR_RETURN(const ValueRange ends, RangeOfColours(range, depth));
    ASSIGN_OR_RETURN(const std::string png, EncodeColours(depth, ends, width, height));
    return OutputFile::WriteWhole(path, png);
  }
  ASSIGN_OR_RETURN(const std::string exr,
                   EncodeExr(width, height, {{"depth.Z", depth}}, {{"modelport/unit", "metres"}}));
  return OutputFile::WriteWhole(path, exr);
}

absl::Status WriteTrimap(const std::string& path, double nearer_than, const Scene& scene, int width, int height) {
  const int unknown = std::max(2, width / 60);  // Pixels on each side of a border.
  const std::vector<float> depth = SceneDepth(scene, width, height);
  const auto is_near = [&](int x, int y) {
    return depth[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)] < nearer_than;
  };
  std::vector<uint16_t> grey;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int near = 0, pixels = 0;
      for (int dy = -unknown; dy <= unknown; ++dy) {
        for (int dx = -unknown; dx <= unknown; ++dx, ++pixels) near += is_near(x + dx, y + dy) ? 1 : 0;
      }
      grey.push_back(near == 0 ? 0 : near == pixels ? 65535 : 32768);
    }
  }
  ASSIGN_OR_RETURN(const std::string png, EncodePng(width, height, absl::MakeConstSpan(grey), {}));
  return OutputFile::WriteWhole(path, png);
}

absl::Status WritePicture(const std::string& path, const Scene& scene, int width, int height) {
  constexpr int kSamples = 3;
  const Picture picture = DrawScene(scene, width, height, kSamples);
  ASSIGN_OR_RETURN(const std::string png, EncodePng(width, height, absl::MakeConstSpan(picture.rgb()), {}));
  return OutputFile::WriteWhole(path, png);
}

absl::Status Draw(const DrawFlags& flags, const std::vector<std::string>& paths) {
  if (paths.size() != 1) return absl::InvalidArgumentError("wants one file, FILE.png or FILE.safetensors");
  ASSIGN_OR_RETURN(const auto size, ReadSize(*flags.size));
  const auto [width, height] = size;
  if (absl::EndsWith(paths[0], ".safetensors")) {
    if (*flags.count < 1) return absl::InvalidArgumentError("--count wants at least 1");
    return WriteScenes(paths[0], {*flags.first_seed, *flags.count, width, height, *flags.time});
  }
  const Scene scene = Moved(RandomScene(*flags.seed), *flags.seed, *flags.time);
  if (!flags.depth->empty()) {
    RETURN_IF_ERROR(WriteDepth(ResolveUserPath(*flags.depth), *flags.depth_range, scene, width, height));
  }
  if (!flags.trimap->empty())
    RETURN_IF_ERROR(WriteTrimap(ResolveUserPath(*flags.trimap), *flags.nearer_than, scene, width, height));
  return WritePicture(paths[0], scene, width, height);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "draw_scene",
                             .summary = "Draws a random scene, or many of them with their depth for a trainer.",
                             .arguments = "FILE.png | FILE.safetensors",
                             .begin = modelport::TakesFiles<modelport::DrawFlags>(modelport::Draw)});
}
