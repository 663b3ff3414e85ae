#ifndef MODELPORT_COMMON_IO_PARTIAL_NAME_H_
#define MODELPORT_COMMON_IO_PARTIAL_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "common/io/output_place.h"

namespace modelport {

// A path beside `place` for what is unfinished: `ls` does not show it and no other process uses it.
std::string MakePartialPath(const OutputPlace& place);

// Whether `name`, of a file in the folder of `place`, may be one that MakePartialPath gave to `place`.
bool IsPartialName(absl::string_view name, const OutputPlace& place);

// The path of an unfinished file or of an unfinished folder without subfolders, which is removed when this object dies
// and when a signal other than SIGKILL ends the process. Make it before the file, so that no signal comes between.
class PartialName {
 public:
  explicit PartialName(const std::string& path);
  ~PartialName();
  PartialName(const PartialName&) = delete;
  PartialName& operator=(const PartialName&) = delete;

  const std::string& path() const { return path_; }

  // Leaves whatever has the path from now on alone.
  void Release();

 private:
  const std::string path_;
  const int slot_;
  bool released_ = false;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_PARTIAL_NAME_H_
