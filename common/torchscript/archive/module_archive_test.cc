#include "common/torchscript/archive/module_archive.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "common/io/output_file.h"
#include "common/io/writer.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using torch::jit::Module;

// Its code has the type None, a string with that type's name, and an operator of archive version 10.
Module Toy() {
  Module module("Toy");
  module.register_parameter("weight", at::arange(3.0), /*is_buffer=*/false);
  module.register_parameter("same", module.attr("weight").toTensor(), /*is_buffer=*/false);
  module.register_parameter("empty", at::zeros({0}), /*is_buffer=*/false);
  module.define(R"(
    def check(self, x: Tensor) -> None:
        if x.dim() != 2:
            print("not NoneType")
    def forward(self, x: Tensor) -> Tensor:
        self.check(x)
        return torch.gelu(x) * self.weight + self.same + self.empty.sum()
  )");
  return module;
}

const Runtime* Oldest() { return &Runtimes()[0]; }

std::string TempPath(const std::string& name) { return std::string(std::getenv("TEST_TMPDIR")) + "/" + name; }

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Saves a module and checks that its archive in memory is the same.
absl::Status Save(const Module& module, const Runtime* runtime, const std::string& path,
                  const std::vector<ExtraFile>& extra) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(WriteArchive(module, runtime, extra, file));
  RETURN_IF_ERROR(file.Commit());
  ASSIGN_OR_RETURN(const std::shared_ptr<ArchivePieces> pieces, MakeArchive(module, runtime, extra));
  EXPECT_TRUE(pieces->Equals(ReadFile(path)));
  return absl::OkStatus();
}

absl::Status Save(const Runtime* runtime, const std::string& path) { return Save(Toy(), runtime, path, {}); }

std::string Record(caffe2::serialize::PyTorchStreamReader& reader, const std::string& name) {
  const auto [data, size] = reader.getRecord(name);
  return std::string(static_cast<const char*>(data.get()), size);
}

TEST(SaveModuleTest, NewRuntimesGetWhatLibTorchWrites) {
  const std::string path = TempPath("new.pt");
  ASSERT_OK(Save(nullptr, path));
  ASSERT_OK_AND_ASSIGN(const ArchiveFormat format, ReadArchiveFormat(path));
  EXPECT_EQ(format.version, 10);
  EXPECT_TRUE(format.new_records);
  const std::string same = TempPath("same.pt");
  ASSERT_OK(Save(&Runtimes()[1], same));
  EXPECT_EQ(ReadFile(path), ReadFile(same));
}

TEST(SaveModuleTest, OldRuntimesGetOldRecords) {
  const std::string path = TempPath("old.pt");
  ASSERT_OK(Save(Oldest(), path));
  caffe2::serialize::PyTorchStreamReader reader(path);
  EXPECT_EQ(Record(reader, "version"), "5\n");
  const std::vector<std::string> names = reader.getAllRecords();
  EXPECT_THAT(names, Each(Not(EndsWith(".debug_pkl"))));
  EXPECT_THAT(names, Not(Contains(".data/version")));
}

TEST(SaveModuleTest, OldRuntimesGetOldSyntax) {
  const std::string path = TempPath("syntax.pt");
  ASSERT_OK(Save(Oldest(), path));
  caffe2::serialize::PyTorchStreamReader reader(path);
  EXPECT_THAT(Record(reader, "code/__torch__.py"),
              AllOf(HasSubstr(") -> None:"), Not(HasSubstr("-> NoneType")), HasSubstr("\"not NoneType\"")));
}

TEST(SaveModuleTest, AnOldArchiveComesBackEqual) {
  const std::string path = TempPath("back.pt");
  ASSERT_OK(Save(Oldest(), path));
  ASSERT_OK_AND_ASSIGN(const RoundTrip round_trip, ProveRoundTrip(Toy(), path, {*ParseCall("forward([2, 3])")}, {}));
  EXPECT_EQ(round_trip.tensors, 3);
  EXPECT_EQ(round_trip.outputs[0].max_abs, 0);
}

TEST(SaveModuleTest, EqualModulesGiveEqualOldArchives) {
  ASSERT_OK(Save(Oldest(), TempPath("a.pt")));
  ASSERT_OK(Save(Oldest(), TempPath("b.pt")));
  EXPECT_EQ(ReadFile(TempPath("a.pt")), ReadFile(TempPath("b.pt")));
}

