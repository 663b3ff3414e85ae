// sign signs an artifact and its manifest; verify --key and predict --key refuse whatever is not what was signed, and
// read nothing else of it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "artifact/export/export_model.h"
#include "artifact/signature/artifact_signature.h"
#include "artifact/verify/verify_artifact.h"
#include "common/digest/sha256.h"
#include "common/manifest/manifest.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/artifact_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/inspect/print_artifact.h"
#include "tools/predict/run/load_artifact.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string KeyPath(const std::string& name) { return DataPath("tests/signatures/" + name); }

const Registry& TestRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  return *registry;
}

Manifest Export(const std::string& path, uint64_t seed = 0, bool with_preprocess = false) {
  ExportOptions options;
  options.request.entry = *TestRegistry().Find(ExampleModel("features"));
  options.request.with_preprocess = with_preprocess;
  options.request.weights = Seeded{seed};
  options.out = path;
  auto manifest = ExportModel(TestRegistry(), options);
  EXPECT_OK(manifest);
  return *manifest;
}

void Write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// A folder with a signed artifact m.pt.
class SignedTest : public testing::Test {
 protected:
  SignedTest() {
    manifest_ = Export(artifact_);
    EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  }

  absl::StatusOr<Verification> Verify(const std::string& key = "public.pem") const {
    return VerifyArtifact(TestRegistry(), artifact_, {}, absl::nullopt, KeyPath(key));
  }

  // Verifies with the key what `path` has with one bit changed, then restores it.
  absl::Status VerifyAltered(const std::string& path) const {
    const std::string bytes = ReadFile(path);
    std::string altered = bytes;
    altered[altered.size() / 2] ^= 1;
    Write(path, altered);
    const absl::Status status = Verify().status();
    Write(path, bytes);
    return status;
  }

  const std::string folder_ = EmptyFolder("signed"), artifact_ = folder_ + "/m.pt",
                    manifest_path_ = folder_ + "/m.manifest.json", signature_ = folder_ + "/m.sig";
  Manifest manifest_;
};

TEST_F(SignedTest, IsVerified) {
  const absl::StatusOr<Verification> verification = Verify();
  ASSERT_OK(verification);
  EXPECT_THAT(verification->passed.front(),
              AllOf(StartsWith("artifact and manifest signed: "), HasSubstr("/m.sig, by the key sha256:46b6bf58")));
  EXPECT_THAT(verification->not_checked, IsEmpty());
}

TEST_F(SignedTest, WithoutAKeyTheSignatureIsSaidNotToBeChecked) {
  const absl::StatusOr<Verification> verification = VerifyArtifact(TestRegistry(), artifact_, {});
  ASSERT_OK(verification);
  EXPECT_THAT(verification->not_checked, ElementsAre(AllOf(StartsWith("signature "), HasSubstr("m.sig: give"))));
}

TEST_F(SignedTest, SignatureIsMissing) {
  fs::remove(signature_);
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kNotFound,
                                          AllOf(HasSubstr("/m.sig: no signature lies beside"), HasSubstr("\n  get"))));
}

TEST_F(SignedTest, ManifestIsMissing) {
  fs::remove(manifest_path_);
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kNotFound,
                                          AllOf(HasSubstr("/m.manifest.json: is missing"), HasSubstr("\n  put"))));
}

TEST_F(SignedTest, KeyIsAnother) {
  EXPECT_THAT(Verify("other_public.pem").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("/m.sig: is by another key: wants sha256:"), HasSubstr("\n  give --key"))));
}

TEST_F(SignedTest, KeyIsPrivate) {
  EXPECT_THAT(Verify("private.pem").status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("private.pem: not a public key in PEM"), HasSubstr("openssl pkey"))));
}

TEST_F(SignedTest, ArtifactIsAltered) {
  EXPECT_THAT(VerifyAltered(artifact_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
}

TEST_F(SignedTest, ManifestIsAltered) {
  EXPECT_THAT(VerifyAltered(manifest_path_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.manifest.json: is not the manifest that")));
}

TEST_F(SignedTest, SignatureIsAltered) {
  EXPECT_THAT(VerifyAltered(signature_),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("/m.sig: was altered"), HasSubstr("\n  get it"))));
}

TEST_F(SignedTest, SignatureIsCut) {
  fs::resize_file(signature_, fs::file_size(signature_) / 2);
  EXPECT_THAT(Verify().status(),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("/m.sig: is truncated"), HasSubstr("\n  get it"))));
}

TEST_F(SignedTest, SignatureIsHuge) {
  fs::resize_file(signature_, uint64_t{1} << 36);
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has 68719476736 bytes, wants")));
}

TEST_F(SignedTest, SignatureIsNoSignature) {
  Write(signature_, "{}");
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr("/m.sig: no signature by a key: mediaType: wants")));
}

TEST_F(SignedTest, SignatureIsThatOfAnotherExport) {
  const std::string old = ReadFile(signature_);
  Export(artifact_, /*seed=*/1);
  EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  EXPECT_OK(Verify());
  Write(signature_, old);
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
}

