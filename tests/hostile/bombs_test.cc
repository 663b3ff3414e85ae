// Small checkpoints that describe very much, and checkpoints of very many entries. The tools that read checkpoints use
// at most twice the file's size plus 256 MB of private memory, and their time grows linearly with the file.
#include <cstdint>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/byte_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string Repeat(absl::string_view text, int count) {
  std::string repeated;
  repeated.reserve(text.size() * count);
  for (int i = 0; i < count; ++i) repeated.append(text.data(), text.size());
  return repeated;
}

// The pickle of a tensor of two elements, followed by the given instructions.
std::string Tensor(const std::string& put = "") {
  return PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, {2}, {1}) + put;
}

std::string Zip(const std::string& object) { return TorchZipFile(object, {{"0", 2, "8 bytes."}}); }

std::string KeyOf(int i) { return PickleString(absl::StrCat("blocks.", i, ".attn.qkv.weight")); }

// Empty tensors whose keys are made by `key`.
std::string Safetensors(int count, const std::function<std::string(int)>& key) {
  std::string header = "{";
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&header, i == 0 ? "" : ",", "\"", key(i), R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})");
  }
  return SafetensorsFile(header + "}", "");
}

// A tensor with a shape of 64 sizes.
std::string LongTensor() {
  const std::vector<int32_t> ones(64, 1);
  return PickleTensor(PickleStorage("FloatStorage", "0", 2), 0, ones, ones);
}