TEST(SaveModuleTest, WrittenFormatIsTheFormatOfTheArchive) {
  Module relu("Relu");
  relu.define("def forward(self, x: Tensor) -> Tensor:\n  return torch.relu(x)\n");
  for (const Module& module : {Toy(), relu}) {
    for (const Runtime* runtime : {static_cast<const Runtime*>(nullptr), Oldest(), &Runtimes().back()}) {
      const std::string path = TempPath("format.pt");
      ASSERT_OK(Save(module, runtime, path, {}));
      ASSERT_OK_AND_ASSIGN(const ArchiveFormat written, ReadArchiveFormat(path));
      const ArchiveFormat format = WrittenFormat(runtime, CollectOperators(module));
      EXPECT_EQ(format.version, written.version);
      EXPECT_EQ(format.new_records, written.new_records);
    }
  }
}

TEST(SaveModuleTest, LibTorchReadsExtraFiles) {
  for (const Runtime* runtime : {static_cast<const Runtime*>(nullptr), Oldest()}) {
    const std::string path = TempPath("extra.pt");
    ASSERT_OK(Save(Toy(), runtime, path, {{"note.json", [] { return std::string("{}\n"); }}}));
    torch::jit::ExtraFilesMap files = {{"note.json", ""}};
    const Module loaded = torch::jit::load(path, at::kCPU, files);
    EXPECT_EQ(files["note.json"], "{}\n");
    EXPECT_OK(ProveRoundTrip(Toy(), path, {*ParseCall("forward([2, 3])")}, {}));
  }
}

absl::string_view WeightsOf(const Module& module) {
  const at::Tensor weight = module.attr("weight").toTensor();
  return {static_cast<const char*>(weight.const_data_ptr()), weight.nbytes()};
}

// Logs when the weights are written, and when the text of an extra file is.
class LogWriter : public Writer {
 public:
  LogWriter(absl::string_view weights, std::string& log) : weights_(weights), log_(log) {}

  absl::Status Write(absl::string_view bytes) override {
    if (bytes == "text") log_ += "written";
    return absl::OkStatus();
  }

  absl::Status WriteLasting(absl::string_view bytes) override {
    if (bytes.data() == weights_.data() && bytes.size() == weights_.size()) log_ += "weights ";
    return absl::OkStatus();
  }

 private:
  const absl::string_view weights_;
  std::string& log_;
};

TEST(SaveModuleTest, AnExtraFileIsMadeAfterTheWeightsAreWritten) {
  for (const Runtime* runtime : {static_cast<const Runtime*>(nullptr), Oldest()}) {
    const Module toy = Toy();
    std::string log;
    const auto text = [&]() -> absl::StatusOr<std::string> {
      log += "text ";
      return std::string("text");
    };
    LogWriter writer(WeightsOf(toy), log);
    ASSERT_OK(WriteArchive(toy, runtime, {{"note.json", text}}, writer));
    EXPECT_THAT(log, AllOf(HasSubstr("weights text written"), EndsWith("written")));
  }
}

// Keeps what it gets through WriteLasting.
class LastingWriter : public Writer {
 public:
  absl::Status Write(absl::string_view) override { return absl::OkStatus(); }
  absl::Status WriteLasting(absl::string_view bytes) override {
    lasting.push_back(bytes);
    return absl::OkStatus();
  }

  std::vector<absl::string_view> lasting;
};

// The archive in memory, which has a copy of a tensor that is neither parameter nor buffer, does not outlive the call.
TEST(SaveModuleTest, OnlyTheModulesOwnTensorsLast) {
  Module toy = Toy();
  toy.register_attribute("table", at::TensorType::get(), at::arange(5.0));
  for (const Runtime* runtime : {static_cast<const Runtime*>(nullptr), Oldest()}) {
    LastingWriter writer;
    ASSERT_OK(WriteArchive(toy, runtime, {}, writer));
    ASSERT_EQ(writer.lasting.size(), 1);
    EXPECT_EQ(writer.lasting[0].data(), WeightsOf(toy).data());
  }
  const std::string path = TempPath("table.pt");
  ASSERT_OK(Save(toy, nullptr, path, {}));
  EXPECT_TRUE(torch::jit::load(path).attr("table").toTensor().equal(at::arange(5.0)));
}

TEST(SaveModuleTest, AnExtraFileThatCannotBeMadeIsAnError) {
  const auto fail = []() -> absl::StatusOr<std::string> { return absl::DataLossError("no text"); };
  EXPECT_THAT(Save(Toy(), nullptr, TempPath("fail.pt"), {{"note.json", fail}}),
              StatusIs(absl::StatusCode::kDataLoss, "no text"));
}

