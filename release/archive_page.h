// Pages of docs/ for those who have an archive of Modelport, and no repository with Bazel.
#ifndef MODELPORT_RELEASE_ARCHIVE_PAGE_H_
#define MODELPORT_RELEASE_ARCHIVE_PAGE_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// A page whose commands are those of `modelport`: "bazel run //tools:export -- FLAGS" becomes "modelport export FLAGS",
// and pictures of docs/ are those of the archive. Sentences, rows and code that are on building with Bazel are left
// out, and so are what stands between the lines "<!-- Bazel -->" and "<!-- /Bazel -->", and a sentence that leads to
// code which is left out. Labels such as //tests/onnx:models_test, which name a test of the repository, stay. A link to
// a file stays one where `has`, called with the path as the link writes it, finds that file beside the page.
std::string ArchivePage(absl::string_view page, const std::function<bool(const std::string& path)>& has);

}  // namespace modelport

#endif  // MODELPORT_RELEASE_ARCHIVE_PAGE_H_
