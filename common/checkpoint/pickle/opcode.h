// The instructions of pickle protocols 1 to 5. Opcodes that differ only in the encoding of their argument share an
// Action.
#ifndef MODELPORT_COMMON_CHECKPOINT_PICKLE_OPCODE_H_
#define MODELPORT_COMMON_CHECKPOINT_PICKLE_OPCODE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/byte_reader.h"

namespace modelport::pickle {

// The encoding of the argument that follows an opcode's byte.
enum class Argument : uint8_t {
  kNone,
  kUInt8,
  kUInt16,
  kInt32,
  kUInt32,
  kUInt64,
  kBigEndianDouble,
  kBytes8,  // A length of 8, 32 or 64 bits, then as many bytes.
  kBytes32,
  kBytes64,
  kLine,
  kTwoLines,
};

enum class Action : uint8_t {
  kProtocol,
  kFrame,
  kStop,
  // Push a constant, or the argument.
  kNone,
  kTrue,
  kFalse,
  kInt,
  kDecimal,
  kLong,
  kFloat,
  kString,
  kBytes,
  // The stack.
  kMark,
  kPop,
  kPopMark,
  kDuplicate,
  kPut,
  kMemoize,
  kGet,
  // Containers.
  kEmptyTuple,
  kTuple1,
  kTuple2,
  kTuple3,
  kTuple,
  kEmptyList,
  kList,
  kAppend,
  kAppends,
  kEmptyDict,
  kDict,
  kSetItem,
  kSetItems,
  // Globals and objects.
  kGlobal,
  kStackGlobal,
  kExtension,
  kCall,
  kCallWithKeywords,
  kCallFromMark,
  kBuild,
  kPersistentId,
  kReadOnly,
};

struct Opcode {
  uint8_t code;
  absl::string_view name;  // As Python's pickletools spells it.
  Argument argument;
  Action action;
};

// An opcode with its argument; only the fields that belong to opcode->argument are set.
struct Instruction {
  const Opcode* opcode = nullptr;
  int64_t number = 0;
  double real = 0;
  absl::string_view text;    // Bytes, or the first line.
  absl::string_view second;  // The second line.
};

// Reads the next instruction.
//   DataLoss        the bytes end within it, or no such opcode exists
//   Unimplemented   an opcode of protocol 0, or out-of-band data, neither of which torch.save writes
absl::StatusOr<Instruction> ReadInstruction(ByteReader& reader);

}  // namespace modelport::pickle

#endif  // MODELPORT_COMMON_CHECKPOINT_PICKLE_OPCODE_H_
