#include "common/io/input_record.h"

#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

struct RecordedFile {
  std::string path;
  bool is_output;
};

struct Record {
  std::mutex mutex;  // Guards the other members.
  int users = 0;
  std::map<std::pair<dev_t, ino_t>, RecordedFile> files;
};

Record& TheRecord() {
  static auto* const record = new Record();
  return *record;
}

void Add(const std::string& path, const struct stat& info, bool is_output) {
  // An unnamed file cannot be replaced, and its number may become that of another file.
  if (info.st_nlink == 0) return;
  Record& record = TheRecord();
  const std::lock_guard<std::mutex> lock(record.mutex);
  if (record.users > 0) record.files.insert({{info.st_dev, info.st_ino}, {path, is_output}});
}

}  // namespace

InputRecord::InputRecord() {
  const std::lock_guard<std::mutex> lock(TheRecord().mutex);
  ++TheRecord().users;
}

InputRecord::~InputRecord() {
  const std::lock_guard<std::mutex> lock(TheRecord().mutex);
  if (--TheRecord().users == 0) TheRecord().files.clear();
}

void RecordInput(const std::string& path, const struct stat& info) { Add(path, info, /*is_output=*/false); }

void RecordInput(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) Add(path, info, /*is_output=*/false);
}

void RecordOutput(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) Add(path, info, /*is_output=*/true);
}

absl::Status CheckReplacesNoInput(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return absl::OkStatus();
  Record& record = TheRecord();
  const std::lock_guard<std::mutex> lock(record.mutex);
  const auto found = record.files.find({info.st_dev, info.st_ino});
  if (found == record.files.end()) return absl::OkStatus();
  const auto& [recorded, is_output] = found->second;
  return absl::InvalidArgumentError(
      is_output ? absl::StrCat(path, ": is another output of this command, too; give each output a file of its own")
                : absl::StrCat(path, ": is the input ", recorded, " itself; write to another file"));
}

}  // namespace modelport
