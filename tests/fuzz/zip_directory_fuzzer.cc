// The directory of zip archives, the content of their records, and the archive of torch.save as a whole.
#include "common/checkpoint/readers.h"
#include "common/checkpoint/zip_directory.h"
#include "tests/fuzz/read_tensors.h"

namespace modelport {
namespace {

constexpr uint64_t kMaxRecord = 1 << 20;

void ReadRecords(absl::string_view archive) {
  const absl::StatusOr<std::vector<ZipRecord>> records = ReadZipDirectory(archive, ZipMethods::kStoredAndDeflated);
  FuzzCheckFileError(records.status());
  if (!records.ok()) return;
  size_t stored = 0;
  for (const ZipRecord& record : *records) {
    FuzzCheck(record.bytes.data() >= archive.data() &&
                  record.bytes.data() + record.bytes.size() <= archive.data() + archive.size(),
              "a record lies within the archive");
    stored += record.bytes.size();
    if (!record.deflated) {
      FuzzCheckFileError(CheckCrc32(record, record.bytes));
      continue;
    }
    const absl::StatusOr<std::string> content = InflateRecord(record, kMaxRecord);
    FuzzCheckFileError(content.status());
    FuzzCheck(!content.ok() || content->size() == record.size, "a record has the size that the archive states");
  }
  FuzzCheck(stored <= archive.size(), "no two records overlap");
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view archive = modelport::FuzzText(data, size);
  modelport::ReadRecords(archive);
  modelport::FuzzReadTensors(modelport::ReadTorchZip(archive), archive);
  return 0;
}
