#include "common/checkpoint/testing/table_files.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path InFolder(absl::string_view name) { return fs::path("tests/checkpoints") / std::string(name); }

// The bytes of a file that is in the table only.
std::string Made(const Json& file) {
  if (file.contains("text")) return file["text"].get<std::string>();
  std::ifstream good(InFolder(file["of"].get<std::string>()), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(good)), std::istreambuf_iterator<char>());
  if (file.contains("keep")) bytes.resize(file["keep"].get<size_t>());
  if (file.contains("put")) {
    const std::string put = absl::HexStringToBytes(file["put"][1].get<std::string>());
    bytes.replace(file["put"][0].get<size_t>(), put.size(), put);
  }
  return bytes;
}

}  // namespace

const Json& CheckpointTable() {
  static const auto* const files = new Json(Json::parse(std::ifstream(InFolder("expected.json"))).at("files"));
  return *files;
}

std::string TableFile(absl::string_view name) {
  const Json& file = CheckpointTable().at(std::string(name));
  if (!file.contains("of") && !file.contains("text")) return fs::absolute(InFolder(name));
  const fs::path path = fs::path(testing::TempDir()) / "made_checkpoints" / std::string(name);
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << Made(file);
  return path;
}

}  // namespace modelport
