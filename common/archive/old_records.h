// What an archive must hold for LibTorch 1.6, which reads fewer kinds of records and less syntax.
#ifndef MODELPORT_COMMON_ARCHIVE_OLD_RECORDS_H_
#define MODELPORT_COMMON_ARCHIVE_OLD_RECORDS_H_

#include <caffe2/serialize/inline_container.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/archive/archive_pieces.h"

namespace modelport {

// Adds records to an archive.
using RecordWriter = std::function<void(caffe2::serialize::PyTorchStreamWriter&)>;

// Writes the records of `archive` to `sink` as an archive that old readers take: `version` stands in the record
// "version", there are no debug records, the code is in OldSyntax, and what `add_records` adds comes after all of
// these. Weights go from where they lie to `sink`. Throws
// what LibTorch throws.
void WriteOldRecords(const std::shared_ptr<ArchivePieces>& archive, uint32_t version, const RecordWriter& add_records,
                     const std::function<size_t(const void*, size_t)>& sink);

// TorchScript code in the words of LibTorch 1.6, where the type of None is called None.
std::string OldSyntax(const std::string& code);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_OLD_RECORDS_H_
