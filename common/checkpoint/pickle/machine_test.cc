#include "common/checkpoint/pickle/machine.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/io/byte_reader.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::pickle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<Pickle> Read(absl::string_view bytes) {
  Budget budget(bytes.size());
  return ReadPickle(bytes, budget);
}

std::string Repr(const Value& value, int depth = 0);

std::string ReprItems(const std::vector<const Value*>& items, int depth) {
  return absl::StrJoin(items, ", ",
                       [depth](std::string* out, const Value* item) { absl::StrAppend(out, Repr(*item, depth + 1)); });
}

std::string ReprEntries(const std::vector<Entry>& entries, int depth) {
  return absl::StrJoin(entries, ", ", [depth](std::string* out, const Entry& entry) {
    absl::StrAppend(out, Repr(*entry.first, depth + 1), ": ", Repr(*entry.second, depth + 1));
  });
}

struct ReprVisitor {
  int depth;
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(bool flag) const { return flag ? "True" : "False"; }
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(const LongInt& number) const {
    return absl::StrCat("long of ", number.bytes.size(), " bytes");
  }
  std::string operator()(double number) const { return absl::StrCat("float ", number); }
  std::string operator()(const String& string) const { return absl::StrCat("'", string.text, "'"); }
  std::string operator()(const Bytes& bytes) const { return absl::StrCat("b'", bytes.bytes, "'"); }
  std::string operator()(const Tuple& tuple) const { return absl::StrCat("(", ReprItems(tuple.items, depth), ")"); }
  std::string operator()(const List& list) const { return absl::StrCat("[", ReprItems(list.items, depth), "]"); }
  std::string operator()(const Dict& dict) const { return absl::StrCat("{", ReprEntries(dict.entries, depth), "}"); }
  std::string operator()(const Global& global) const { return absl::StrCat(global.module, ".", global.name); }
  std::string operator()(const Object& object) const {
    const std::string entries = ReprEntries(object.entries, depth);
    return absl::StrCat(Repr(*object.callable, depth + 1), Repr(*object.args, depth + 1),
                        entries.empty() ? "" : absl::StrCat("{", entries, "}"),
                        object.given == nullptr ? "" : absl::StrCat(" given ", Repr(*object.given, depth + 1)));
  }
  std::string operator()(const PersistentId& id) const { return absl::StrCat("@", Repr(*id.id, depth + 1)); }
};

// Python's notation, more or less; a value in itself ends in "...".
std::string Repr(const Value& value, int depth) {
  return depth > 5 ? "..." : std::visit(ReprVisitor{depth}, value.data);
}

// A string literal with its NULs.
template <size_t size>
std::string Literal(const char (&text)[size]) {
  return std::string(text, size - 1);
}

struct ValueCase {
  std::string name;
  std::string instructions;
  std::string repr;
};

class MachineValueTest : public testing::TestWithParam<ValueCase> {};

TEST_P(MachineValueTest, LeavesTheValue) {
  const std::string bytes = Pickled(GetParam().instructions);
  ASSERT_OK_AND_ASSIGN(const Pickle pickle, Read(bytes));
  EXPECT_EQ(Repr(*pickle.root), GetParam().repr);
  EXPECT_EQ(pickle.size, bytes.size());
}

