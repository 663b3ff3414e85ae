#ifndef MODELPORT_TESTS_READ_SOURCES_H_
#define MODELPORT_TESTS_READ_SOURCES_H_

#include <string>
#include <vector>

namespace modelport {

// The paths of this repository's source files that the tools are built from, such as "common/io/writer.h".
std::vector<std::string> SourcePaths();

// The text of the file `path` of the test's data. Fails the test if it cannot be opened.
std::string ReadSource(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TESTS_READ_SOURCES_H_
