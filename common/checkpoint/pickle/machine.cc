#include "common/checkpoint/pickle/machine.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/pickle/opcode.h"
#include "common/io/byte_reader.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport::pickle {
namespace {

// Little-endian two's complement of at most 8 bytes.
int64_t SignExtended(absl::string_view bytes) {
  uint64_t value = !bytes.empty() && (bytes.back() & 0x80) ? ~uint64_t{0} : 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(value);
}

// The memory of one item of a vector and of one entry of the memo: twice their size, since both grow by doubling.
constexpr size_t kItemCost = 2 * sizeof(void*);
constexpr size_t kMemoCost = 4 * sizeof(void*);

// The stack machine that executes a pickle. An instruction makes at most two values and takes each item off the stack
// at most once, so that the time is linear in the number of instructions. The budget limits memory.
class Machine {
 public:
  explicit Machine(Budget& budget) : budget_(budget) {}

  absl::Status Execute(const Instruction& instruction);

  // Takes the result off the stack and returns all values. Execute must not be called afterwards.
  absl::StatusOr<Pickle> Finish();

 private:
  absl::Status Dispatch(const Instruction& instruction);

  absl::StatusOr<Value*> New(Value::Data data);
  absl::Status Push(Value::Data data);
  absl::Status PushDecimal(absl::string_view text);
  absl::Status PushLong(absl::string_view bytes);
  absl::Status PushGlobal();
  absl::Status PushPersistentId();
  template <typename Sequence>
  absl::Status PushSequence(absl::StatusOr<Items> items);
  absl::Status PushDict(absl::StatusOr<Items> items);

  absl::Status Mark();
  absl::Status Duplicate();
  absl::Status Put(int64_t index);
  absl::Status Get(int64_t index);

  absl::Status Give(const Items& items, Object& object);
  absl::Status Append(absl::StatusOr<Items> items);
  absl::Status SetEntries(absl::StatusOr<Items> items);
  absl::Status Call();
  absl::Status CallWithKeywords();
  absl::Status CallFromMark();
  absl::Status Build();

  Budget& budget_;
  Pickle pickle_;
  Stack stack_;
  size_t deepest_ = 0;  // The greatest depth of the stack so far.
  absl::flat_hash_map<int64_t, Value*> memo_;
};

absl::StatusOr<Pickle> Machine::Finish() {
  ASSIGN_OR_RETURN(pickle_.root, stack_.Pop());
  return std::move(pickle_);
}

absl::StatusOr<Value*> Machine::New(Value::Data data) {
  RETURN_IF_ERROR(budget_.Spend(sizeof(Value)));
  pickle_.values.push_back(Value{std::move(data)});
  return &pickle_.values.back();
}

absl::Status Machine::Push(Value::Data data) {
  ASSIGN_OR_RETURN(Value* const value, New(std::move(data)));
  stack_.Push(value);
  return absl::OkStatus();
}

absl::Status Machine::PushDecimal(absl::string_view text) {
  if (text == "00" || text == "01") return Push(text == "01");
  int64_t value;
  if (absl::SimpleAtoi(absl::StripSuffix(text, "L"), &value)) return Push(value);
  return absl::DataLossError("wants a decimal number of 64 bits");
}

absl::Status Machine::PushLong(absl::string_view bytes) {
  if (bytes.size() > sizeof(int64_t)) return Push(LongInt{bytes});
  return Push(SignExtended(bytes));
}

absl::Status Machine::PushGlobal() {
  ASSIGN_OR_RETURN(const Items names, stack_.PopItems(2));
  const String* module = names[0]->As<String>();
  const String* name = names[1]->As<String>();
  if (module == nullptr || name == nullptr) return absl::DataLossError("wants two strings");
  return Push(Global{module->text, name->text});
}

absl::Status Machine::PushPersistentId() {
  ASSIGN_OR_RETURN(const Value* id, stack_.Pop());
  ASSIGN_OR_RETURN(Value* const value, New(PersistentId{id}));
  RETURN_IF_ERROR(budget_.Spend(kItemCost));
  pickle_.persistent_ids.push_back(value->As<PersistentId>());
  stack_.Push(value);
  return absl::OkStatus();
}

template <typename Sequence>
absl::Status Machine::PushSequence(absl::StatusOr<Items> items) {
  RETURN_IF_ERROR(items.status());
  RETURN_IF_ERROR(budget_.Spend(items->size() * kItemCost));
  return Push(Sequence{*std::move(items)});
}

absl::Status Machine::PushDict(absl::StatusOr<Items> items) {
  RETURN_IF_ERROR(Push(Dict{}));
  return SetEntries(std::move(items));
}

absl::Status Machine::Mark() {
  stack_.PushMark();
  return absl::OkStatus();
}

absl::Status Machine::Duplicate() {
  ASSIGN_OR_RETURN(Value* const top, stack_.Top());
  stack_.Push(top);
  return absl::OkStatus();
}

absl::Status Machine::Put(int64_t index) {
  ASSIGN_OR_RETURN(Value* const top, stack_.Top());
  const auto [entry, added] = memo_.insert_or_assign(index, top);
  return budget_.Spend(added ? kMemoCost : 0);
}

absl::Status Machine::Get(int64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) return absl::DataLossError(absl::StrCat("memo ", index, " was never set"));
  stack_.Push(found->second);
  return absl::OkStatus();
}