const ValueCase kValueCases[] = {
    {"None", "N", "None"},
    {"True", "\x88", "True"},
    {"False", "\x89", "False"},
    {"BinInt", Literal("J\xfe\xff\xff\xff"), "-2"},
    {"BinInt1", "K\xff", "255"},
    {"BinInt2", "M\xff\xff", "65535"},
    {"IntText", "I-12\n", "-12"},
    {"IntTextTrue", "I01\n", "True"},
    {"LongText", "L123L\n", "123"},
    {"Long1Empty", Literal("\x8a\0"), "0"},
    {"Long1Negative", Literal("\x8a\x01\xff"), "-1"},
    {"Long1Positive", Literal("\x8a\x02\xff\0"), "255"},
    {"Long1SmallestOf64Bits", Literal("\x8a\x08\0\0\0\0\0\0\0\x80"), "-9223372036854775808"},
    {"Long1Beyond64Bits", Literal("\x8a\x09\0\0\0\0\0\0\0\0\1"), "long of 9 bytes"},
    {"Long4", Literal("\x8b\x01\0\0\0\x07"), "7"},
    {"BinFloat", Literal("G\x3f\xf8\0\0\0\0\0\0"), "float 1.5"},
    {"BinString", Literal("T\x02\0\0\0ab"), "'ab'"},
    {"ShortBinString",
     "U\x02"
     "ab",
     "'ab'"},
    {"BinUnicode", Literal("X\x02\0\0\0ab"), "'ab'"},
    {"ShortBinUnicode",
     "\x8c\x02"
     "ab",
     "'ab'"},
    {"BinUnicode8", Literal("\x8d\x02\0\0\0\0\0\0\0ab"), "'ab'"},
    {"BinBytes", Literal("B\x02\0\0\0ab"), "b'ab'"},
    {"ShortBinBytes",
     "C\x02"
     "ab",
     "b'ab'"},
    {"BinBytes8", Literal("\x8e\x02\0\0\0\0\0\0\0ab"), "b'ab'"},
    {"ByteArray8", Literal("\x96\x02\0\0\0\0\0\0\0ab\x98"), "b'ab'"},
    {"EmptyTuple", ")", "()"},
    {"Tuple1", "N\x85", "(None)"},
    {"Tuple2", "NK\1\x86", "(None, 1)"},
    {"Tuple3", "NK\1K\2\x87", "(None, 1, 2)"},
    {"Tuple", "(K\1K\2K\3K\4t", "(1, 2, 3, 4)"},
    {"EmptyList", "]", "[]"},
    {"List", "(K\1K\2l", "[1, 2]"},
    {"Append", "]K\1a", "[1]"},
    {"Appends", "](K\1K\2e", "[1, 2]"},
    {"Set", "\x8f(K\1\x90", "[1]"},
    {"FrozenSet", "(K\1\x91", "[1]"},
    {"EmptyDict", "}", "{}"},
    {"Dict", "(K\1K\2d", "{1: 2}"},
    {"SetItem", "}K\1K\2s", "{1: 2}"},
    {"SetItems", "}(K\1K\2K\3K\4u", "{1: 2, 3: 4}"},
    {"Pop",
     "K\1K\2"
     "0",
     "1"},
    {"PopOfAMark", "K\1(0", "1"},
    {"PopMark",
     "K\1(K\2K\3"
     "1",
     "1"},
    {"Dup",
     "K\1"
     "2\x86",
     "(1, 1)"},
    {"PutAndGet", "K\1q\5h\5\x86", "(1, 1)"},
    {"LongPutAndGet", Literal("K\1r\0\1\0\0j\0\1\0\0\x86"), "(1, 1)"},
    {"Memoize", "K\1\x94K\2\x94h\1\x87", "(1, 2, 2)"},
    {"Frame", Literal("\x95\x02\0\0\0\0\0\0\0K\1"), "1"},
    {"Global", "cos\nsystem\n", "os.system"},
    {"StackGlobal", "\x8c\2os\x8c\6system\x93", "os.system"},
    {"Extension", Literal("\x84\1\0\0\0"), "copyreg.extension"},
    {"ReduceCallsNothing", "cos\nsystem\n\x8c\2ls\x85R", "os.system('ls')"},
    {"NewObj", "ca\nB\n)\x81", "a.B()"},
    {"NewObjEx", "ca\nB\n)}K\1K\2s\x92", "a.B() given [{1: 2}]"},
    {"Obj", "(ca\nB\nK\1o", "a.B(1)"},
    {"ObjectKeepsStates", "ca\nB\n)R}K\1K\2sbNb", "a.B() given [{1: 2}, None]"},
    {"ObjectKeepsItems", "ca\nB\n)RK\1K\2s", "a.B(){1: 2}"},
    {"ObjectKeepsAppended", "ca\nB\n)RK\1aK\2a", "a.B() given [1, 2]"},
    {"BinPersId", "K\7Q", "@7"},
    {"ListInItself", "]q\1h\1a", "[[[[[[...]]]]]]"},
    {"WhatLiesBelowTheResultIsIgnored", "K\1K\2", "2"},
};

INSTANTIATE_TEST_SUITE_P(Opcodes, MachineValueTest, testing::ValuesIn(kValueCases),
                         [](const auto& info) { return info.param.name; });

struct ErrorCase {
  std::string name;
  std::string bytes;
  absl::StatusCode code;
  std::string message;
};

class MachineErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(MachineErrorTest, IsRefused) {
  EXPECT_THAT(Read(GetParam().bytes), StatusIs(GetParam().code, HasSubstr(GetParam().message)));
}

constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;

