// compare_folder FOLDER: compares each checkpoint that FOLDER/expected.json names with what is expected of it.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/differential/compare.h"

int main(int argc, char** argv) {
  using Json = nlohmann::ordered_json;
  if (argc != 2) {
    std::cerr << "usage: compare_folder FOLDER\n";
    return 1;
  }
  const std::string folder = argv[1];
  std::ifstream stream(folder + "/expected.json");
  const Json all = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!all.is_object() || all.empty()) {
    std::cerr << folder << "/expected.json: names no checkpoints\n";
    return 1;
  }
  int read = 0, refused = 0, different = 0;
  for (const auto& [name, expected] : all.items()) {
    ++(expected.contains("refused") ? refused : read);
    const std::string differences = modelport::CompareWithReference(folder + "/" + name, expected);
    if (differences.empty()) continue;
    ++different;
    std::cout << name << ":\n" << differences;
  }
  std::cout << all.size() << " checkpoints compared: " << read << " to be read, " << refused << " to be refused; "
            << different << " differ\n";
  return different == 0 ? 0 : 1;
}