TEST_F(SignedTest, FilesAreRenamed) {
  for (const char* end : {".pt", ".manifest.json", ".sig"}) fs::rename(folder_ + "/m" + end, folder_ + "/n" + end);
  EXPECT_THAT(VerifyArtifact(TestRegistry(), folder_ + "/n.pt", {}, absl::nullopt, KeyPath("public.pem")).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("/n.sig: signs other files: wants n.pt, n.manifest.json; has m.manifest.json, m.pt")));
}

// Neither the archive nor the manifest is parsed before it is known who signed it.
TEST_F(SignedTest, NothingElseIsReadOfFilesThatWereNotSigned) {
  Write(artifact_, "no archive");
  Write(manifest_path_, "no manifest");
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
  Write(signature_, ReadFile(KeyPath("signed/m.sig")));
  Write(artifact_, ReadFile(KeyPath("signed/m.pt")));
  EXPECT_THAT(Verify().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("truncated zip archive")));
}

TEST_F(SignedTest, ThroughALinkTheFilesWhereItLeadsAreChecked) {
  const std::string link = EmptyFolder("link") + "/current.pt";
  fs::create_symlink(artifact_, link);
  const auto verify = [&] { return VerifyArtifact(TestRegistry(), link, {}, absl::nullopt, KeyPath("public.pem")); };
  EXPECT_OK(verify());
  EXPECT_OK(SignArtifact(link, KeyPath("private.pem")));
  EXPECT_FALSE(fs::exists(SignaturePath(link)));
  Write(ManifestPath(link), "another manifest");
  EXPECT_THAT(verify().status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is not the manifest that")));
}

TEST_F(SignedTest, InspectNamesASignatureAndReadsTheManifestWhereALinkLeads) {
  const std::string link = EmptyFolder("link") + "/current.pt";
  fs::create_symlink(artifact_, link);
  for (const std::string& path : {artifact_, link}) {
    const auto description = DescribeArtifact(path);
    ASSERT_OK(description);
    EXPECT_EQ(fs::canonical(description->signature), fs::canonical(signature_));
    EXPECT_TRUE(description->beside.has_value());
  }
  fs::remove(signature_);
  EXPECT_EQ(DescribeArtifact(link)->signature, "");
}

TEST_F(SignedTest, AnExportOfOtherWeightsMakesTheSignatureOld) {
  EXPECT_FALSE(HasOldSignature(artifact_, manifest_));
  EXPECT_FALSE(HasOldSignature(artifact_, Export(artifact_)));
  EXPECT_TRUE(HasOldSignature(artifact_, Export(artifact_, /*seed=*/1)));
  fs::remove(signature_);
  EXPECT_FALSE(HasOldSignature(artifact_, Export(artifact_, /*seed=*/1)));
}

TEST_F(SignedTest, SignReplacesASignatureAndNothingElse) {
  const std::string bytes = ReadFile(signature_);
  EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  EXPECT_EQ(ReadFile(signature_), bytes);
  Write(signature_, "my own notes");
  EXPECT_THAT(SignArtifact(artifact_, KeyPath("private.pem")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("/m.sig: the signature goes here, but"), HasSubstr("\n  move it"))));
  EXPECT_EQ(ReadFile(signature_), "my own notes");
}

TEST_F(SignedTest, OnlyAPairIsSigned) {
  fs::remove(signature_);
  Manifest other = manifest_;
  other.mutable_artifact()->set_sha256(std::string(64, '0'));
  Write(manifest_path_, *WriteManifest(other));
  EXPECT_THAT(SignArtifact(artifact_, KeyPath("private.pem")).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("/m.manifest.json: does not describe")));
  fs::remove(manifest_path_);
  EXPECT_THAT(SignArtifact(artifact_, KeyPath("private.pem")).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/m.manifest.json: no manifest lies beside")));
  EXPECT_THAT(FileNames(folder_), ElementsAre("m.pt"));
}

TEST_F(SignedTest, SignWantsAPrivateKey) {
  for (const std::string& key : {KeyPath("public.pem"), artifact_}) {
    EXPECT_THAT(SignArtifact(artifact_, key).status(), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(key)));
  }
  EXPECT_THAT(SignArtifact(artifact_, folder_ + "/none.pem").status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/none.pem: ")));
}

