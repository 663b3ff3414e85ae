// Writes the scene of the documentation's pictures: draw_scene FILE.png
#include <iostream>

#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "docs/pictures/scene.h"
#include "tools/image/encode_png.h"

namespace modelport {
namespace {

absl::Status Draw(const std::string& path) {
  const Picture scene = DrawScene(420, 280);
  ASSIGN_OR_RETURN(const std::string png,
                   EncodePng(scene.width(), scene.height(), absl::MakeConstSpan(scene.rgb()), {}));
  return OutputFile::WriteWhole(path, png);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 2 ? modelport::Draw(argv[1]) : absl::InvalidArgumentError("usage: draw_scene FILE.png");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
