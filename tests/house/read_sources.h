#ifndef MODELPORT_TESTS_HOUSE_READ_SOURCES_H_
#define MODELPORT_TESTS_HOUSE_READ_SOURCES_H_

#include <string>
#include <vector>

namespace modelport {

// The paths of this repository's source files that the tools are built from, such as "common/io/writer.h", or those of
// another list that source_files() makes.
std::vector<std::string> SourcePaths(const std::string& list = "tests/house/tool_sources.txt");

// The text of the file `path` of the test's data. Fails the test if it cannot be opened.
std::string ReadSource(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TESTS_HOUSE_READ_SOURCES_H_
