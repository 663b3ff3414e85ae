#ifndef MODELPORT_TARGETS_PACKAGE_FILE_H_
#define MODELPORT_TARGETS_PACKAGE_FILE_H_

#include <string>

namespace modelport {

// A file beside an artifact in a folder for its host.
struct PackageFile {
  std::string name;  // "dav2_vits.gizmo"
  std::string text;
};

}  // namespace modelport

#endif  // MODELPORT_TARGETS_PACKAGE_FILE_H_
