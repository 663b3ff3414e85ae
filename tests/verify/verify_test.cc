// Whatever is altered in an artifact or its manifest, verify refuses it, and says what.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/export/export_model.h"
#include "artifact/manifest/describe_export.h"
#include "artifact/verify/verify_artifact.h"
#include "common/digest/sha256.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string FeaturesModel() { return ExampleModel("features"); }
std::string RegistersModel() { return ExampleModel("features with registers"); }

const Registry& TestRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  return *registry;
}

std::string Extra() { return absl::StrCat("extra/", kManifestExtraFile); }

// What an artifact under test is made from.
struct Case {
  std::string name, model, target;
  std::vector<std::string> checkpoints;  // In tests/checkpoints, or absolute.
  DType dtype;
  const Runtime* runtime = nullptr;
  bool with_preprocess = false;
  bool alone = true;  // Whether fields are altered in the artifact alone, or also in a manifest beside it.

  friend void PrintTo(const Case& made_from, std::ostream* out) { *out << made_from.name; }
};

// A folder with an exported artifact m.pt and its manifest. Each case is exported once, and its files are written anew
// for each test.
class Exported {
 public:
  explicit Exported(const Case& made_from)
      : case_(made_from), folder_(EmptyFolder(made_from.name)), made_(MadeOnce(*this)) {
    Restore();
  }

  std::string path() const { return folder_ + "/m.pt"; }
  std::string manifest_path() const { return folder_ + "/m.manifest.json"; }
  std::vector<std::string> checkpoints() const {
    std::vector<std::string> paths;
    for (const std::string& path : case_.checkpoints) paths.push_back(fs::path(DataPath("tests/checkpoints")) / path);
    return paths;
  }
  const Manifest& manifest() const { return made_.manifest; }
  const std::string& artifact() const { return made_.artifact; }

  void WriteArtifact(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  void WriteBeside(const Manifest& manifest) const { std::ofstream(manifest_path()) << *WriteManifest(manifest); }
  void Restore() const {
    WriteArtifact(artifact());
    WriteBeside(manifest());
  }

  void WriteWithin(const Manifest& manifest) const {
    AlterArchive(path(), [&](Records& records) { Content(records, Extra()) = *WriteManifest(Within(manifest)); });
  }

  // The fields of `manifest` that the one in the artifact has.
  Manifest Within(Manifest manifest) const {
    manifest.clear_artifact();
    manifest.clear_round_trip();
    return case_.checkpoints.empty() ? manifest : ManifestWithin(manifest);
  }
  bool IsWithin(const Manifest& altered) const {
    return Within(altered).SerializeAsString() != Within(manifest()).SerializeAsString();
  }

  std::string VerifyError() const { return std::string(Verify().message()); }
  absl::Status Verify() const { return VerifyArtifact(TestRegistry(), path(), checkpoints()).status(); }

 private:
  struct Made {
    Manifest manifest;
    std::string artifact;
  };

  static const Made& MadeOnce(const Exported& exported) {
    static auto* const made = new std::map<std::string, Made>();
    const auto [found, is_new] = made->try_emplace(exported.case_.name);
    if (is_new) found->second = exported.Export();
    return found->second;
  }

  Made Export() const {
    ExportOptions options;
    options.request.entry = *TestRegistry().Find(case_.model);
    CheckpointFiles files;
    for (const std::string& path : checkpoints()) files.push_back({path});
    if (!files.empty()) options.request.weights = files;
    options.request.target = *FindTarget(case_.target);
    options.request.dtype = case_.dtype;
    options.request.runtime = case_.runtime;
    options.request.with_preprocess = case_.with_preprocess;
    options.out = path();
    const Manifest manifest = *ExportModel(TestRegistry(), options);
    return {manifest, ReadFile(path())};
  }

  const Case case_;
  const std::string folder_;
  const Made& made_;
};

// Changes a field that is not repeated and no message.
void ChangeValue(Message* message, const FieldDescriptor* field) {
  const auto* reflection = message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(message, field, reflection->GetString(*message, field) + "x");
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(message, field, 2 * reflection->GetDouble(*message, field) + 1);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(message, field, reflection->GetUInt32(*message, field) + 1);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(message, field, !reflection->GetBool(*message, field));
    default:
      FAIL() << field->full_name() << ": this test cannot change a " << field->cpp_type_name();
  }
}