// Only the object's class knows what it would do with `items`: they are kept beside the object.
absl::Status Machine::Give(const Items& items, Object& object) {
  RETURN_IF_ERROR(budget_.Spend(items.size() * kItemCost));
  if (object.given == nullptr) {
    ASSIGN_OR_RETURN(object.given, New(List{}));
  }
  std::vector<const Value*>& given = std::get_if<List>(&object.given->data)->items;
  given.insert(given.end(), items.begin(), items.end());
  return absl::OkStatus();
}

absl::Status Machine::Append(absl::StatusOr<Items> items) {
  RETURN_IF_ERROR(items.status());
  ASSIGN_OR_RETURN(Value* const target, stack_.Top());
  if (Object* object = std::get_if<Object>(&target->data)) return Give(*items, *object);
  List* list = std::get_if<List>(&target->data);
  if (list == nullptr) return absl::DataLossError("wants a list to append to");
  RETURN_IF_ERROR(budget_.Spend(items->size() * kItemCost));
  list->items.insert(list->items.end(), items->begin(), items->end());
  return absl::OkStatus();
}

absl::Status Machine::SetEntries(absl::StatusOr<Items> items) {
  RETURN_IF_ERROR(items.status());
  ASSIGN_OR_RETURN(Value* const target, stack_.Top());
  if (items->size() % 2 != 0) return absl::DataLossError("wants a value for each key");
  Dict* dict = std::get_if<Dict>(&target->data);
  Object* object = std::get_if<Object>(&target->data);
  if (dict == nullptr && object == nullptr) return absl::DataLossError("wants a dict to set items of");
  RETURN_IF_ERROR(budget_.Spend(items->size() * kItemCost));
  std::vector<Entry>& entries = dict != nullptr ? dict->entries : object->entries;
  for (size_t i = 0; i < items->size(); i += 2) entries.emplace_back((*items)[i], (*items)[i + 1]);
  return absl::OkStatus();
}

absl::Status Machine::Call() {
  ASSIGN_OR_RETURN(const Items items, stack_.PopItems(2));
  if (items[1]->As<Tuple>() == nullptr) return absl::DataLossError("wants a tuple of arguments");
  return Push(Object{items[0], items[1], {}});
}

absl::Status Machine::CallWithKeywords() {
  ASSIGN_OR_RETURN(Value* const keywords, stack_.Pop());
  RETURN_IF_ERROR(Call());
  ASSIGN_OR_RETURN(Value* const result, stack_.Top());
  return Give({keywords}, *std::get_if<Object>(&result->data));
}

absl::Status Machine::CallFromMark() {
  ASSIGN_OR_RETURN(Items items, stack_.PopToMark());
  if (items.empty()) return absl::DataLossError("wants a class");
  RETURN_IF_ERROR(budget_.Spend(items.size() * kItemCost));
  ASSIGN_OR_RETURN(const Value* args, New(Tuple{Items(items.begin() + 1, items.end())}));
  return Push(Object{items.front(), args, {}});
}

// The state goes to a method of the object or into its attributes, such as the _metadata of a state dict: never into
// its entries.
absl::Status Machine::Build() {
  ASSIGN_OR_RETURN(const Value* const state, stack_.Pop());
  ASSIGN_OR_RETURN(Value* const target, stack_.Top());
  Object* const object = std::get_if<Object>(&target->data);
  if (object == nullptr) return absl::DataLossError("wants an object to give a state to");
  return Give({state}, *object);
}

absl::Status Machine::Execute(const Instruction& instruction) {
  RETURN_IF_ERROR(Dispatch(instruction));
  if (stack_.depth() <= deepest_) return absl::OkStatus();
  const size_t growth = stack_.depth() - std::exchange(deepest_, stack_.depth());
  return budget_.Spend(growth * kItemCost);
}