const ErrorCase kErrorCases[] = {
    {"Empty", "", kDataLoss, "byte 0: the pickle ends without STOP"},
    {"NoStop", "\x80\2N", kDataLoss, "byte 3: the pickle ends without STOP"},
    {"NoResult", "\x80\2.", kDataLoss, "byte 2: STOP: too few items"},
    {"UnknownOpcode", "\x80\2\x01", kDataLoss, "0x01 is no pickle opcode"},
    {"Protocol6", "\x80\6N.", kUnimplemented, "pickle protocol 6"},
    {"Protocol0String", "S'a'\n.", kUnimplemented, "opcode 0x53"},
    {"OutOfBandBuffer", "\x80\5\x97.", kUnimplemented, "opcode 0x97"},
    {"ArgumentCut", "J\1", kDataLoss, "byte 0: the pickle ends within the argument of BININT"},
    {"LongerThanTheFile",
     Literal("\x8d\0\0\0\0\0\0\0\x10"
             "abc."),
     kDataLoss, "argument of BINUNICODE8"},
    {"Long4LongerThanTheFile", "\x8b\xff\xff\xff\x7f.", kDataLoss, "argument of LONG4"},
    {"LineWithoutEnd", "cos", kDataLoss, "argument of GLOBAL"},
    {"PopOfNothing", "0.", kDataLoss, "POP: too few items"},
    {"TupleOfTooFew", "N\x86.", kDataLoss, "TUPLE2: too few items"},
    {"TupleWithoutMark", "Nt.", kDataLoss, "TUPLE: no mark"},
    {"MarkHidesItems", "N(0\x85(\x85.", kDataLoss, "TUPLE1: too few items"},
    {"AppendToDict", "}Na.", kDataLoss, "APPEND: wants a list"},
    {"AppendToNothing", "Na.", kDataLoss, "APPEND: too few items"},
    {"SetItemOnList", "]NNs.", kDataLoss, "SETITEM: wants a dict"},
    {"KeyWithoutValue", "}(Nu.", kDataLoss, "SETITEMS: wants a value for each key"},
    {"MemoNeverSet", "h\3.", kDataLoss, "BINGET: memo 3 was never set"},
    {"PutOfNothing", "q\1.", kDataLoss, "BINPUT: too few items"},
    {"StackGlobalOfNumbers", "K\1K\2\x93.", kDataLoss, "STACK_GLOBAL: wants two strings"},
    {"CallWithoutTuple", "ca\nB\nNR.", kDataLoss, "REDUCE: wants a tuple"},
    {"ObjWithoutClass", "(o.", kDataLoss, "OBJ: wants a class"},
    {"BuildOfNothing", "Nb.", kDataLoss, "BUILD: too few items"},
    {"BuildOfADict", "}Nb.", kDataLoss, "BUILD: wants an object"},
    {"DecimalIsNoNumber", "Iabc\n.", kDataLoss, "INT: wants a decimal number"},
    {"DecimalBeyond64Bits", "L99999999999999999999L\n.", kDataLoss, "LONG: wants a decimal number"},
};

INSTANTIATE_TEST_SUITE_P(Errors, MachineErrorTest, testing::ValuesIn(kErrorCases),
                         [](const auto& info) { return info.param.name; });

std::string Repeat(absl::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) absl::StrAppend(&repeated, text);
  return repeated;
}

TEST(MachineTest, MillionLevelsDeepNeitherOverflowsNorLeaks) {
  const int levels = 1'000'000;
  const std::string bytes = Pickled(Repeat("]", levels) + Repeat("a", levels - 1));
  ASSERT_OK_AND_ASSIGN(const Pickle pickle, Read(bytes));
  EXPECT_EQ(pickle.values.size(), levels);
}

TEST(MachineTest, RepeatingAValueThroughTheMemoTakesNoMoreMemory) {
  // Each step makes a list of two references to the previous one: 2^50 leaves, were they copied.
  const std::string bytes = Pickled(absl::StrCat("]", Repeat("q\1"
                                                             "0](h\1h\1e",
                                                             50)));
  ASSERT_OK_AND_ASSIGN(const Pickle pickle, Read(bytes));
  EXPECT_EQ(pickle.values.size(), 51);
}