void AddElement(Message* message, const FieldDescriptor* field) {
  const auto* reflection = message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection->AddMessage(message, field);
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->AddString(message, field, "x");
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->AddDouble(message, field, 1);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->AddUInt32(message, field, 1);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->AddInt32(message, field, 1);
    default:
      FAIL() << field->full_name() << ": this test cannot add a " << field->cpp_type_name();
  }
}

// A manifest in which one field is altered.
struct Altered {
  std::string field;  // "mean".
  Manifest manifest;
};

// Lists a manifest with every field altered, one at a time: values changed, elements added and removed.
class Alterations {
 public:
  static std::vector<Altered> Of(const Manifest& manifest) {
    Alterations alterations(manifest);
    alterations.AddAll(manifest);
    EXPECT_GE(alterations.all_.size(), 50);
    return std::move(alterations.all_);
  }

 private:
  using Change = std::function<void(Message*, const FieldDescriptor*)>;

  explicit Alterations(const Manifest& manifest) : manifest_(manifest) {}

  // Alters the fields of `message`, which is the manifest's part at path_.
  void AddAll(const Message& message) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* const field = message.GetDescriptor()->field(i);
      const auto* reflection = message.GetReflection();
      const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (field->is_repeated()) {
        Add(field, AddElement);
        if (reflection->FieldSize(message, field) == 0) continue;
        Add(field, [](Message* part, const FieldDescriptor* list) { part->GetReflection()->RemoveLast(part, list); });
        if (is_message) AddWithin(field, reflection->GetRepeatedMessage(message, field, 0));
      } else if (is_message) {
        if (reflection->HasField(message, field)) AddWithin(field, reflection->GetMessage(message, field));
      } else {
        Add(field, ChangeValue);
      }
    }
  }

  void AddWithin(const FieldDescriptor* field, const Message& part) {
    path_.push_back(field);
    AddAll(part);
    path_.pop_back();
  }

  void Add(const FieldDescriptor* field, const Change& change) {
    Altered altered{field->name(), manifest_};
    Message* part = &altered.manifest;
    for (const FieldDescriptor* const step : path_) {
      const auto* reflection = part->GetReflection();
      part = step->is_repeated() ? reflection->MutableRepeatedMessage(part, step, 0)
                                 : reflection->MutableMessage(part, step);
    }
    change(part, field);
    all_.push_back(std::move(altered));
  }

  const Manifest& manifest_;
  std::vector<const FieldDescriptor*> path_;  // To a part; of lists, their first element.
  std::vector<Altered> all_;
};

class VerifyTest : public testing::TestWithParam<Case> {};

TEST_P(VerifyTest, WhatIsExportedPassesWithAndWithoutAManifestBesideIt) {
  const Exported exported(GetParam());
  EXPECT_OK(exported.Verify());
  fs::remove(exported.manifest_path());
  EXPECT_OK(exported.Verify());
}

TEST(VerifyRuntimeTest, ArtifactsForOldReadersPass) {
  const Exported exported(Case{"old", FeaturesModel(), "libtorch", {}, DType::kFloat32, &Runtimes()[0]});
  EXPECT_OK(exported.Verify());
}