// Many dictionaries of one long tensor.
std::string SharedShapes() {
  std::string value = absl::StrCat(LongTensor(), "q\2", "0", PickleString("w"), "q\1", "0](");
  return Zip(PickleDict({{PickleString("list"), value + Repeat("}h\1h\2s", 80'000) + "e"}}));
}

// Nested dictionaries, each with keys by which a layout is recognised.
std::string NestedStateDicts(int levels, const std::string& name) {
  std::string value = Tensor("q\1") + "0" + PickleString(name) + "q\2" + "0" + PickleString("cls_token") + "q\3" + "0" +
                      PickleString("blocks.0.attn.qkv.weight") + "q\4" + "0";
  value += Repeat("}(h\3h\1h\4h\1h\2", levels) + "N" + Repeat("u", levels);
  return Zip(value);
}

// Many dictionaries that are made from one list of a thousand long tensors.
std::string ManyDictionariesFromOneList() {
  std::string pairs = "](";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&pairs, PickleTuple({PickleInt(i), "h\1"}));
  std::string value = LongTensor() + "q\1" + "0" + pairs + "e\x85q\2" + "0" +
                      PickleGlobal("collections", "OrderedDict") + "q\3" + "0](";
  return Zip(PickleDict({{PickleString("list"), value + Repeat("h\3h\2R", 60'000) + "e"}}));
}

std::string ManyRecords(int count) {
  std::vector<std::pair<std::string, std::string>> records = {
      {"a/data.pkl", Pickled(PickleDict({{PickleString("w"), Tensor()}}))}, {"a/data/0", "8 bytes."}};
  for (int i = 0; i < count; ++i) records.emplace_back(absl::StrCat("a/", i), "");
  return ZipArchive(records, {.zip64 = true});
}

std::string ManyStorages(int count) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<StorageData> storages;
  for (int i = 0; i < count; ++i) {
    const std::string key = absl::StrCat(i);
    entries.emplace_back(KeyOf(i), PickleTensor(PickleStorage("FloatStorage", key, 0), 0, {0}, {1}));
    storages.push_back({key, 0, ""});
  }
  return TorchLegacyFile(PickleDict(entries), storages);
}

std::string OneHugeKeyAmongMany() {
  const std::string huge(4 << 20, 'k');
  return Safetensors(100'000, [&](int i) { return i == 0 ? huge : absl::StrCat("k", i); });
}

// A key of many parts.
std::string ManyParts() {
  return Safetensors(1, [](int) { return Repeat("0.", 8'000'000) + "w"; });
}

// Two dictionaries in one whose name has many parts.
std::string DictionaryOfManyParts() {
  std::string name;
  for (int i = 0; i < 500'000; ++i) absl::StrAppend(&name, i, ".");
  const std::string tensor = PickleDict({{PickleString("w"), Tensor()}});
  return Zip(PickleDict(
      {{PickleString(name + "end"), PickleDict({{PickleString("a"), tensor}, {PickleString("b"), tensor}})}}));
}

std::string Metadata(int count, size_t size) {
  std::string header = "{\"__metadata__\":{";
  for (int i = 0; i < count; ++i)
    absl::StrAppend(&header, i == 0 ? "" : ",", "\"", i, "\":\"", std::string(size, 'x'), "\"");
  return SafetensorsFile(header + R"(},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})", "");
}

std::string TensorsBeyondTheMemo() {
  std::string value = "}(";
  for (int i = 0; i < 60'000; ++i) absl::StrAppend(&value, KeyOf(i), Tensor());
  return Zip(value + "u");
}

struct Bomb {
  std::string name;
  std::function<std::string()> file;
  bool refused;
};

void PrintTo(const Bomb& bomb, std::ostream* out) { *out << bomb.name; }

const Bomb kBombs[] = {
    {"SharedShapes", SharedShapes, true},
    {"EmptyDicts", [] { return Zip(Repeat("}", 8'000'000)); }, true},
    {"References", [] { return Zip("N" + Repeat("2", 40'000'000)); }, true},
    {"NestedUnwrappedDicts", [] { return NestedStateDicts(4000, "model"); }, false},
    {"NestedDictsOfLongNames", [] { return NestedStateDicts(2000, std::string(10'000, 'n')); }, true},
    {"ManyDictionariesFromOneList", ManyDictionariesFromOneList, true},
    {"ManyTensors", TensorsBeyondTheMemo, false},
    {"ManyRecords", [] { return ManyRecords(300'000); }, false},
    {"ManyStorages", [] { return ManyStorages(40'000); }, false},
    {"MegabyteKeys", [] { return Safetensors(10, [](int i) { return absl::StrCat(i, std::string(1 << 20, 'k')); }); },
     false},
    {"OneHugeKeyAmongMany", OneHugeKeyAmongMany, false},
    {"ManyKeys",
     [] { return Safetensors(150'000, [](int i) { return absl::StrCat("blocks.", i, ".attn.qkv.weight"); }); }, false},
    {"MillionKeys", [] { return Safetensors(1'000'000, [](int i) { return absl::StrCat("k", i); }); }, true},
    {"ManyParts", ManyParts, false},
    {"DictionaryOfManyParts", DictionaryOfManyParts, false},
    {"HugeMetadata", [] { return Metadata(1, 60'000'000); }, false},
    {"MuchMetadata", [] { return Metadata(2'000'000, 1); }, true},
    {"HugeClassName", [] { return Zip(PickleCall(PickleGlobal("m", std::string(5 << 20, 'c')), {})); }, true},
    {"HugeStorageKey",
     [] {
       return Zip(
           PickleDict({{PickleString("w"),
                        PickleTensor(PickleStorage("FloatStorage", std::string(5 << 20, '1'), 2), 0, {2}, {1})}}));
     },
     true},
};

// Writes files into a new folder.
class Folder {
 public:
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
    size_ += bytes.size();
  }

  // Runs the tool within the limits for these files. If it refuses them, its message begins with the name of `file`.
  ToolResult Run(const std::string& tool, const std::vector<std::string>& arguments, const std::string& file) const {
    SCOPED_TRACE(tool);
    const ToolResult result = RunTool(tool, arguments, path_, [this] { LimitMemoryAndTime(size_); });
    EXPECT_LT(result.err.size(), 10'000);
    EXPECT_THAT(result.exit_status, AnyOf(0, 1)) << result.err.substr(0, 2000);
    if (result.exit_status == 1) {
      EXPECT_THAT(result.err, AnyOf(StartsWith(absl::StrCat("INVALID_ARGUMENT: ", file, ": ")),
                                    StartsWith(absl::StrCat("DATA_LOSS: ", file, ": ")),
                                    StartsWith(absl::StrCat("FAILED_PRECONDITION: ", file, ": "))));
    }
    return result;
  }

 private:
  const std::string path_ = EmptyFolder("bomb");
  size_t size_ = 0;
};

class BombTest : public testing::TestWithParam<Bomb> {
 protected:
  void SetUp() override { folder_.Write("bomb.pth", GetParam().file()); }

  // The exit status of the tool with these arguments.
  int Run(const std::string& tool, const std::vector<std::string>& arguments) const {
    return folder_.Run(tool, arguments, "bomb.pth").exit_status;
  }

  Folder folder_;
};

TEST_P(BombTest, IsInspectedWithinTheBars) {
  EXPECT_EQ(Run("inspect", {"--checkpoint=bomb.pth"}), GetParam().refused ? 1 : 0);
}

TEST_P(BombTest, IsComparedWithAModelWithinTheBars) {
  const std::string model = "--model=" + ExampleModel("published features");
  EXPECT_EQ(Run("inspect", {"--checkpoint=bomb.pth", model, "--layout=original"}), 1);
}

TEST_P(BombTest, IsReadByOtherToolsWithinTheBars) {
  EXPECT_EQ(Run("export", {"--checkpoint=bomb.pth", "--out=m.pt"}), 1);
  Run("diff", {"bomb.pth", "bomb.pth"});
  Run("inspect", {"--checkpoint=bomb.pth", "--model=" + ExampleModel("published features"), "--draft"});
  Run("new_plugin", {"--checkpoint=bomb.pth", "--name=bomb", "--out=bomb"});
}

// Ten files, each with as many tensors as one file may describe.
TEST(ShardBombTest, ShardsShareTheBarsOfOneCheckpoint) {
  Folder folder;
  std::string index;
  for (int shard = 0; shard < 10; ++shard) {
    std::string value = absl::StrCat(LongTensor(), "q\1", "0}(");
    for (int i = 0; i < 40'000; ++i) absl::StrAppend(&value, PickleString(absl::StrCat(shard, ".", i)), "h\1");
    folder.Write(absl::StrCat(shard, ".pth"), Zip(value + "u"));
    absl::StrAppend(&index, index.empty() ? "" : ",", "\"", shard, ".0\":\"", shard, ".pth\"");
  }
  folder.Write("i.json", absl::StrCat("{\"weight_map\":{", index, "}}"));
  EXPECT_EQ(folder.Run("inspect", {"--checkpoint=0.pth"}, "0.pth").exit_status, 0);
  const ToolResult result = folder.Run("inspect", {"--checkpoint=i.json"}, "i.json");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("of names, shapes and values, too much for "));
}

INSTANTIATE_TEST_SUITE_P(Files, BombTest, testing::ValuesIn(kBombs), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
