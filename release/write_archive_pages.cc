// Writes the pages of an archive: write_archive_pages OUT_FOLDER OTHER_FILE,OTHER_FILE,... PAGE... Each PAGE is written
// to OUT_FOLDER under its own name. The other files are those that lie beside the pages, as links write them.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "release/archive_page.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::set<std::string> files = absl::StrSplit(argv[2], ',');
  for (int i = 3; i < argc; ++i) files.insert(fs::path(argv[i]).filename());
  for (int i = 3; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const fs::path path = fs::path(argv[1]) / fs::path(argv[i]).filename();
    std::ofstream out(path, std::ios::binary);
    out << modelport::ArchivePage(text, [&](const std::string& name) { return files.count(name) > 0; });
    if (in.bad() || text.empty() || !out.flush()) {
      std::cerr << argv[i] << ": cannot be made a page of the archive\n";
      return 1;
    }
  }
}
