// What a command has read and written, so that no output replaces it.
#ifndef MODELPORT_COMMON_IO_INPUT_RECORD_H_
#define MODELPORT_COMMON_IO_INPUT_RECORD_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"

namespace modelport {

// While an object of this class lives, the functions below keep a record, and without one they do nothing. The program
// of a command has one. MappedFile records what it opens, and OutputFile what it writes.
class InputRecord {
 public:
  InputRecord();
  ~InputRecord();
  InputRecord(const InputRecord&) = delete;
  InputRecord& operator=(const InputRecord&) = delete;
};

// Adds a file that is an input of the command: one that was opened at `path`, with the state `info`, or one that will
// be read. A file that does not exist is none.
void RecordInput(const std::string& path, const struct stat& info);
void RecordInput(const std::string& path);

// Adds a file that the command has written.
void RecordOutput(const std::string& path);

// InvalidArgument if an output at `path` would replace a file of the record, by whatever name, link or hard link either
// has: "m.pt: is the input ./in.pt itself; write to another file".
absl::Status CheckReplacesNoInput(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_INPUT_RECORD_H_