// Each of these takes more memory than it has bytes, without end.
TEST(MachineTest, APickleThatExceedsTheBudgetIsRefused) {
  const int count = 8'000'000;
  const struct {
    std::string name;
    std::string bytes;
  } kCases[] = {
      {"dicts", Repeat("}", count)},
      {"references", absl::StrCat("N", Repeat("2", 2 * count))},
      {"marks", Repeat("(", 2 * count)},
      {"a list of one item", absl::StrCat("]Nq\1", "0", Repeat("h\1a", 2 * count))},
      {"states of one object", absl::StrCat("ca\nB\n)Rq\1", Repeat("h\1b", 2 * count))},
      {"persistent ids", absl::StrCat("N", Repeat("Q", count))},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(Read(Pickled(test.bytes)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a checkpoint")))
        << test.name;
  }
}

TEST(MachineTest, TheMemoIsPartOfTheBudget) {
  std::string bytes = "N";
  for (uint32_t i = 0; i < 5'000'000; ++i) absl::StrAppend(&bytes, "r", LittleEndian(i));
  EXPECT_THAT(Read(Pickled(bytes)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("LONG_BINPUT: describes")));
}

TEST(MachineTest, PersistentIdsAreListedInOrder) {
  const std::string bytes = Pickled("K\1QK\2Q0");
  ASSERT_OK_AND_ASSIGN(const Pickle pickle, Read(bytes));
  ASSERT_EQ(pickle.persistent_ids.size(), 2);
  EXPECT_EQ(Repr(*pickle.persistent_ids[0]->id), "1");
  EXPECT_EQ(Repr(*pickle.persistent_ids[1]->id), "2");
}

TEST(MachineTest, ReadsNothingAfterStop) {
  const std::string bytes = Pickled("N") + "garbage";
  ASSERT_OK_AND_ASSIGN(const Pickle pickle, Read(bytes));
  EXPECT_EQ(pickle.size, 4);
}

TEST(MachineTest, EveryPairOfBytesIsReadOrRefused) {
  // Every opcode meets every kind of value on top of the stack, and an empty stack.
  const std::string values[] = {"",          "N",  "K\1", Literal("X\1\0\0\0a"), ")", "]", "}", "ca\nB\n",
                                "ca\nB\n)R", "NQ", "("};
  for (const std::string& value : values) {
    for (int first = 0; first < 256; ++first) {
      for (int second = 0; second < 256; ++second) {
        const std::string bytes = absl::StrCat(value, value, std::string{char(first), char(second)}, ".");
        const absl::StatusOr<Pickle> pickle = Read(bytes);
        EXPECT_TRUE(!pickle.ok() || pickle->root != nullptr);
      }
    }
  }
}

constexpr auto kTooFew = absl::StatusCode::kDataLoss;

class StackTest : public testing::Test {
 protected:
  Value a_, b_, c_;
  Stack stack_;
};

TEST_F(StackTest, ValuesArePoppedInReverseOrder) {
  stack_.Push(&a_);
  stack_.Push(&b_);
  EXPECT_EQ(*stack_.Top(), &b_);
  EXPECT_EQ(*stack_.Pop(), &b_);
  EXPECT_EQ(*stack_.Pop(), &a_);
  EXPECT_THAT(stack_.Pop(), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_THAT(stack_.Top(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

TEST_F(StackTest, ItemsAreReturnedLowestFirst) {
  stack_.Push(&a_);
  stack_.Push(&b_);
  stack_.Push(&c_);
  EXPECT_THAT(*stack_.PopItems(2), ElementsAre(&b_, &c_));
  EXPECT_THAT(stack_.PopItems(2), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_EQ(stack_.depth(), 1);
}

TEST_F(StackTest, ValuesBelowTheLastMarkAreOutOfReach) {
  stack_.Push(&a_);
  stack_.PushMark();
  EXPECT_EQ(stack_.depth(), 2);
  EXPECT_THAT(stack_.Pop(), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_THAT(stack_.PopItems(1), StatusIs(kTooFew, HasSubstr("on the stack")));
  stack_.Push(&b_);
  EXPECT_THAT(*stack_.PopToMark(), ElementsAre(&b_));
  EXPECT_EQ(*stack_.Pop(), &a_);
  EXPECT_THAT(stack_.PopToMark(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

TEST_F(StackTest, MarksNest) {
  stack_.PushMark();
  stack_.Push(&a_);
  stack_.PushMark();
  EXPECT_THAT(*stack_.PopToMark(), IsEmpty());
  EXPECT_THAT(*stack_.PopToMark(), ElementsAre(&a_));
}

TEST_F(StackTest, DiscardDropsAValueOrAMark) {
  stack_.PushMark();
  stack_.Push(&a_);
  EXPECT_OK(stack_.Discard());
  EXPECT_OK(stack_.Discard());
  EXPECT_EQ(stack_.depth(), 0);
  EXPECT_THAT(stack_.Discard(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

}  // namespace

}  // namespace modelport::pickle
