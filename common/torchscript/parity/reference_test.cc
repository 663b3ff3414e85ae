#include "common/torchscript/parity/reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using torch::jit::Module;

std::string Path() { return absl::StrCat(std::getenv("TEST_TMPDIR"), "/r.safetensors"); }

absl::StatusOr<Reference> ReadBytes(const std::string& bytes) {
  std::ofstream(Path(), std::ios::binary) << bytes;
  return ReadReference(Path());
}

// A file with these metadata, in JSON, and the tensors that `tensors`, a part of the header, describes in `data`.
std::string File(const std::string& metadata, const std::string& tensors, const std::string& data) {
  return SafetensorsFile(absl::StrCat("{\"__metadata__\":{", metadata, "},", tensors, "}"), data);
}

constexpr char kTensors[] = R"("input.x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                            R"("input.masks":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]},)"
                            R"("output.depth":{"dtype":"U8","shape":[],"data_offsets":[11,12]},)"
                            R"("blocks.2":{"dtype":"U8","shape":[1],"data_offsets":[12,13]})";
const std::string kData(std::string("\0\0\x80\x3f\0\0\0\x40", 8) + std::string("\0\1\2", 3) + "\5\6");

// The same file with another `call`.
absl::StatusOr<Reference> ReadCall(const std::string& call) {
  std::string escaped;
  for (const char c : call) absl::StrAppend(&escaped, c == '"' ? "\\\"" : std::string(1, c));
  return ReadBytes(File(absl::StrCat(R"("model":"toy","call":")", escaped, "\""), kTensors, kData));
}

TEST(ReadReferenceTest, InputsAreArgumentsAndOtherTensorsAreExpected) {
  ASSERT_OK_AND_ASSIGN(const Reference reference, ReadCall("{}"));
  EXPECT_EQ(reference.path, Path());
  EXPECT_EQ(reference.model, "toy");
  EXPECT_EQ(reference.method, "forward");
  ASSERT_EQ(reference.arguments.size(), 2);
  EXPECT_TRUE(reference.arguments.at("x").toTensor().equal(at::tensor({1.f, 2.f})));
  // A byte of 2 is as true as one of 1.
  EXPECT_TRUE(reference.arguments.at("masks").toTensor().equal(at::tensor({0, 1, 1}).to(at::kBool)));
  ASSERT_EQ(reference.expected.size(), 2);
  EXPECT_EQ(reference.expected[0].first, "output.depth");
  EXPECT_EQ(reference.expected[0].second.item<int>(), 5);
  EXPECT_EQ(reference.expected[1].first, "blocks.2");
}

TEST(ReadReferenceTest, TheCallHasTheMethodAndTheOtherArguments) {
  ASSERT_OK_AND_ASSIGN(
      const Reference reference,
      ReadCall(R"({"method": "run", "arguments": {"a": null, "b": true, "c": -3, "d": 0.5, "e": "s", "f": [1, 2],)"
               R"( "g": [1, 0.5], "h": []}})"));
  EXPECT_EQ(reference.method, "run");
  EXPECT_TRUE(reference.arguments.at("a").isNone());
  EXPECT_TRUE(reference.arguments.at("b").toBool());
  EXPECT_EQ(reference.arguments.at("c").toInt(), -3);
  EXPECT_EQ(reference.arguments.at("d").toDouble(), 0.5);
  EXPECT_EQ(reference.arguments.at("e").toStringRef(), "s");
  EXPECT_THAT(reference.arguments.at("f").toIntVector(), testing::ElementsAre(1, 2));
  EXPECT_THAT(reference.arguments.at("g").toDoubleVector(), testing::ElementsAre(1, 0.5));
  EXPECT_TRUE(reference.arguments.at("h").toIntVector().empty());
}

