#include "common/manifest/manifest.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Manifest MakeManifest() {
  Manifest manifest;
  manifest.mutable_request()->set_model("tiny");
  manifest.set_parameters(11e9);
  manifest.mutable_artifact()->set_size_bytes(44e9 + 1);
  manifest.add_methods("forward(Tensor x) -> Tensor");
  auto* excused = manifest.mutable_weights()->add_zero_filled();
  excused->set_key("mask_token");
  excused->set_reason(R"(quotes " and backslashes \u003c \\ survive)");
  auto* output = manifest.add_entry_points()->add_outputs();
  output->set_place("result[\"depth\"]");
  output->set_min(0);  // A range without a greatest value.
  manifest.mutable_round_trip()->add_outputs()->set_max_abs(2.980232238769531e-08);
  return manifest;
}

TEST(ManifestPathTest, LiesBesideTheArtifact) {
  EXPECT_EQ(ManifestPath("dir/m.pt"), "dir/m.manifest.json");
  EXPECT_EQ(ManifestPath("m.pt"), "m.manifest.json");
  EXPECT_EQ(ManifestPath("my.pt/m"), "my.pt/m.manifest.json");
}

TEST(DataFilePathTest, LiesBesideTheArtifact) {
  EXPECT_EQ(DataFilePath("dir/m.onnx"), "dir/m.onnx.data");
  EXPECT_EQ(DataFileName("dir/m.onnx"), "m.onnx.data");
  EXPECT_EQ(DataFileName("m.onnx"), "m.onnx.data");
}

TEST(WriteManifestTest, ParsesBack) {
  const Manifest manifest = MakeManifest();
  ASSERT_OK_AND_ASSIGN(const std::string text, WriteManifest(manifest));
  ASSERT_OK_AND_ASSIGN(const Manifest parsed, ParseManifest(text, "m.manifest.json"));
  EXPECT_EQ(parsed.SerializeAsString(), manifest.SerializeAsString());
}

TEST(WriteManifestTest, EqualManifestsGiveEqualBytes) {
  ASSERT_OK_AND_ASSIGN(const std::string first, WriteManifest(MakeManifest()));
  ASSERT_OK_AND_ASSIGN(const std::string second, WriteManifest(MakeManifest()));
  EXPECT_EQ(first, second);
}

TEST(WriteManifestTest, ReadsWell) {
  ASSERT_OK_AND_ASSIGN(const std::string text, WriteManifest(MakeManifest()));
  EXPECT_THAT(text, HasSubstr("\"size_bytes\": 44000000001,"));
  EXPECT_THAT(text, HasSubstr("\"parameters\": 11000000000,"));
  EXPECT_THAT(text, HasSubstr("\"forward(Tensor x) -> Tensor\""));
  EXPECT_THAT(text, HasSubstr("\"aliases\": []"));
  EXPECT_THAT(text, HasSubstr("\"proven\": false,"));
  EXPECT_THAT(text, HasSubstr("\"min\": 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("\"max\": ")));
}

struct BadCase {
  const char* name;
  const char* json;
  const char* error;
};

class ParseManifestTest : public testing::TestWithParam<BadCase> {};

TEST_P(ParseManifestTest, RefusesAndNamesTheFile) {
  EXPECT_THAT(ParseManifest(GetParam().json, "dir/m.manifest.json"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("dir/m.manifest.json: not a manifest"), HasSubstr(GetParam().error))));
}

INSTANTIATE_TEST_SUITE_P(All, ParseManifestTest,
                         testing::Values(BadCase{"NotAnObject", "[1]", ""}, BadCase{"NotJson", "{tiny}", ""},
                                         BadCase{"UnknownField", R"({"modle": "tiny"})", "modle"},
                                         BadCase{"WrongType", R"({"tensors": "many"})", "tensors"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ParseManifestTest, AFileThatLacksItsEndIsDamaged) {
  ASSERT_OK_AND_ASSIGN(const std::string text, WriteManifest(MakeManifest()));
  for (const size_t size : {size_t{0}, size_t{1}, text.size() / 2, text.size() - 2}) {
    EXPECT_THAT(ParseManifest(text.substr(0, size), "m.manifest.json"),
                StatusIs(absl::StatusCode::kDataLoss, StartsWith("m.manifest.json: not a manifest: it")))
        << size;
  }
}

TEST(ParseManifestTest, RefusesWhatReadersMayReadDifferently) {
  ASSERT_OK_AND_ASSIGN(const std::string text, WriteManifest(MakeManifest()));
  const std::string model = " \"model\": \"tiny\",\n";
  ASSERT_THAT(text, HasSubstr(model));
  for (const std::string& other :
       {absl::StrReplaceAll(text, {{model, " \"model\": \"other\",\n" + model}}),  // Protobuf keeps the last one.
        absl::StrReplaceAll(text, {{model, model + " \"model\": \"other\",\n"}}), absl::StrCat(text, " "),
        absl::StrReplaceAll(text, {{model, ""}}), absl::StrReplaceAll(text, {{"\"model\": ", "\"model\":"}})}) {
    EXPECT_THAT(ParseManifest(other, "m.manifest.json"),
                StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("m.manifest.json: ")))
        << other;
  }
}

TEST(ParseManifestTest, TextThatTheErrorQuotesIsPrintable) {
  EXPECT_THAT(ParseManifest("{\"\\u001b[2J\": 1}", "m"),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("\\x1b[2J"), Not(HasSubstr("\x1b")))));
}