// Without the checkpoint, the origin of the weights is not checked.
TEST_P(VerifyTest, WithoutTheCheckpointTheReportSaysWhatIsNotChecked) {
  const Exported exported(GetParam());
  ASSERT_OK_AND_ASSIGN(const Verification verification, VerifyArtifact(TestRegistry(), exported.path(), {}));
  if (exported.checkpoints().empty()) {
    EXPECT_THAT(verification.not_checked, IsEmpty());
  } else {
    EXPECT_THAT(verification.not_checked,
                testing::ElementsAre(HasSubstr(WeightsSource(exported.manifest())), HasSubstr("field weights")));
  }
}

TEST_P(VerifyTest, AnArtifactAloneDoesNotNameItsCheckpoint) {
  const Exported exported(GetParam());
  fs::remove(exported.manifest_path());
  ASSERT_OK_AND_ASSIGN(const Verification verification, VerifyArtifact(TestRegistry(), exported.path(), {}));
  if (exported.checkpoints().empty()) {
    EXPECT_EQ(verification.manifest.weights().seeded(), "seeded:v1:0");
    EXPECT_THAT(verification.not_checked, IsEmpty());
  } else {
    EXPECT_FALSE(verification.manifest.has_weights());
    EXPECT_THAT(verification.not_checked, testing::ElementsAre(HasSubstr("--checkpoint")));
  }
}

TEST_P(VerifyTest, AnAlteredFieldBesideTheArtifactIsRefused) {
  const Exported exported(GetParam());
  for (const Altered& altered : Alterations::Of(exported.manifest())) {
    exported.WriteBeside(altered.manifest);
    EXPECT_THAT(exported.VerifyError(), AllOf(StartsWith(exported.manifest_path()), HasSubstr(altered.field)));
  }
}

// As by someone who knows that there are two manifests, and who may remove the one beside the artifact.
TEST_P(VerifyTest, AFieldThatIsAlteredInBothManifestsIsRefused) {
  const Exported exported(GetParam());
  for (const Altered& altered : Alterations::Of(exported.manifest())) {
    if (!exported.IsWithin(altered.manifest)) continue;
    // With another name, or the text of a licence, it is what another export makes.
    if (altered.manifest.request().name() != exported.manifest().request().name()) continue;
    if (altered.manifest.request().licence_text() != exported.manifest().request().licence_text()) continue;
    exported.Restore();
    exported.WriteBeside(altered.manifest);
    exported.WriteWithin(altered.manifest);
    if (GetParam().alone) fs::remove(exported.manifest_path());
    // What may be asked for in its place is another artifact, of which the first fields that differ are named.
    const bool asks_for_another =
        altered.manifest.request().with_preprocess() != exported.manifest().request().with_preprocess();
    EXPECT_THAT(
        exported.VerifyError(),
        AnyOf(HasSubstr(altered.field), HasSubstr(asks_for_another ? "not as the artifact is made" : altered.field)));
  }
}

TEST_P(VerifyTest, EveryFlippedBitIsRefused) {
  const Exported exported(GetParam());
  fs::remove(exported.manifest_path());
  const std::string& artifact = exported.artifact();
  for (size_t i = 0; i < 30; ++i) {
    std::string flipped = artifact;
    flipped[artifact.size() * i / 30] ^= 1 << i % 8;
    exported.WriteArtifact(flipped);
    EXPECT_THAT(exported.Verify(), Not(IsOk())) << "byte " << artifact.size() * i / 30;
  }
}

Case Features() { return {"Features", FeaturesModel(), "libtorch", {FeaturesModel() + ".pth"}, DType::kFloat32}; }

Case Registers() {
  return {"Registers", RegistersModel(), "libtorch", {RegistersModel() + ".safetensors"}, DType::kFloat32};
}

// A file with the tensors of the case Registers, in another layout.
std::string RegistersInAnotherFile() { return LayoutFile("transformers", RegistersModel()); }

Case TwoFiles() {
  return {"TwoFiles",
          ExampleModel("two files"),
          "libtorch",
          {"parts/" + FeaturesModel() + "_linear_head.safetensors", FeaturesModel() + ".pth"},
          DType::kFloat32};
}

