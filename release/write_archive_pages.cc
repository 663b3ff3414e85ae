// Writes the pages of an archive: write_archive_pages OUT_FOLDER OTHER_FILE,OTHER_FILE,... PAGE... Each PAGE is written
// to OUT_FOLDER under its own name. The other files are those that lie beside the pages, as links write them.
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "release/archive_page.h"

namespace fs = std::filesystem;

namespace modelport {
namespace {

absl::Status WritePage(const std::string& path, const std::string& out, const std::set<std::string>& files) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> page, MappedFile::Open(path));
  const auto has = [&](const std::string& name) { return files.count(name) > 0; };
  return OutputFile::WriteWhole(out, ArchivePage(page->bytes(), has));
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  std::set<std::string> files = absl::StrSplit(argv[2], ',');
  for (int i = 3; i < argc; ++i) files.insert(fs::path(argv[i]).filename());
  for (int i = 3; i < argc; ++i) {
    const fs::path out = fs::path(argv[1]) / fs::path(argv[i]).filename();
    if (const absl::Status status = modelport::WritePage(argv[i], out, files); !status.ok()) {
      std::cerr << status << "\n";
      return 1;
    }
  }
}
