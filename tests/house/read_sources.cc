#include "tests/house/read_sources.h"

#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

namespace modelport {

std::vector<std::string> SourcePaths(const std::string& list) {
  std::ifstream paths(list);
  return {std::istream_iterator<std::string>(paths), {}};
}

std::string ReadSource(const std::string& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.is_open()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace modelport