// Each alteration makes the artifact anew, so the model is one that LibTorch compiles fast. Whether verify finds an
// alteration with and without a manifest beside the artifact is asked once for seeded weights and once for a
// checkpoint. The file of the case Converted lacks a tensor, which the key map fills.
INSTANTIATE_TEST_SUITE_P(Artifacts, VerifyTest,
                         testing::Values(Case{"Seeded", FeaturesModel(), "nuke", {}, DType::kFloat32},
                                         Case{.name = "Converted",
                                              .model = FeaturesModel(),
                                              .target = "libtorch",
                                              .checkpoints = {LayoutFile("timm", FeaturesModel())},
                                              .dtype = DType::kFloat16,
                                              .alone = false},
                                         Case{.name = "Images",
                                              .model = FeaturesModel(),
                                              .target = "libtorch",
                                              .checkpoints = {},
                                              .dtype = DType::kBFloat16,
                                              .with_preprocess = true,
                                              .alone = false},
                                         TwoFiles()),
                         [](const auto& info) { return info.param.name; });

// Alters both manifests and expects that verify refuses them without the checkpoints, naming `field`.
void ExpectRefusedWithoutCheckpoints(const Exported& exported, const std::function<void(Manifest&)>& alter,
                                     const std::string& field) {
  Manifest altered = exported.manifest();
  alter(altered);
  exported.Restore();
  exported.WriteBeside(altered);
  exported.WriteWithin(altered);
  EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(field)));
}

// The plugin tells this, not the checkpoint.
TEST(VerifyFilesTest, WhichFileFillsWhichPartIsCheckedWithoutTheCheckpoints) {
  const Exported two(TwoFiles());
  ExpectRefusedWithoutCheckpoints(
      two, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints(0)->set_file("other.pth"); }, "other.pth");
  ExpectRefusedWithoutCheckpoints(
      two, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints(1)->set_part("head"); }, "\"head\"");
  ExpectRefusedWithoutCheckpoints(
      two, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints(1)->set_layout("timms"); }, "timms");
  ExpectRefusedWithoutCheckpoints(
      two, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints()->RemoveLast(); }, "wants 2 files");
  const Exported one(Features());
  ExpectRefusedWithoutCheckpoints(
      one, [](Manifest& m) { m.mutable_weights()->add_checkpoints(); }, "wants 1 files");
}

// No digest of these models is stated, so that none of their checkpoints can be the published file.
TEST(VerifyFilesTest, WhetherAFileIsThePublishedOneIsCheckedWithoutTheCheckpoints) {
  const Exported two(TwoFiles());
  ExpectRefusedWithoutCheckpoints(
      two, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints(0)->set_published("yes"); }, "published");
  const Exported one(Features());
  ExpectRefusedWithoutCheckpoints(
      one, [](Manifest& m) { m.mutable_weights()->mutable_checkpoints(0)->set_published("yes"); }, "published");
}

// The artifact names no checkpoint, so that any file that holds its weights proves them.
TEST(VerifyFilesTest, AnArtifactAloneIsVerifiedWithItsWeightsInAnyLayout) {
  const Exported exported(Features());
  fs::remove(exported.manifest_path());
  const std::string other = LayoutFile("transformers", FeaturesModel());
  ASSERT_OK_AND_ASSIGN(const Verification verification, VerifyArtifact(TestRegistry(), exported.path(), {other}));
  EXPECT_THAT(verification.passed, testing::Contains(HasSubstr(other)));
  EXPECT_THAT(verification.not_checked, IsEmpty());

  AlterArchive(exported.path(), [](Records& records) { Content(records, "data/2")[1] ^= 1; });
  EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {other}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("data/2")));
}