TEST(ParseManifestTest, RefusesABomb) {
  const std::string bomb = absl::StrCat("{\"methods\": [", std::string(5 << 20, ' '), "]}");
  EXPECT_THAT(ParseManifest(bomb, "m"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 1048576")));
  std::string short_messages = "{\"operators\": [{}";
  for (int i = 0; i < 1000; ++i) short_messages += ",{}";
  EXPECT_THAT(ParseManifest(short_messages + "]}", "m"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("fields or line ends are missing")));
  const std::string deep(1 << 20, '[');
  EXPECT_THAT(ParseManifest(deep, "m"), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("m: not a manifest")));
}

TEST(ParseKnownFieldsTest, ReadsManifestsOfOtherReleases) {
  EXPECT_EQ(ParseKnownFields(R"({"modelport_version": "9.0", "news": [1]})").modelport_version(), "9.0");
  EXPECT_EQ(ParseKnownFields("no json").modelport_version(), "");
}

TEST(ParseKnownFieldsTest, AddsTheFramesThatOlderReleasesLeftToTheChannels) {
  const auto frames = [](absl::string_view interface) {
    return absl::StrJoin(ParseKnownFields(absl::StrCat("{\"interface\": {", interface, "}}")).interface().frames(),
                         ",");
  };
  const std::string colours = R"("rgba.red", "rgba.green", "rgba.blue")";
  const std::string two = absl::StrCat(R"("channels_in": [)", colours, R"(, "forward.u", "forward.v", "backward.u"])");
  EXPECT_EQ(frames(two), "0,1");
  EXPECT_EQ(frames(absl::StrCat(two, R"(, "frames": [0, -1])")), "0,-1");
  EXPECT_EQ(frames(absl::StrCat(R"("channels_in": [)", colours, "]")), "");
}

TEST(ParseKnownFieldsTest, ReadsTheCheckpointsOfVersion1) {
  const Manifest one = ParseKnownFields(
      R"({"model": "m", "source": "sha256:0a", "layout": "timm", "state_dict": "teacher", "published": "no", "unused": []})");
  EXPECT_EQ(one.request().model(), "m");
  ASSERT_EQ(one.weights().checkpoints_size(), 1);
  const Manifest::Checkpoint& checkpoint = one.weights().checkpoints(0);
  EXPECT_EQ(checkpoint.source() + checkpoint.layout() + checkpoint.state_dict() + checkpoint.published(),
            "sha256:0atimmteacherno");
  EXPECT_EQ(ParseKnownFields(R"({"source": "seeded:v1:3", "layout": "original"})").weights().seeded(), "seeded:v1:3");
  const Manifest two = ParseKnownFields(
      R"({"source": "", "checkpoints": {"files": [{"part": "net", "source": "sha256:1"}, {"part": "head"}]}})");
  ASSERT_EQ(two.weights().checkpoints_size(), 2);
  EXPECT_EQ(two.weights().checkpoints(0).source(), "sha256:1");
  EXPECT_EQ(two.weights().checkpoints(1).part(), "head");
  EXPECT_FALSE(ParseKnownFields(R"({"source": "", "layout": ""})").has_weights());
  EXPECT_FALSE(ParseKnownFields(R"({"manifest_version": 2, "source": "seeded:v1:3"})").has_weights());
}

TEST(ParseKnownFieldsTest, ReadsTheRequestOfVersion2) {
  const std::string old = R"json({
    "manifest_version": 2, "model": "m", "target": "nuke", "wrapper": "depth", "dtype": "float16", "runtime": "1.12",
    "arguments": [{"name": "max_depth", "value": "35.0"}], "sizes": [{"letter": "H", "size": 14}], "method": "encode",
    "knob_values": [{"name": "focal", "value": 35}], "opset": 17, "external_data": true, "name": "near",
    "licence_text": "Free.", "outputs": {"kept": ["depth"], "left_out": ["sky"]},
    "preprocessing": {"inside": true, "module": "Image()"}, "round_trip": {"proven": true}})json";
  const Manifest manifest = ParseKnownFields(old);
  Manifest::Request request;
  request.set_model("m");
  request.add_arguments()->set_name("max_depth");
  request.mutable_arguments(0)->set_value("35.0");
  request.set_target("nuke");
  request.set_wrapper("depth");
  request.set_with_preprocess(true);
  request.set_method("encode");
  request.add_sizes()->set_letter("H");
  request.mutable_sizes(0)->set_size(14);
  request.add_knobs()->set_name("focal");
  request.mutable_knobs(0)->set_value(35);
  request.add_outputs("depth");
  request.set_runtime("1.12");
  request.set_dtype("float16");
  request.set_opset(17);
  request.set_external_data(true);
  request.set_name("near");
  request.set_licence_text("Free.");
  EXPECT_EQ(manifest.request().DebugString(), request.DebugString());
  EXPECT_EQ(manifest.outputs().left_out(0), "sky");
  EXPECT_TRUE(manifest.round_trip().proven());
  // A node of a host prepares images without being asked.
  EXPECT_FALSE(ParseKnownFields(
                   R"json({"preprocessing": {"module": "Image()"}, "interface": {"channels_in": ["rgba.red"]}})json")
                   .request()
                   .with_preprocess());
  // What version 3 lacks is no field of it.
  EXPECT_TRUE(ParseKnownFields(R"({"manifest_version": 3, "model": "m"})").request().model().empty());
}

}  // namespace
}  // namespace modelport
