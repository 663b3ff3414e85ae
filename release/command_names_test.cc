#include "release/command_names.h"

#include <sstream>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(WithCommandNamesTest, CallsOfToolsBecomeCallsOfModelport) {
  const struct {
    const char *text, *named;
  } kCases[] = {
      {"bazel run //tools:list shows all", "modelport list shows all"},
      {"./bazelw run //tools:export -- --model=m", "modelport export --model=m"},
      {"bazelw run //tools:export --", "modelport export"},
      {"a //tools:new_plugin, b", "a modelport new_plugin, b"},
      {"bazel run //tools:list; bazel run //tools:inspect -- --checkpoint=f",
       "modelport list; modelport inspect --checkpoint=f"},
      {"//tools:verify --tolerance=1 -- x", "modelport verify --tolerance=1 -- x"},
      {"bazel build //models:catalog", "bazel build //models:catalog"},
      {"", ""},
  };
  for (const auto& c : kCases) EXPECT_EQ(WithCommandNames(c.text), c.named);
}

TEST(CommandNamesTest, ChangesTheStreamWhileItLives) {
  std::ostringstream stream;
  {
    const CommandNames names(stream);
    stream << "//tools:list\n" << 1 << std::flush;
  }
  stream << "//tools:list";
  EXPECT_EQ(stream.str(), "modelport list\n1//tools:list");
}

}  // namespace
}  // namespace modelport