class AlteredArtifactTest : public testing::Test {
 protected:
  // Expects that the altered artifact, alone and with a manifest that states its digest, is refused with `message`.
  void ExpectRefused(const std::function<void(Records&)>& alter, const std::string& message) {
    exported_.Restore();
    AlterArchive(exported_.path(), alter);
    EXPECT_THAT(exported_.Verify(),
                StatusIs(absl::StatusCode::kDataLoss, StartsWith(exported_.path() + ": " + message)));
    fs::remove(exported_.manifest_path());
    EXPECT_THAT(exported_.Verify(),
                StatusIs(absl::StatusCode::kDataLoss, StartsWith(exported_.path() + ": " + message)));
  }

  const Exported exported_{Case{"altered", DepthModel(), "libtorch", {}, DType::kFloat32}};
};

constexpr char kCode[] = "code/__torch__/modelport.py";

// None of the examples is as large, so that no output tells.
TEST_F(AlteredArtifactTest, CodeThatOnlyLargeImagesRun) {
  ExpectRefused(
      [](Records& records) {
        std::string& code = Content(records, kCode);
        const size_t body = code.find("\n", code.find("def forward")) + 1;
        code.insert(body, "    if torch.gt(torch.size(x, 2), 1000):\n      x = torch.mul(x, 0.)\n");
      },
      "code/__torch__/modelport.py: line ");
}

TEST_F(AlteredArtifactTest, ABitOfATensor) {
  ExpectRefused([](Records& records) { Content(records, "data/2")[1] ^= 1; }, "data/2 (pretrained.mask_token): is not");
}

// LibTorch would run __setstate__ when it loads the file.
TEST_F(AlteredArtifactTest, ForeignCodeIsNotRun) {
  const std::string written = EmptyFolder("foreign") + "/written";
  ExpectRefused(
      [&](Records& records) {
        absl::StrAppend(&Content(records, kCode),
                        "  def __setstate__(self, state: Tensor) -> NoneType:\n    ops.aten.save(state, \"", written,
                        "\")\n");
      },
      "code/__torch__/modelport.py: line ");
  EXPECT_FALSE(fs::exists(written));
}

TEST_F(AlteredArtifactTest, MoreAndFewerRecords) {
  ExpectRefused([](Records& records) { records.emplace_back("code/more.py", ""); },
                "archive/code/more.py: a record that");
  ExpectRefused([](Records& records) { Content(records, "constants.pkl") = "junk"; }, "constants.pkl: is not");
}

TEST_F(AlteredArtifactTest, AnArchiveWithoutItsManifest) {
  AlterArchive(exported_.path(), [](Records& records) {
    records.erase(
        std::find_if(records.begin(), records.end(), [](const auto& record) { return record.first == Extra(); }));
  });
  EXPECT_THAT(exported_.Verify(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(Extra() + ": missing")));
  fs::remove(exported_.manifest_path());
  EXPECT_THAT(exported_.Verify(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("Modelport did not write it")));
}

TEST_F(AlteredArtifactTest, FilesThatAreNoArtifacts) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{22}, size_t{1000}, exported_.artifact().size() - 1}) {
    exported_.WriteArtifact(exported_.artifact().substr(0, size));
    EXPECT_THAT(exported_.VerifyError(), StartsWith(exported_.path() + ": ")) << size;
  }
  std::string random(100000, '\0');
  for (size_t i = 0; i < random.size(); ++i) random[i] = static_cast<char>(i * 2654435761u >> 11);
  exported_.WriteArtifact(random);
  EXPECT_THAT(exported_.Verify(), StatusIs(absl::StatusCode::kDataLoss, StartsWith(exported_.path() + ": ")));
}

TEST_F(AlteredArtifactTest, OneManifestOfAnotherReleaseIsRefused) {
  for (const bool within : {false, true}) {
    Manifest manifest = exported_.manifest();
    manifest.set_modelport_version("0.9");
    exported_.Restore();
    if (within) {
      exported_.WriteWithin(manifest);
    } else {
      exported_.WriteBeside(manifest);
    }
    for (const Tier tier : {Tier::kFile, Tier::kCode}) {
      EXPECT_THAT(VerifyArtifact(TestRegistry(), exported_.path(), {}, absl::nullopt, "", tier),
                  StatusIs(absl::StatusCode::kDataLoss, HasSubstr("modelport_version")));
    }
  }
}