TEST(ReadReferenceTest, TheCallMaySetKnobs) {
  ASSERT_OK_AND_ASSIGN(Reference reference, ReadCall(R"({"knobs": {"focal": 500.0, "steps": 3, "on": true}})"));
  EXPECT_EQ(reference.knobs.at("focal").toDouble(), 500);
  EXPECT_EQ(reference.knobs.at("steps").toInt(), 3);
  EXPECT_TRUE(reference.knobs.at("on").toBool());
  ASSERT_OK(WriteReference(reference, Path()));
  ASSERT_OK_AND_ASSIGN(reference, ReadReference(Path()));
  EXPECT_EQ(reference.knobs.size(), 3);
}

TEST(ReadReferenceTest, WrongCallsAreRefused) {
  const struct {
    std::string call, message;
  } kCases[] = {
      {"forward", "the metadata `call` wants JSON such as {\"method\": \"forward\"}, has forward"},
      {"[]", "the metadata `call` wants JSON"},
      {"{\"metod\": \"run\"}", "unknown field metod; nearest: method"},
      {"{\"method\": 1}", "`method` wants a text"},
      {"{\"arguments\": []}", "`arguments` wants an object"},
      {"{\"arguments\": {\"a\": {}}}", "argument a wants null, a boolean, a number of 64 bits"},
      {"{\"arguments\": {\"a\": 18446744073709551615}}", "argument a wants null"},
      {"{\"arguments\": {\"a\": [\"s\"]}}", "argument a wants null"},
      {"{\"arguments\": {\"x\": 1}}", "the argument x is given twice"},
      {"{\"knobs\": {\"x\": \"1\"}}", "`knobs` wants an object of numbers and booleans"},
      {"{\"knobs\": [1]}", "`knobs` wants an object of numbers and booleans"},
      {"{}\\u0000{}", "the metadata `call` wants JSON"},
      {std::string(5000, '['), "the metadata `call` wants JSON"},
      {std::string(100000, '[') + std::string(100000, ']'), "the metadata `call` wants JSON"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(ReadCall(test.call),
                StatusIs(StatusCode::kInvalidArgument, AllOf(StartsWith(Path() + ": "), HasSubstr(test.message))));
  }
}

TEST(ReadReferenceTest, WrongFilesAreRefused) {
  const std::string call = R"("call":"{}")", both = R"("model":"toy","call":"{}")";
  EXPECT_THAT(ReadBytes(File(call, kTensors, kData)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("metadata `model` is missing")));
  EXPECT_THAT(ReadBytes(File(R"("model":"toy")", kTensors, kData)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("metadata `call` is missing")));
  EXPECT_THAT(ReadBytes(File(both, R"("input.x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", "x")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("every tensor is an input")));
  EXPECT_THAT(ReadBytes(File(both, R"("output":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})",
                             std::string("\0\0\xc0\x7f", 4))),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("output: 1 elements are not finite")));
  EXPECT_THAT(ReadBytes(SmallTorchZip()),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("a reference is a safetensors file, this is")));
  const std::string whole = File(both, kTensors, kData);
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_THAT(ReadBytes(whole.substr(0, size)), testing::Not(IsOk())) << size;
  }
  EXPECT_THAT(ReadReference("absent.safetensors"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
}

TEST(ReadReferenceTest, MetadataHasALimit) {
  const std::string megabyte = "{}" + std::string((1 << 20) - 2, ' ');
  EXPECT_OK(ReadCall(megabyte));
  for (const char* key : {"call", "settings", "slices", "noise", "values"}) {
    const std::string metadata = absl::StrCat(R"("model":"toy",)", key == std::string("call") ? "" : R"("call":"{}",)",
                                              "\"", key, "\":\"", megabyte, " \"");
    EXPECT_THAT(ReadBytes(File(metadata, kTensors, kData)),
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr(absl::StrCat("the metadata `", key, "` has 1048577 bytes, wants at most 1048576"))));
  }
}

TEST(ReadReferenceTest, NoiseIsANumberFromZero) {
  const auto read = [](const std::string& noise) {
    return ReadBytes(File(absl::StrCat(R"("model":"toy","call":"{}","noise":")", noise, "\""), kTensors, kData));
  };
  ASSERT_OK_AND_ASSIGN(const Reference reference, read(R"({\"output\":1.5e-6,\"norm\":0})"));
  EXPECT_THAT(reference.noise, testing::ElementsAre(testing::Pair("norm", 0), testing::Pair("output", 1.5e-6)));
  for (const char* wrong : {R"({\"output\":-1})", R"({\"output\":\"1\"})", R"({\"output\":null})"}) {
    EXPECT_THAT(read(wrong), StatusIs(StatusCode::kInvalidArgument, HasSubstr("output wants a number from 0")))
        << wrong;
  }
  EXPECT_THAT(read("[]"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("`noise` wants JSON such as ")));
}

TEST(ReadReferenceTest, ASettingOfDeeperListsIsLeftOut) {
  const auto settings_of = [](int levels) {
    const std::string value = std::string(levels, '[') + std::string(levels, ']');
    const std::string metadata =
        absl::StrCat(R"("model":"toy","call":"{}","settings":"{\"norm\":{\"sizes\":)", value, "}}\"");
    return ReadBytes(File(metadata, kTensors, kData))->settings;
  };
  EXPECT_THAT(settings_of(20), testing::SizeIs(1));
  EXPECT_THAT(settings_of(21), testing::IsEmpty());
}

Module WithSettings() {
  Module norm("Norm");
  norm.register_attribute("eps", c10::FloatType::get(), 1e-6);
  norm.register_attribute("size", c10::ListType::ofInts(), std::vector<int64_t>{24, 2});
  norm.register_buffer("scale", at::ones({1}));
  Module outer("Outer");
  outer.register_module("norm", norm);
  outer.type()->addConstant("heads", 2);
  return outer;
}

TEST(FindSettingsTest, ConstantsAndAttributesThatAreNoTensors) {
  const Settings settings = FindSettings(WithSettings());
  EXPECT_EQ(settings.at("").at("heads").toInt(), 2);
  EXPECT_EQ(settings.at("norm").at("eps").toDouble(), 1e-6);
  EXPECT_EQ(settings.at("norm").count("scale"), 0);
  EXPECT_EQ(settings.at("").count("training"), 0);
}

TEST(CompareSettingsTest, ValuesAreComparedAndNotTheirTypes) {
  const Settings expected = {
      {"", {{"heads", 4}, {"name", "vit"}}},
      {"norm", {{"eps", 1e-5}, {"size", c10::ivalue::Tuple::create({24.0, 2})}, {"elementwise", true}}},
      {"other", {{"eps", 1}}}};
  const SettingsComparison comparison = CompareSettings(expected, FindSettings(WithSettings()));
  EXPECT_EQ(comparison.equal, 1);
  ASSERT_EQ(comparison.differences.size(), 2);
  EXPECT_EQ(comparison.differences[0].path, "");
  EXPECT_EQ(comparison.differences[0].name, "heads");
  EXPECT_EQ(comparison.differences[0].expected, "4");
  EXPECT_EQ(comparison.differences[0].actual, "2");
  EXPECT_EQ(comparison.differences[1].path, "norm");
  EXPECT_EQ(comparison.differences[1].expected, "1e-05");
}

TEST(CompareSettingsTest, ANumberEqualsAListOfIt) {
  const Settings tuple = {{"", {{"stride", c10::ivalue::Tuple::create({2, 2})}}}};
  EXPECT_EQ(CompareSettings(tuple, {{"", {{"stride", 2}}}}).equal, 1);
  EXPECT_EQ(CompareSettings(tuple, {{"", {{"stride", 3}}}}).equal, 0);
}

TEST(CompareSettingsTest, BooleansEqualTheIntegersThatHostsWant) {
  const Settings flags = {{"", {{"a", true}, {"b", false}, {"c", true}}}};
  const Settings own = {{"", {{"a", 1}, {"b", 0}, {"c", 0}}}};
  EXPECT_EQ(CompareSettings(flags, own).equal, 2);
}

}  // namespace
}  // namespace modelport
