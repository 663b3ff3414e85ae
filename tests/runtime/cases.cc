#include "tests/runtime/cases.h"

#include <string>

#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {

std::vector<std::string> FlagsOf(const ArtifactCase& artifact) {
  std::vector<std::string> flags = {"--model=" + artifact.model, "--target=" + artifact.target, "--out=m.pt",
                                    "--noverify", "--plugin_path=" + DataPath("models")};
  if (artifact.with_preprocess) flags.push_back("--with_preprocess");
  if (!artifact.wrapper.empty()) flags.push_back("--wrapper=" + artifact.wrapper);
  return flags;
}

std::vector<std::string> Steps(const ArtifactCase& artifact) {
  std::vector<std::string> steps = artifact.calls;
  for (const std::string& knob : artifact.knobs) steps.insert(steps.end(), {knob, artifact.calls.back()});
  return steps;
}

void PrintTo(const ArtifactCase& artifact, std::ostream* os) {
  *os << artifact.model << "_" << (artifact.with_preprocess ? "images" : artifact.target)
      << (artifact.wrapper.empty() ? "" : "_") << artifact.wrapper;
}

std::vector<ArtifactCase> ArtifactCases() {
  std::vector<ArtifactCase> cases;
  for (const Case& fields : ReadFamilyTables("runtime.txt")) {
    for (const std::string& model : Texts(fields, "model")) {
      ArtifactCase artifact = {model, Text(fields, "target"), Texts(fields, "call"), Texts(fields, "knob")};
      if (const std::string weights = Text(fields, "weights"); !weights.empty()) artifact.half_weights = weights;
      artifact.magnifies = Text(fields, "magnifies") == "yes";
      artifact.with_preprocess = Text(fields, "images") == "yes";
      artifact.wrapper = Text(fields, "wrapper");
      if (const std::string groups = Text(fields, "fused"); !groups.empty()) artifact.fused_groups = std::stoi(groups);
      cases.push_back(artifact);
    }
  }
  return cases;
}

}  // namespace modelport