// The records of a module with a weight and a constant.
Records SavedRecords() {
  torch::jit::Module module("Tiny");
  module.register_parameter("weight", at::arange(12.0).reshape({3, 4}), /*is_buffer=*/false);
  module.define("def forward(self, x):\n  return x + self.weight\n");
  std::ostringstream saved;
  module.save(saved);
  const std::string file = saved.str();
  const auto archive = ScriptArchive::Read(file);
  EXPECT_OK(archive);
  Records records;
  for (const ScriptArchive::Record& record : archive->records()) {
    records.emplace_back(absl::StrCat("tiny/", record.path), record.content);
  }
  return records;
}

absl::StatusOr<torch::jit::Module> Load(const Records& records, const ZipOptions& options = {}) {
  const std::string file = ZipArchive(records, options);
  const auto archive = ScriptArchive::Read(file);
  if (!archive.ok()) return archive.status();
  return LoadArchive(*archive);
}

TEST(LoadArchiveTest, LoadsStoredAndDeflatedRecords) {
  for (const bool deflate : {false, true}) {
    ASSERT_OK_AND_ASSIGN(torch::jit::Module module, Load(SavedRecords(), {.deflate = deflate}));
    const at::Tensor y = module.forward({at::zeros({3, 4})}).toTensor();
    EXPECT_TRUE(at::equal(y, at::arange(12.0).reshape({3, 4})));
  }
}

// LibTorch ignores the case of record names, and it reads an archive with model.json in an old format.
TEST(LoadArchiveTest, LibTorchSeesNoOtherRecords) {
  Records records = SavedRecords();
  records.emplace_back("tiny/model.json", "{}");
  records.emplace_back("tiny/CODE/__torch__.py", "not TorchScript");
  EXPECT_OK(Load(records));
}

TEST(LoadArchiveTest, SaysWhyAnArchiveCannotBeLoaded) {
  Records records = SavedRecords();
  for (auto& [name, content] : records) {
    if (name == "tiny/code/__torch__.py") content = "class Tiny(Module):\n  def forward(self, x):\n    return y\n";
  }
  EXPECT_THAT(Load(records), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("LibTorch cannot load it: ")));
}

std::string Read(const ArchivePieces& pieces, uint64_t position, size_t size) {
  std::string buffer(size, '?');
  buffer.resize(pieces.read(position, buffer.data(), size, ""));
  return buffer;
}

TEST(ArchivePiecesTest, ReadsAcrossPieces) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  EXPECT_OK(pieces.Write(std::string("head ")));
  EXPECT_OK(pieces.WriteLasting(weights));
  EXPECT_OK(pieces.WriteLasting(""));
  EXPECT_OK(pieces.Write(std::string(" tail")));
  EXPECT_EQ(pieces.size(), 17);
  EXPECT_EQ(Read(pieces, 0, 17), "head weights tail");
  EXPECT_EQ(Read(pieces, 3, 4), "d we");
  EXPECT_EQ(Read(pieces, 14, 10), "ail");
  EXPECT_EQ(Read(pieces, 17, 1), "");
}

TEST(ArchivePiecesTest, CopiesInARowAreOnePiece) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  for (const char* copy : {"a", "", "b", "c"}) EXPECT_OK(pieces.Write(copy));
  EXPECT_EQ(pieces.View(0, 3), "abc");
  EXPECT_OK(pieces.WriteLasting(weights));
  for (const char* copy : {"d", "e"}) EXPECT_OK(pieces.Write(copy));
  EXPECT_EQ(Read(pieces, 0, 20), "abcweightsde");
  EXPECT_EQ(pieces.View(10, 2), "de");
  EXPECT_EQ(pieces.size(), 12);
}

TEST(ArchivePiecesTest, ViewsOnePieceWithoutACopy) {
  const std::string weights = "weights";
  ArchivePieces pieces;
  EXPECT_OK(pieces.Write("head "));
  EXPECT_OK(pieces.WriteLasting(weights));
  EXPECT_EQ(pieces.View(5, 7), "weights");
  EXPECT_EQ(pieces.View(7, 2).data(), weights.data() + 2);
  EXPECT_EQ(pieces.View(4, 2), "") << "two pieces";
  EXPECT_EQ(pieces.View(5, 8), "") << "beyond the end";
  EXPECT_EQ(pieces.View(12, 0), "");
}

