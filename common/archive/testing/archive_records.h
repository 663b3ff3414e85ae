#ifndef MODELPORT_COMMON_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_
#define MODELPORT_COMMON_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace modelport {

// Records of an archive, path and content, in the order of the file.
using Records = std::vector<std::pair<std::string, std::string>>;

// Reads the records of the archive at `path`, but not those about the archive as a whole, such as its version.
Records ReadRecords(const std::string& path);

// Writes the archive at `path` anew, whole and with right checksums, with the records that `alter` makes of these.
void AlterArchive(const std::string& path, const std::function<void(Records&)>& alter);

// The content of the record `path`, which must be one of `records`.
std::string& Content(Records& records, const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_TESTING_ARCHIVE_RECORDS_H_
