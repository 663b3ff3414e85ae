#include "tests/support/mutated_plugins.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

namespace modelport {

namespace fs = std::filesystem;

std::vector<Mutation> MutationsOf(const Case& fields) {
  std::vector<Mutation> mutations;
  std::string last;
  const auto add = [](std::string& text, const std::string& line, bool is_next) {
    text += (is_next ? "\n" : "") + line;
  };
  for (const auto& [sign, line] : fields) {
    if (sign == "-" && last != "-") mutations.push_back({Text(fields, "file"), "", ""});
    if (sign == "-") add(mutations.back().from, line, last == "-");
    if (sign == "+") add(mutations.back().to, line, last == "+");
    last = sign;
  }
  return mutations;
}

std::string MutatedPlugins(const std::string& plugins, const Mutation& mutation) {
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / plugins;
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy(plugins, folder, fs::copy_options::recursive);
  const fs::path path = folder / mutation.file;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string mutated = text.str();
  const size_t at = mutated.find(mutation.from);
  EXPECT_NE(at, std::string::npos) << mutation.file << " has no " << mutation.from;
  if (at != std::string::npos) mutated.replace(at, mutation.from.size(), mutation.to);
  fs::remove(path);
  std::ofstream(path) << mutated;
  return folder;
}

}  // namespace modelport
