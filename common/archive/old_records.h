// Writes archives for LibTorch 1.6, which reads fewer kinds of records and less syntax.
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

// Writes the records of `archive` to `sink` as an archive that old readers accept: the record "version" has the text
// `version`, there are no debug records, and the code is in OldSyntax. The records of `add_records` come last. Weights
// are not copied. Throws the exceptions of LibTorch.
void WriteOldRecords(const std::shared_ptr<ArchivePieces>& archive, uint32_t version, const RecordWriter& add_records,
                     const std::function<size_t(const void*, size_t)>& sink);

// `code`, which is TorchScript, in the syntax of LibTorch 1.6: it calls the type of None "None" instead of "NoneType".
// Throws the exceptions of LibTorch.
std::string OldSyntax(const std::string& code);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_OLD_RECORDS_H_