TEST(ArchivePiecesTest, EqualsTheBytesPutTogether) {
  ArchivePieces pieces;
  EXPECT_TRUE(pieces.Equals(""));
  EXPECT_OK(pieces.Write("head "));
  EXPECT_OK(pieces.Write("tail"));
  EXPECT_TRUE(pieces.Equals("head tail"));
  for (const char* other : {"", "head", "head tai", "head tailx", "Head tail", "head Tail"}) {
    EXPECT_FALSE(pieces.Equals(other)) << other;
  }
}

using testing::HasSubstr;
using testing::StartsWith;

torch::jit::Module Compared() {
  torch::jit::Module module("Toy");
  module.register_parameter("weight", at::arange(3.0), /*is_buffer=*/false);
  module.register_parameter("bias", at::arange(4.0), /*is_buffer=*/false);
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = x * 2\n  return y * self.weight + self.bias.sum()\n");
  return module;
}

class CompareArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    const ExtraFile note = {"note.json", [] { return std::string("one\ntwo\n"); }};
    ASSERT_OK_AND_ASSIGN(expected_, MakeArchive(module_, /*runtime=*/nullptr, {note}));
    bytes_.resize(expected_->size());
    expected_->read(0, bytes_.data(), bytes_.size(), "");
    Write(bytes_);
  }

  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  absl::Status Compare() const {
    const absl::StatusOr<ArtifactFile> file = ArtifactFile::Open(path_);
    return file.ok() ? CompareArchive(expected_, *file, {"weight", "bias"}) : file.status();
  }

  // Expects an error for the file that `alter` changes. Its message has the path and then begins with `message`.
  void ExpectRefused(const std::function<void(Records&)>& alter, const std::string& message) const {
    Write(bytes_);
    AlterArchive(path_, alter);
    EXPECT_THAT(Compare(), StatusIs(absl::StatusCode::kDataLoss, StartsWith(absl::StrCat(path_, ": ", message))));
  }

  const std::string path_ = testing::TempDir() + "/toy.pt";
  const torch::jit::Module module_ = Compared();
  std::shared_ptr<ArchivePieces> expected_;
  std::string bytes_;
};

TEST_F(CompareArchiveTest, EqualBytesPass) { EXPECT_OK(Compare()); }

TEST_F(CompareArchiveTest, NamesTheLineOfCode) {
  ExpectRefused(
      [](Records& records) {
        std::string& code = Content(records, "code/__torch__.py");
        const size_t constant = code.find(", 2");
        ASSERT_NE(constant, code.npos);
        code[constant + 2] = '3';
      },
      "code/__torch__.py: line 8: is not what Modelport writes\n"
      "  wants     y = torch.mul(x, 2)\n"
      "  has       y = torch.mul(x, 3)");
}

TEST_F(CompareArchiveTest, NamesTheSlotOfATensor) {
  ExpectRefused([](Records& records) { Content(records, "data/1")[5] ^= 1; },
                "data/1 (bias): is not what Modelport writes from byte 5 on");
  ExpectRefused([](Records& records) { Content(records, "data/0") += '\0'; },
                "data/0 (weight): wants 12 bytes, has 13");
}

TEST_F(CompareArchiveTest, NamesAnyOtherRecord) {
  ExpectRefused([](Records& records) { Content(records, "data.pkl") += '.'; }, "data.pkl: wants ");
  ExpectRefused([](Records& records) { Content(records, "extra/note.json") = "one\n\x1b[2J"; },
                "extra/note.json: line 2: is not what Modelport writes\n  wants two\n  has   \\x1b[2J");
  ExpectRefused([](Records& records) { records.emplace_back("code/__torch__/more.py", "x"); },
                "archive/code/__torch__/more.py: a record that Modelport does not write");
  ExpectRefused([](Records& records) { records.erase(records.begin()); }, "data/0 (weight): missing");
}

TEST_F(CompareArchiveTest, ComparesTheBytesBetweenRecords) {
  std::string altered = bytes_;
  altered[altered.find("ZZZ")] = 'z';  // LibTorch pads records with Z.
  Write(altered);
  EXPECT_THAT(Compare(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("every record is right, but Modelport arranges")));
}

TEST_F(CompareArchiveTest, FindsAChangeOfAnyByte) {
  for (size_t i = 0; i < bytes_.size(); i += 7) {
    std::string altered = bytes_;
    altered[i] ^= 1;
    Write(altered);
    EXPECT_FALSE(Compare().ok()) << "byte " << i;
  }
}

}  // namespace

}  // namespace modelport
