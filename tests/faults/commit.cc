// Writes files as export and package do, but without a model, so that a test can run it hundreds of times.
//   commit pair TEXT     replaces m.pt by "TEXT artifact" and m.manifest.json by "TEXT manifest"
//   commit folder TEXT   makes the folder out with the file m.pt
// It prints an error as the tools do, and exits with 1.
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status CommitPair(const std::string& text) {
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create("m.pt"));
  ASSIGN_OR_RETURN(OutputFile manifest, OutputFile::Create("m.manifest.json"));
  RETURN_IF_ERROR(artifact.Write(text));
  RETURN_IF_ERROR(artifact.Write(" artifact"));
  RETURN_IF_ERROR(artifact.Sync());
  RETURN_IF_ERROR(manifest.Write(absl::StrCat(text, " manifest")));
  return OutputFile::CommitTogether({&artifact, &manifest});
}

absl::Status CommitFolder(const std::string& text) {
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create("out"));
  RETURN_IF_ERROR(OutputFile::WriteWhole(folder.partial_path() + "/m.pt", absl::StrCat(text, " artifact")));
  return folder.Commit();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool pair = std::string(argv[1]) == "pair";
  const absl::Status status = pair ? modelport::CommitPair(argv[2]) : modelport::CommitFolder(argv[2]);
  if (!status.ok()) std::cerr << status.ToString(absl::StatusToStringMode::kWithNoExtraData) << "\n";
  return status.ok() ? 0 : 1;
}