TEST_F(SignedTest, WithAKeyPredictLoadsOnlyWhatItsOwnerSigned) {
  Export(artifact_, /*seed=*/0, /*with_preprocess=*/true);
  const auto load = [&](const std::string& key) { return LoadArtifact(artifact_, KeyPath(key)).status(); };
  EXPECT_OK(LoadArtifact(artifact_, ""));
  EXPECT_THAT(load("public.pem"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
  EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  EXPECT_OK(load("public.pem"));
  EXPECT_THAT(load("other_public.pem"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("by another key")));
  const std::string manifest = ReadFile(manifest_path_);
  Write(manifest_path_, manifest + " ");
  EXPECT_THAT(load("public.pem"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is not the manifest that")));
  Write(manifest_path_, manifest);
  Write(artifact_, "no archive");
  EXPECT_THAT(load("public.pem"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
}

// Another process that changes a byte of the file `path` and changes it back, again and again, through a mapping that
// leaves no trace in the inode. It lives as long as this object.
class UnseenWriter {
 public:
  UnseenWriter(const std::string& path, size_t position) : process_(fork()) {
    if (process_ != 0) return;
    const int file = open(path.c_str(), O_RDWR);
    void* const bytes = mmap(nullptr, fs::file_size(path), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) _exit(1);
    volatile char& byte = static_cast<char*>(bytes)[position];
    for (;; usleep(500)) byte = byte ^ 1;
  }
  ~UnseenWriter() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  const pid_t process_;
};

// The digest of all weights.
std::string WeightsOf(const LoadedArtifact& artifact) {
  Sha256 digest;
  for (const at::Tensor& tensor : artifact.module->parameters()) {
    const at::Tensor bytes = tensor.contiguous();
    digest.Update({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()});
  }
  return digest.HexDigest();
}

// The place of a byte of the artifact's weights.
size_t PlaceOfAWeight(const std::string& path) {
  const auto file = ArtifactFile::Open(path);
  EXPECT_OK(file);
  const auto* const record = file->Find("data/0");
  return static_cast<size_t>(record->bytes.data() - file->bytes().data());
}

TEST_F(SignedTest, WhatIsLoadedIsWhatWasSignedWhileAnotherProcessWrites) {
  Export(artifact_, /*seed=*/0, /*with_preprocess=*/true);
  EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  const std::string key = KeyPath("public.pem");
  ASSERT_OK_AND_ASSIGN(const LoadedArtifact signed_artifact, LoadArtifact(artifact_, key));
  const std::string weights = WeightsOf(signed_artifact);
  const UnseenWriter writer(artifact_, PlaceOfAWeight(artifact_));
  int loaded = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    const absl::StatusOr<LoadedArtifact> artifact = LoadArtifact(artifact_, key);
    if (artifact.ok()) {
      ++loaded;
      ASSERT_EQ(WeightsOf(*artifact), weights);
    } else {
      ++refused;
      EXPECT_THAT(artifact, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/m.pt: is not the file that")));
    }
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(SignedTest, PredictTakesTheKeyForFilesOnly) {
  Write(folder_ + "/photo.png", "opened after the artifact");
  const std::string key = "--key=" + KeyPath("other_public.pem");
  const auto predict = [&](const std::string& model) {
    return RunTool("predict", {model, "--input=photo.png", "--out=out.png", key}, folder_);
  };
  EXPECT_THAT(predict("--artifact=m.pt").err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("m.sig: is by")));
  EXPECT_THAT(predict("--model=" + ExampleModel("features")).err,
              StartsWith("INVALID_ARGUMENT: --key changes nothing without --artifact or --compare"));
}

TEST_F(SignedTest, NoOutputReplacesWhatPredictReads) {
  Export(artifact_, /*seed=*/0, /*with_preprocess=*/true);
  EXPECT_OK(SignArtifact(artifact_, KeyPath("private.pem")));
  Write(folder_ + "/photo.png", "opened after the artifact");
  fs::copy(KeyPath("public.pem"), folder_ + "/key.pem");
  for (const std::string input : {"m.pt", "m.manifest.json", "m.sig", "key.pem", "photo.png"}) {
    const std::string before = ReadFile(folder_ + "/" + input);
    fs::create_symlink(input, folder_ + "/out.png");
    const ToolResult result =
        RunTool("predict", {"--artifact=m.pt", "--key=key.pem", "--input=photo.png", "--out=out.png"}, folder_);
    EXPECT_THAT(result.err, AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("out.png: is the input"))) << input;
    EXPECT_EQ(ReadFile(folder_ + "/" + input), before);
    fs::remove(folder_ + "/out.png");
  }
}

TEST_F(SignedTest, ToolsSayWhatTheyDid) {
  const std::vector<std::string> export_again = {"--model=" + ExampleModel("features"),
                                                 "--plugin_path=" + DataPath("models"), "--weights=seeded:2",
                                                 "--out=m.pt", "--noverify"};
  EXPECT_THAT(RunTool("export", export_again, folder_).err, HasSubstr("m.sig signs the files that were here before: "));
  const ToolResult refused = RunTool("verify", {"m.pt", "--key=" + KeyPath("public.pem")}, folder_);
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, StartsWith("DATA_LOSS: "));
  const ToolResult sign = RunTool("sign", {"--artifact=m.pt", "--key=" + KeyPath("private.pem")}, folder_);
  EXPECT_EQ(sign.exit_status, 0) << sign.err;
  EXPECT_THAT(sign.out, AllOf(HasSubstr("signature  "), HasSubstr("key        sha256:46b6bf58")));
  EXPECT_EQ(RunTool("export", export_again, folder_).err.find("m.sig"), std::string::npos);
  const ToolResult keyless = RunTool("sign", {"m.pt"}, folder_);
  EXPECT_EQ(keyless.exit_status, 1);
  EXPECT_THAT(keyless.err, AllOf(StartsWith("INVALID_ARGUMENT: --key is missing"), HasSubstr("openssl genpkey")));
}

}  // namespace
}  // namespace modelport