TEST_F(AlteredArtifactTest, ALinkHasTheManifestOfItsFile) {
  const std::string link = EmptyFolder("link") + "/link.pt";
  fs::create_symlink(exported_.path(), link);
  EXPECT_OK(VerifyArtifact(TestRegistry(), link, {}));
  std::ofstream(ManifestPath(link)) << "{}";
  EXPECT_THAT(VerifyArtifact(TestRegistry(), link, {}), Not(IsOk()));
}

TEST_F(AlteredArtifactTest, SeededWeightsHaveNoCheckpoint) {
  EXPECT_THAT(VerifyArtifact(TestRegistry(), exported_.path(),
                             {DataPath("tests/checkpoints/" + DepthModel() + ".safetensors")}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("leave out --checkpoint")));
}

TEST(VerifyCheckpointTest, SourcesAreReadStrictly) {
  const Exported exported(Registers());
  const auto expect_refused = [&](const Manifest& manifest, const char* error) {
    exported.WriteBeside(manifest);
    EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {}),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(error)));
  };
  for (const char* seeded : {"seeded:v2:0", "seeded:v1:", "seeded:v1:00", "seeded:v1: 0", "seeded:v1:+0", "seeded",
                             "seeded:v1:18446744073709551616"}) {
    Manifest manifest = exported.manifest();
    manifest.mutable_weights()->set_seeded(seeded);
    expect_refused(manifest, "weights.seeded wants seeded:v1:SEED");
  }
  for (const char* source : {"sha256:", "sha256:00", "seeded:v1:0", ""}) {
    Manifest manifest = exported.manifest();
    manifest.mutable_weights()->mutable_checkpoints(0)->set_source(source);
    expect_refused(manifest, "source wants sha256:HEX");
  }
}

TEST(VerifyCheckpointTest, WithoutTheCheckpointTheLayoutIsOneOfThePlugin) {
  const Exported exported(Registers());
  Manifest manifest = exported.manifest();
  manifest.mutable_weights()->mutable_checkpoints(0)->set_layout("none");
  exported.WriteBeside(manifest);
  EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("layout none is none of " + ExampleFamily("features"))));
}

TEST(VerifyCheckpointTest, AnotherFileWithTheSameTensorsIsForTheWeightsAlone) {
  const Exported exported(Registers());
  const auto verify = [&](Tier at_least) {
    return VerifyArtifact(TestRegistry(), exported.path(), {RegistersInAnotherFile()}, absl::nullopt, "", at_least);
  };
  EXPECT_THAT(verify(Tier::kCode),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("is not the checkpoint that the artifact was made from: wants sha256:"),
                             HasSubstr("\n  --at_least=weights compares"))));
  ASSERT_OK_AND_ASSIGN(const Verification verification, verify(Tier::kWeights));
  EXPECT_EQ(verification.reached, Tier::kWeights);
  EXPECT_THAT(verification.passed,
              Contains(HasSubstr("tensors bitwise equal to those of " + RegistersInAnotherFile())));
  EXPECT_THAT(verification.not_checked,
              ElementsAre(AllOf(StartsWith("the manifest's field weights: " + RegistersInAnotherFile()),
                                HasSubstr("is not the checkpoint that the artifact was made from: wants sha256:")),
                          StartsWith("code, outputs and the manifest's other fields: ")));
}

TEST(VerifyCheckpointTest, AnotherFileWithOtherTensorsIsRefused) {
  const Exported exported(Registers());
  const std::string other = testing::TempDir() + "/other.safetensors";
  std::string bytes = ReadFile(exported.checkpoints().front());
  bytes[bytes.size() - 5] ^= 1;
  std::ofstream(other, std::ios::binary) << bytes;
  for (const Tier at_least : {Tier::kCode, Tier::kWeights}) {
    EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {other}, absl::nullopt, "", at_least),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is not the checkpoint that the artifact")));
  }
}

