#include "common/archive/testing/archive_records.h"

#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "absl/strings/match.h"

namespace modelport {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using caffe2::serialize::PyTorchStreamWriter;

Records ReadRecordsOf(PyTorchStreamReader& reader) {
  Records records;
  for (const std::string& name : reader.getAllRecords()) {
    if (absl::StartsWith(name, ".data/") || name == "byteorder") continue;
    const auto [data, size] = reader.getRecord(name);
    records.emplace_back(name, std::string(static_cast<const char*>(data.get()), size));
  }
  return records;
}

}  // namespace

Records ReadRecords(const std::string& path) {
  PyTorchStreamReader reader(path);
  return ReadRecordsOf(reader);
}

void AlterArchive(const std::string& path, const std::function<void(Records&)>& alter) {
  PyTorchStreamReader reader(path);
  Records records = ReadRecordsOf(reader);
  alter(records);
  std::string bytes;
  {
    PyTorchStreamWriter writer([&](const void* data, size_t size) {
      bytes.append(static_cast<const char*>(data), size);
      return size;
    });
    writer.setMinVersion(reader.version());
    for (const auto& [name, content] : records) {
      writer.writeRecord(name, content.data(), content.size(), /*compress=*/absl::StartsWith(name, "code/"));
    }
    writer.writeEndOfFile();
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string& Content(Records& records, const std::string& path) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.first == path; });
  if (found == records.end()) throw std::out_of_range(path);
  return found->second;
}

}  // namespace modelport
