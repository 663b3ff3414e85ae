// Pages of docs/ for those who have an archive of Modelport, and no repository with Bazel.
#ifndef MODELPORT_RELEASE_ARCHIVE_PAGE_H_
#define MODELPORT_RELEASE_ARCHIVE_PAGE_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// A page whose commands are those of `modelport`: "bazel run //tools:export -- FLAGS" becomes "modelport export FLAGS".
// Sentences, rows and code that name Bazel in any other way are left out, and so is what stands between the lines
// "<!-- Bazel -->" and "<!-- /Bazel -->", and the sentence that leads to such code. A link to a file stays one where `has`, called with the path as the link
// writes it, finds that file beside the page.
std::string ArchivePage(absl::string_view page, const std::function<bool(const std::string& path)>& has);

}  // namespace modelport

#endif  // MODELPORT_RELEASE_ARCHIVE_PAGE_H_
