#include "common/checkpoint/pickle/opcode.h"

#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace modelport::pickle {
namespace {

constexpr Opcode kOpcodes[] = {
    {0x80, "PROTO", Argument::kUInt8, Action::kProtocol},
    {0x95, "FRAME", Argument::kUInt64, Action::kFrame},
    {'.', "STOP", Argument::kNone, Action::kStop},
    {'N', "NONE", Argument::kNone, Action::kNone},
    {0x88, "NEWTRUE", Argument::kNone, Action::kTrue},
    {0x89, "NEWFALSE", Argument::kNone, Action::kFalse},
    {'I', "INT", Argument::kLine, Action::kDecimal},
    {'J', "BININT", Argument::kInt32, Action::kInt},
    {'K', "BININT1", Argument::kUInt8, Action::kInt},
    {'M', "BININT2", Argument::kUInt16, Action::kInt},
    {'L', "LONG", Argument::kLine, Action::kDecimal},
    {0x8a, "LONG1", Argument::kBytes8, Action::kLong},
    {0x8b, "LONG4", Argument::kBytes32, Action::kLong},
    {'G', "BINFLOAT", Argument::kBigEndianDouble, Action::kFloat},
    {'T', "BINSTRING", Argument::kBytes32, Action::kString},
    {'U', "SHORT_BINSTRING", Argument::kBytes8, Action::kString},
    {'X', "BINUNICODE", Argument::kBytes32, Action::kString},
    {0x8c, "SHORT_BINUNICODE", Argument::kBytes8, Action::kString},
    {0x8d, "BINUNICODE8", Argument::kBytes64, Action::kString},
    {'B', "BINBYTES", Argument::kBytes32, Action::kBytes},
    {'C', "SHORT_BINBYTES", Argument::kBytes8, Action::kBytes},
    {0x8e, "BINBYTES8", Argument::kBytes64, Action::kBytes},
    {0x96, "BYTEARRAY8", Argument::kBytes64, Action::kBytes},
    {'(', "MARK", Argument::kNone, Action::kMark},
    {'0', "POP", Argument::kNone, Action::kPop},
    {'1', "POP_MARK", Argument::kNone, Action::kPopMark},
    {'2', "DUP", Argument::kNone, Action::kDuplicate},
    {'q', "BINPUT", Argument::kUInt8, Action::kPut},
    {'r', "LONG_BINPUT", Argument::kUInt32, Action::kPut},
    {0x94, "MEMOIZE", Argument::kNone, Action::kMemoize},
    {'h', "BINGET", Argument::kUInt8, Action::kGet},
    {'j', "LONG_BINGET", Argument::kUInt32, Action::kGet},
    {')', "EMPTY_TUPLE", Argument::kNone, Action::kEmptyTuple},
    {0x85, "TUPLE1", Argument::kNone, Action::kTuple1},
    {0x86, "TUPLE2", Argument::kNone, Action::kTuple2},
    {0x87, "TUPLE3", Argument::kNone, Action::kTuple3},
    {'t', "TUPLE", Argument::kNone, Action::kTuple},
    {']', "EMPTY_LIST", Argument::kNone, Action::kEmptyList},
    {'l', "LIST", Argument::kNone, Action::kList},
    {'a', "APPEND", Argument::kNone, Action::kAppend},
    {'e', "APPENDS", Argument::kNone, Action::kAppends},
    {0x8f, "EMPTY_SET", Argument::kNone, Action::kEmptyList},
    {0x90, "ADDITEMS", Argument::kNone, Action::kAppends},
    {0x91, "FROZENSET", Argument::kNone, Action::kList},
    {'}', "EMPTY_DICT", Argument::kNone, Action::kEmptyDict},
    {'d', "DICT", Argument::kNone, Action::kDict},
    {'s', "SETITEM", Argument::kNone, Action::kSetItem},
    {'u', "SETITEMS", Argument::kNone, Action::kSetItems},
    {'c', "GLOBAL", Argument::kTwoLines, Action::kGlobal},
    {0x93, "STACK_GLOBAL", Argument::kNone, Action::kStackGlobal},
    {0x82, "EXT1", Argument::kUInt8, Action::kExtension},
    {0x83, "EXT2", Argument::kUInt16, Action::kExtension},
    {0x84, "EXT4", Argument::kInt32, Action::kExtension},
    {'R', "REDUCE", Argument::kNone, Action::kCall},
    {0x81, "NEWOBJ", Argument::kNone, Action::kCall},
    {0x92, "NEWOBJ_EX", Argument::kNone, Action::kCallWithKeywords},
    {'o', "OBJ", Argument::kNone, Action::kCallFromMark},
    {'b', "BUILD", Argument::kNone, Action::kBuild},
    {'Q', "BINPERSID", Argument::kNone, Action::kPersistentId},
    {0x98, "READONLY_BUFFER", Argument::kNone, Action::kReadOnly},
};

// Valid opcodes that torch.save never writes: those of protocol 0, and NEXT_BUFFER.
constexpr absl::string_view kUnsupported = "FSVPpgi\x97";

using OpcodeTable = std::array<const Opcode*, 256>;

OpcodeTable MakeOpcodeTable() {
  OpcodeTable table = {};
  for (const Opcode& opcode : kOpcodes) table[opcode.code] = &opcode;
  return table;
}

absl::StatusOr<const Opcode*> ReadOpcode(ByteReader& reader) {
  static const OpcodeTable table = MakeOpcodeTable();
  const absl::optional<uint8_t> code = reader.ReadNumber<uint8_t>();
  if (!code) return absl::DataLossError("the pickle ends without STOP");
  if (const Opcode* opcode = table[*code]) return opcode;
  if (kUnsupported.find(static_cast<char>(*code)) != absl::string_view::npos) {
    return absl::UnimplementedError(absl::StrFormat("pickle opcode 0x%02x, which torch.save never writes", *code));
  }
  return absl::DataLossError(absl::StrFormat("0x%02x is no pickle opcode", *code));
}

template <typename T>
bool ReadInt(ByteReader& reader, int64_t* number) {
  const absl::optional<T> value = reader.ReadNumber<T>();
  if (value) *number = static_cast<int64_t>(*value);
  return value.has_value();
}

bool ReadBigEndianDouble(ByteReader& reader, double* real) {
  const absl::optional<uint64_t> bits = reader.ReadNumber<uint64_t>();
  if (!bits) return false;
  const uint64_t swapped = __builtin_bswap64(*bits);
  std::memcpy(real, &swapped, sizeof(*real));
  return true;
}

template <typename Length>
bool ReadCountedBytes(ByteReader& reader, absl::string_view* text) {
  const absl::optional<Length> length = reader.ReadNumber<Length>();
  if (!length) return false;
  const absl::optional<absl::string_view> bytes = reader.ReadBytes(*length);
  if (bytes) *text = *bytes;
  return bytes.has_value();
}

bool ReadLine(ByteReader& reader, absl::string_view* text) {
  const absl::optional<absl::string_view> line = reader.ReadLine();
  if (line) *text = *line;
  return line.has_value();
}

bool ReadArgument(ByteReader& reader, Instruction* instruction) {
  switch (instruction->opcode->argument) {
    case Argument::kNone:
      return true;
    case Argument::kUInt8:
      return ReadInt<uint8_t>(reader, &instruction->number);
    case Argument::kUInt16:
      return ReadInt<uint16_t>(reader, &instruction->number);
    case Argument::kInt32:
      return ReadInt<int32_t>(reader, &instruction->number);
    case Argument::kUInt32:
      return ReadInt<uint32_t>(reader, &instruction->number);
    case Argument::kUInt64:
      return ReadInt<uint64_t>(reader, &instruction->number);
    case Argument::kBigEndianDouble:
      return ReadBigEndianDouble(reader, &instruction->real);
    case Argument::kBytes8:
      return ReadCountedBytes<uint8_t>(reader, &instruction->text);
    case Argument::kBytes32:
      return ReadCountedBytes<uint32_t>(reader, &instruction->text);
    case Argument::kBytes64:
      return ReadCountedBytes<uint64_t>(reader, &instruction->text);
    case Argument::kLine:
      return ReadLine(reader, &instruction->text);
    case Argument::kTwoLines:
      return ReadLine(reader, &instruction->text) && ReadLine(reader, &instruction->second);
  }
  return false;
}

}  // namespace

absl::StatusOr<Instruction> ReadInstruction(ByteReader& reader) {
  const absl::StatusOr<const Opcode*> opcode = ReadOpcode(reader);
  if (!opcode.ok()) return opcode.status();
  Instruction instruction;
  instruction.opcode = *opcode;
  if (!ReadArgument(reader, &instruction)) {
    return absl::DataLossError(absl::StrCat("the pickle ends within the argument of ", (*opcode)->name));
  }
  return instruction;
}

}  // namespace modelport::pickle