// If weights and checksums were both changed, only the checkpoint reveals it.
TEST(VerifyCheckpointTest, ChangedWeightsAreNamed) {
  const Exported exported(Registers());
  fs::remove(exported.manifest_path());
  std::string artifact = exported.artifact();
  artifact[artifact.find("archive/data/1") + 200] ^= 1;
  exported.WriteArtifact(artifact);
  EXPECT_THAT(VerifyArtifact(TestRegistry(), exported.path(), {}),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("data/1 ("), HasSubstr("CRC-32 differs"))));
  EXPECT_THAT(exported.Verify(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("data/1 (")));
}

class OtherReleaseTest : public testing::Test {
 protected:
  void SetUp() override { Become("0.9"); }

  // Lets the artifact be one of another release, in both manifests.
  void Become(const std::string& version) {
    exported_.Restore();
    Manifest manifest = exported_.manifest();
    manifest.set_modelport_version(version);
    exported_.WriteWithin(manifest);
    State(manifest);
  }

  // Writes the manifest beside the artifact with the size and digest that it has now.
  void State(Manifest manifest) {
    const std::string artifact = ReadFile(exported_.path());
    manifest.mutable_artifact()->set_sha256(Sha256Of(artifact));
    manifest.mutable_artifact()->set_size_bytes(artifact.size());
    exported_.WriteBeside(manifest);
  }

  Manifest Beside() const { return ParseKnownFields(ReadFile(exported_.manifest_path())); }

  absl::StatusOr<Verification> Verify(Tier at_least, bool with_checkpoint = true) const {
    return VerifyArtifact(TestRegistry(), exported_.path(),
                          with_checkpoint ? exported_.checkpoints() : std::vector<std::string>(), absl::nullopt, "",
                          at_least);
  }

  const Exported exported_{Registers()};
};

TEST_F(OtherReleaseTest, ItsCodeCannotBeVerified) {
  EXPECT_THAT(Verify(Tier::kCode),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("another release made the artifact: modelport_version wants 0.1.0, has 0.9\n"),
                             HasSubstr("--at_least=weights or --at_least=file"))));
}

TEST_F(OtherReleaseTest, ItsWeightsAreComparedWithTheCheckpoint) {
  ASSERT_OK_AND_ASSIGN(const Verification verification, Verify(Tier::kWeights));
  EXPECT_EQ(verification.reached, Tier::kWeights);
  EXPECT_THAT(verification.passed,
              ElementsAre("sha256 as in the manifest", HasSubstr("tensors bitwise equal to those of ")));
  EXPECT_THAT(verification.not_checked, ElementsAre(StartsWith("code, outputs and the manifest's other fields: ")));
  EXPECT_THAT(Verify(Tier::kWeights, /*with_checkpoint=*/false),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--checkpoint is missing")));
  ASSERT_OK_AND_ASSIGN(
      const Verification other,
      VerifyArtifact(TestRegistry(), exported_.path(), {RegistersInAnotherFile()}, absl::nullopt, "", Tier::kWeights));
  EXPECT_THAT(other.not_checked, Contains(HasSubstr("is not the checkpoint that the artifact")));
}

TEST_F(OtherReleaseTest, WithoutTheCheckpointItIsTheFileOfItsManifest) {
  ASSERT_OK_AND_ASSIGN(const Verification verification, Verify(Tier::kFile, /*with_checkpoint=*/false));
  EXPECT_EQ(verification.reached, Tier::kFile);
  EXPECT_THAT(verification.passed, ElementsAre("sha256 as in the manifest"));
  // With the checkpoint more is verified than was asked for.
  ASSERT_OK_AND_ASSIGN(const Verification more, Verify(Tier::kFile));
  EXPECT_EQ(more.reached, Tier::kWeights);
  fs::remove(exported_.manifest_path());
  EXPECT_THAT(Verify(Tier::kFile), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("beside it is missing")));
}

