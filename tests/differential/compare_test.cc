#include "tests/differential/compare.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

std::string SmallFile() {
  const std::string path = absl::StrCat(::testing::TempDir(), "/small.pth");
  std::ofstream(path, std::ios::binary) << SmallTorchZip();
  return path;
}

// What SmallFile() holds; the digests are those of `sha256sum`.
Json Reads() {
  return Json::parse(R"({"dicts": [{"paths": [""], "tensors": [
      ["a", "float32", [2, 3], [3, 1], 0, 0, "e2c0a71510b5394d"],
      ["b", "float32", [2], [1], 0, 1, "f6012f035ce2ff1d"]]}], "loose": 0, "metadata": {}})");
}

std::string Compare(const Json& reads) { return CompareWithReference(SmallFile(), {{"reads", reads}}); }

TEST(CompareTest, WhatTheReferenceReadsIsNoDifference) { EXPECT_EQ(Compare(Reads()), ""); }

TEST(CompareTest, EachFactThatDiffersIsFound) {
  const Json::json_pointer tensor("/dicts/0/tensors/0");
  const Json others[] = {"c", "int32", {3, 2}, {1, 2}, 1, 1, "0000000000000000"};
  for (size_t i = 0; i < std::size(others); ++i) {
    Json reads = Reads();
    reads[tensor][i] = others[i];
    EXPECT_THAT(Compare(reads), StartsWith(absl::StrCat("/dicts/0/tensors/0/", i))) << i;
  }
  for (const char* place : {"/dicts/0/paths/0", "/loose", "/metadata"}) {
    Json reads = Reads();
    reads[Json::json_pointer(place)] = "other";
    EXPECT_THAT(Compare(reads), StartsWith(place));
  }
}

TEST(CompareTest, TensorsAndDictionariesOfOneSideAreFound) {
  Json reads = Reads();
  reads["dicts"][0]["tensors"].erase(1);
  EXPECT_THAT(Compare(reads), HasSubstr("\"b\""));
  reads = Reads();
  reads["dicts"].push_back({{"paths", {"more"}}, {"tensors", Json::array()}});
  EXPECT_THAT(Compare(reads), HasSubstr("\"more\""));
}

TEST(CompareTest, AFileThatOnlyTheReferenceReadsIsADifference) {
  EXPECT_THAT(CompareWithReference("missing.pth", {{"reads", Reads()}}),
              StartsWith("is refused; the reference reads it"));
}

TEST(CompareTest, AFileThatMayBeRefusedIsComparedIfItIsRead) {
  const auto compare = [](const std::string& path, const Json& reads) {
    return CompareWithReference(path, {{"reads", reads}, {"or_refused", true}});
  };
  EXPECT_EQ(compare("missing.pth", Reads()), "");
  EXPECT_EQ(compare(SmallFile(), Reads()), "");
  EXPECT_THAT(compare(SmallFile(), {{"dicts", Json::array()}}), HasSubstr("Modelport reads"));
}

TEST(CompareTest, ARefusalHasTheCodeAndTextThatAreExpected) {
  const auto compare = [](const std::string& path, const std::string& code, const std::string& text) {
    return CompareWithReference(path, {{"refused", {code, text}}});
  };
  EXPECT_EQ(compare("missing.pth", "NOT_FOUND", "no such file"), "");
  EXPECT_EQ(compare("missing.pth", "", ""), "");
  EXPECT_THAT(compare("missing.pth", "DATA_LOSS", "no such file"), HasSubstr("wants DATA_LOSS"));
  EXPECT_THAT(compare("missing.pth", "NOT_FOUND", "dtype"),
              AllOf(HasSubstr("wants NOT_FOUND: dtype"), HasSubstr("no such file")));
  EXPECT_THAT(compare(SmallFile(), "", ""), StartsWith("is read"));
}

}  // namespace
}  // namespace modelport