absl::Status Machine::Dispatch(const Instruction& instruction) {
  switch (instruction.opcode->action) {
    case Action::kProtocol:
      if (instruction.number <= 5) return absl::OkStatus();
      return absl::UnimplementedError(absl::StrCat("pickle protocol ", instruction.number, ", newer than 5"));
    case Action::kFrame:
      return absl::OkStatus();
    case Action::kNone:
      return Push(None{});
    case Action::kTrue:
      return Push(true);
    case Action::kFalse:
      return Push(false);
    case Action::kInt:
      return Push(instruction.number);
    case Action::kDecimal:
      return PushDecimal(instruction.text);
    case Action::kLong:
      return PushLong(instruction.text);
    case Action::kFloat:
      return Push(instruction.real);
    case Action::kString:
      return Push(String{instruction.text});
    case Action::kBytes:
      return Push(Bytes{instruction.text});
    case Action::kMark:
      return Mark();
    case Action::kPop:
      return stack_.Discard();
    case Action::kPopMark:
      return stack_.PopToMark().status();
    case Action::kDuplicate:
      return Duplicate();
    case Action::kPut:
      return Put(instruction.number);
    case Action::kMemoize:
      return Put(static_cast<int64_t>(memo_.size()));
    case Action::kGet:
      return Get(instruction.number);
    case Action::kEmptyTuple:
      return Push(Tuple{});
    case Action::kTuple1:
      return PushSequence<Tuple>(stack_.PopItems(1));
    case Action::kTuple2:
      return PushSequence<Tuple>(stack_.PopItems(2));
    case Action::kTuple3:
      return PushSequence<Tuple>(stack_.PopItems(3));
    case Action::kTuple:
      return PushSequence<Tuple>(stack_.PopToMark());
    case Action::kEmptyList:
      return Push(List{});
    case Action::kList:
      return PushSequence<List>(stack_.PopToMark());
    case Action::kAppend:
      return Append(stack_.PopItems(1));
    case Action::kAppends:
      return Append(stack_.PopToMark());
    case Action::kEmptyDict:
      return Push(Dict{});
    case Action::kDict:
      return PushDict(stack_.PopToMark());
    case Action::kSetItem:
      return SetEntries(stack_.PopItems(2));
    case Action::kSetItems:
      return SetEntries(stack_.PopToMark());
    case Action::kGlobal:
      return Push(Global{instruction.text, instruction.second});
    case Action::kStackGlobal:
      return PushGlobal();
    case Action::kExtension:
      return Push(Global{"copyreg", "extension"});
    case Action::kCall:
      return Call();
    case Action::kCallWithKeywords:
      return CallWithKeywords();
    case Action::kCallFromMark:
      return CallFromMark();
    case Action::kBuild:
      return Build();
    case Action::kPersistentId:
      return PushPersistentId();
    case Action::kStop:
    case Action::kReadOnly:
      return stack_.Top().status();
  }
  return absl::InternalError("an opcode without an action");
}

}  // namespace

absl::StatusOr<Pickle> ReadPickle(absl::string_view bytes, Budget& budget) {
  Machine machine(budget);
  ByteReader reader(bytes);
  while (true) {
    const size_t position = reader.offset();
    const absl::StatusOr<Instruction> instruction = ReadInstruction(reader);
    if (!instruction.ok()) return Annotate(instruction.status(), absl::StrCat("byte ", position));
    const absl::Status executed = machine.Execute(*instruction);
    if (!executed.ok()) return Annotate(executed, absl::StrCat("byte ", position, ": ", instruction->opcode->name));
    if (instruction->opcode->action != Action::kStop) continue;
    ASSIGN_OR_RETURN(Pickle pickle, machine.Finish());
    pickle.size = reader.offset();
    return pickle;
  }
}

absl::StatusOr<Value*> Stack::Top() const {
  if (Reachable() == 0) return absl::DataLossError("too few items on the stack");
  return values_.back();
}

absl::StatusOr<Value*> Stack::Pop() {
  ASSIGN_OR_RETURN(Value* const top, Top());
  values_.pop_back();
  return top;
}

absl::StatusOr<Items> Stack::PopItems(size_t count) {
  if (Reachable() < count) return absl::DataLossError("too few items on the stack");
  Items items(values_.end() - count, values_.end());
  values_.resize(values_.size() - count);
  return items;
}

absl::StatusOr<Items> Stack::PopToMark() {
  if (marks_.empty()) return absl::DataLossError("no mark on the stack");
  ASSIGN_OR_RETURN(Items items, PopItems(Reachable()));
  marks_.pop_back();
  return items;
}

absl::Status Stack::Discard() {
  if (Reachable() > 0 || marks_.empty()) return Pop().status();
  marks_.pop_back();
  return absl::OkStatus();
}

}  // namespace modelport::pickle
