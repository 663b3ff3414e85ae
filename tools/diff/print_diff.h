#ifndef MODELPORT_TOOLS_DIFF_PRINT_DIFF_H_
#define MODELPORT_TOOLS_DIFF_PRINT_DIFF_H_

#include <string>

#include "tools/diff/diff_files.h"

namespace modelport {

// The comparison as text: the files, the settings that differ, then the tensors, one line for those of all layers that
// are alike, and a summary.
std::string DiffText(const FileDifference& difference);

// The same as JSON, with every tensor by itself.
std::string DiffJson(const FileDifference& difference);

// "2 settings and 3 of 175 tensors"; "nothing" if the files are equal.
std::string CountDifferences(const FileDifference& difference);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_PRINT_DIFF_H_
