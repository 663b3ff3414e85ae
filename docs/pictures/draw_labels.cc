// Draws an image above lines of text, such as the labels that predict prints, and in red what they are of:
// draw_labels IMAGE.png FILE.png WARNING, with the lines on stdin.
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "tools/image/encode_png.h"
#include "tools/image/legend.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

absl::Status Draw(const std::string& image, const std::string& out, std::string warning) {
  constexpr int64_t kMaxPixels = 10'000'000;
  ASSIGN_OR_RETURN(const ReadImageResult read, ReadImage(image, kMaxPixels));
  Picture picture(read.image);
  for (std::string line; std::getline(std::cin, line); warning.clear()) picture = WithCaption(picture, line, warning);
  ASSIGN_OR_RETURN(const std::string png,
                   EncodePng(picture.width(), picture.height(), absl::MakeConstSpan(picture.rgb()), {}));
  return OutputFile::WriteWhole(out, png);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const absl::Status status = argc == 4
                                  ? modelport::Draw(argv[1], argv[2], argv[3])
                                  : absl::InvalidArgumentError("usage: draw_labels IMAGE.png FILE.png WARNING <LINES");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
