#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace modelport {

// The path and content of each record of an archive, in the order of the file.
using Records = std::vector<std::pair<std::string, std::string>>;

// Reads the records of the archive at `path`.
Records ReadRecords(const std::string& path);

// Lets `alter` change the records of the archive at `path`, and writes the archive again, with matching CRC-32s.
void AlterArchive(const std::string& path, const std::function<void(Records&)>& alter);

// The content of the record `path`, which must be one of `records`.
std::string& Content(Records& records, const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_
