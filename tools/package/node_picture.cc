#include "tools/package/node_picture.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/text/units.h"
#include "tools/image/colour_map.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"
#include "tools/predict/predict_images.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/run_model.h"

namespace modelport {
namespace {

// The largest square in the middle of `picture`, with each pixel the mean of those that it covers.
Picture Icon(const Picture& picture, int side) {
  const int whole = std::min(picture.width(), picture.height());
  const int left = (picture.width() - whole) / 2, top = (picture.height() - whole) / 2;
  // The first pixel that a pixel of the icon covers. Of a small picture it covers one.
  const auto begin = [&](int i) { return static_cast<int>(static_cast<int64_t>(i) * whole / side); };
  Picture icon(side, side, {});
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      std::array<int64_t, 3> sum = {};
      int64_t count = 0;
      for (int y = begin(row); y < std::max(begin(row + 1), begin(row) + 1); ++y) {
        for (int x = begin(column); x < std::max(begin(column + 1), begin(column) + 1); ++x, ++count) {
          const Rgb colour = picture.Get(left + x, top + y);
          for (size_t i = 0; i < colour.size(); ++i) sum[i] += colour[i];
        }
      }
      Rgb mean;
      for (size_t i = 0; i < mean.size(); ++i) mean[i] = static_cast<uint8_t>((sum[i] + count / 2) / count);
      icon.Set(column, row, mean);
    }
  }
  return icon;
}

// Replaces the icons beside `artifact` by those of the picture at `path`, of which `width` x `height` pixels from the
// column `left` show what the node makes.
absl::Status WriteIcons(const std::string& path, int left, int width, int height, const std::string& artifact,
                        const std::vector<PackageIcon>& icons) {
  ASSIGN_OR_RETURN(const ReadImageResult read, ReadImage(path, PredictOptions().max_pixels));
  const Picture whole(read.image);
  Picture shown(std::min(width, whole.width() - left), std::min(height, whole.height()), {});
  shown.Paste(-left, 0, whole);
  const std::string stem = std::filesystem::path(artifact).replace_extension().string();
  for (const PackageIcon& icon : icons) {
    const Picture drawn = Icon(shown, icon.side);
    ASSIGN_OR_RETURN(const std::string bytes, EncodePng(icon.side, icon.side, absl::MakeSpan(drawn.rgb()), {}));
    const std::string file = absl::StrCat(stem, icon.ending);
    std::error_code error;
    std::filesystem::remove(file, error);
    RETURN_IF_ERROR(OutputFile::WriteWhole(file, bytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DrawNode(const std::string& artifact, const std::vector<std::string>& images, const std::string& out,
                      const std::vector<PackageIcon>& icons) {
  ASSIGN_OR_RETURN(const LoadedArtifact node, LoadArtifact(artifact, /*public_key=*/""));
  const Companion companion = TakesBeside(node);
  const bool takes_frames = TakesImages(node) == ImagesTaken::kTwoFrames;
  const size_t wanted = companion != Companion::kNone || takes_frames ? 2 : 1;
  const bool is_with_alpha = companion == Companion::kTrimap && images.size() == 1;
  if (images.size() != wanted && !is_with_alpha) {
    const std::string inputs =
        companion == Companion::kTrimap        ? "an image with its trimap in alpha, or both with a comma between"
        : companion == Companion::kCoarseDepth ? "an image and its coarse depth, with a comma between"
        : takes_frames                         ? "two frames, with a comma between"
                                               : "one image";
    return absl::InvalidArgumentError(absl::StrCat(node.manifest.request().model(), " wants ", inputs, ", has ",
                                                   Counted(static_cast<int64_t>(images.size()), "file")));
  }
  PredictJob job = {.input = images[0], .output = out};
  if (companion != Companion::kNone) job.companion = images.back();
  job.kind = companion;
  if (takes_frames) job.others = {images[1]};
  // A still, which stands for all of its frames.
  if (TakesImages(node) == ImagesTaken::kAround)
    job.others.assign(node.manifest.interface().frames_size() - 1, images[0]);
  PredictOptions options;
  const std::string& kind = node.manifest.interface().kind();
  options.style.side_by_side = kind == "depth" || kind == "matte";
  if (kind == "depth") {
    ASSIGN_OR_RETURN(options.style.colours.emplace().map, FindColourMap("spectral"));
  }
  const PredictedImage done = PredictImages(node, {job}, options).front();
  RETURN_IF_ERROR(done.status);
  if (icons.empty()) return absl::OkStatus();
  const int64_t scale = ScaleOf(node.manifest);
  const int width = static_cast<int>(scale * done.width), height = static_cast<int>(scale * done.height);
  // Without the image that is left of it.
  return WriteIcons(out, options.style.side_by_side ? width : 0, width, height, artifact, icons);
}

}  // namespace modelport
