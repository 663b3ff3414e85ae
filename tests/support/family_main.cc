// The main of tests that each family runs for its own models: TEST FAMILY.
#include <cstdio>

#include "gtest/gtest.h"
#include "tests/support/test_models.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FAMILY\n", argv[0]);
    return 1;
  }
  modelport::TestFamily() = argv[1];
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