TEST_F(OtherReleaseTest, AnAlteredFileIsRefused) {
  const Manifest manifest = Beside();
  AlterArchive(exported_.path(), [](Records& records) { Content(records, "data/1")[8] ^= 1; });
  EXPECT_THAT(Verify(Tier::kFile), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("sha256")));
  State(manifest);
  EXPECT_THAT(Verify(Tier::kWeights),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("data/1 ("), HasSubstr("is not the tensor"))));
}

TEST_F(OtherReleaseTest, MoreTensorsThanTheModelHasAreRefused) {
  const Manifest manifest = Beside();
  AlterArchive(exported_.path(), [&](Records& records) {
    records.emplace_back(absl::StrCat("data/", manifest.tensors()), std::string(4, '\0'));
  });
  State(manifest);
  EXPECT_THAT(Verify(Tier::kWeights), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more tensors")));
}

TEST_F(OtherReleaseTest, FieldsOfALaterReleaseAreNotInTheWay) {
  std::string json = ReadFile(exported_.manifest_path());
  json.insert(json.find('{') + 1, "\"from_the_future\": {\"a\": 1},");
  std::ofstream(exported_.manifest_path()) << json;
  EXPECT_OK(Verify(Tier::kWeights));
}

TEST_F(OtherReleaseTest, SoIsWhatAnotherTextOfThePluginMade) {
  exported_.Restore();
  Manifest manifest = exported_.manifest();
  manifest.set_plugin_sha256(std::string(64, '0'));
  exported_.WriteWithin(manifest);
  State(manifest);
  EXPECT_THAT(Verify(Tier::kCode), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("which --plugin_path can name, or only its weights")));
  ASSERT_OK_AND_ASSIGN(const Verification verification, Verify(Tier::kWeights));
  EXPECT_EQ(verification.reached, Tier::kWeights);

  // Another text may have other tensors, so that a difference is no damage.
  AlterArchive(exported_.path(), [](Records& records) { Content(records, "data/1")[8] ^= 1; });
  State(manifest);
  EXPECT_THAT(Verify(Tier::kWeights),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("data/1 ("), HasSubstr("was made from another text of its plugin"))));
  ASSERT_OK_AND_ASSIGN(const Verification file, Verify(Tier::kFile));
  EXPECT_EQ(file.reached, Tier::kFile);
  EXPECT_THAT(file.not_checked, Contains(AllOf(StartsWith("weights, by another text of the plugin: "),
                                               HasSubstr("data/1 ("), Not(HasSubstr("\n")))));
}

// Whatever later releases write, they verify the weights of what release 0.1.0 wrote.
TEST(VerifyReleasesTest, AnArtifactOf010IsVerifiedUpToItsWeights) {
  ASSERT_OK_AND_ASSIGN(
      const Verification verification,
      VerifyArtifact(TestRegistry(), DataPath("tests/verify/release_0_1_0/m.pt"),
                     {DataPath("tests/checkpoints/" + FeaturesModel() + ".pth")}, absl::nullopt, "", Tier::kWeights));
  EXPECT_NE(verification.reached, Tier::kFile);
  EXPECT_EQ(verification.manifest.modelport_version(), "0.1.0");
}

TEST(VerifyReleasesTest, WithoutItsCheckpointItIsTheFileOfItsManifest) {
  const std::string path = DataPath("tests/verify/release_0_1_0/m.pt");
  const ToolResult result = RunTool("verify", {path, "--at_least=file"}, testing::TempDir());
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("\n  reached      file, the first of three: it is the one that its manifest is about\n"
                        "  passed       sha256 as in the manifest\n"
                        "  not checked  weights: give the checkpoint, sha256:"));
}

}  // namespace
}  // namespace modelport
