#ifndef MODELPORT_TESTS_MANIFESTS_KEY_LIST_H_
#define MODELPORT_TESTS_MANIFESTS_KEY_LIST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/checkpoint/seeded.h"

namespace modelport {

// What a list of a published file's keys says; tests/manifests/README.md describes these lists. What a list does not
// state is empty.
struct KeyList {
  std::string file;                 // The name of the published file.
  int64_t parameters = 0;           // Their elements.
  bool has_other_order = false;     // Whether upstream's modules have another order than the module tree.
  std::vector<std::string> models;  // Those that the file fits.
  std::string layout;               // In which it has these keys.
  std::string pairs;                // The sha256 of which tensors fill which slots, where outputs proved it.
  std::vector<std::string> flags;   // Those by which the tools take it: "--model=NAME --set=ARGUMENT=VALUE".
  std::vector<SeededKey> keys;      // In the order of the file.
  std::vector<SeededKey> unused;    // Those that the model has no slots for.
};

// The paths of the lists models/FAMILY/testdata/FOLDER/NAME.txt, by name, that are among the test's data.
std::map<std::string, std::string> KeyLists(const std::string& folder);

// Reads the list at `path`. A line of another form ends the test.
KeyList ReadKeyList(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TESTS_MANIFESTS_KEY_LIST_H_
