#include "common/torchscript/archive/testing/archive_records.h"

#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <stdexcept>

#include "absl/strings/match.h"
#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/archive_writer.h"
#include "gtest/gtest.h"

namespace modelport {

Records ReadRecords(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  Records records;
  for (const std::string& name : reader.getAllRecords()) {
    const auto [data, size] = reader.getRecord(name);
    records.emplace_back(name, std::string(static_cast<const char*>(data.get()), size));
  }
  return records;
}

void AlterArchive(const std::string& path, const std::function<void(Records&)>& alter) {
  Records records = ReadRecords(path);
  alter(records);
  OutputFile file = OutputFile::Create(path).value();
  ArchiveWriter writer(file);
  for (const auto& [name, content] : records) {
    const auto add = absl::StartsWith(name, "code/") ? &ArchiveWriter::AddDeflated : &ArchiveWriter::AddStored;
    EXPECT_OK((writer.*add)(name, content));
  }
  EXPECT_OK(writer.Finish());
  EXPECT_OK(file.Commit());
}

std::string& Content(Records& records, const std::string& path) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.first == path; });
  if (found == records.end()) throw std::out_of_range(path);
  return found->second;
}

}  // namespace modelport
