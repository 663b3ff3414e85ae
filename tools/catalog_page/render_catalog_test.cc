#include "tools/catalog_page/render_catalog.h"

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/manifest/manifest.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Manifest Toy() {
  Manifest manifest;
  manifest.mutable_request()->set_model("toy_small");
  manifest.set_family("toy");
  manifest.set_summary("two scales");
  manifest.mutable_request()->set_target("libtorch");
  manifest.mutable_request()->set_dtype("float32");
  Manifest::Checkpoint& checkpoint = *manifest.mutable_weights()->add_checkpoints();
  checkpoint.set_source("sha256:0a1b");
  checkpoint.set_layout("original");
  checkpoint.set_published("yes");
  manifest.set_weights_licence("CC-BY-NC-4.0");
  manifest.set_weights_url("https://example.org/toy.pth?a=1&b=2");
  manifest.mutable_upstream()->set_licence("MIT");
  manifest.mutable_upstream()->set_source("https://example.org/source");
  manifest.mutable_upstream()->set_commit("c0ffee");
  manifest.mutable_artifact()->set_sha256("5a11");
  manifest.mutable_artifact()->set_size_bytes(99204809);
  manifest.set_parameters(24785089);
  manifest.set_minimum_runtime("1.12");
  manifest.add_methods("forward(Tensor x) -> Tensor");
  Manifest::Preprocessing& preprocessing = *manifest.mutable_preprocessing();
  for (const double mean : {0.485, 0.456, 0.406}) preprocessing.add_mean(mean);
  for (const double std : {0.229, 0.224, 0.225}) preprocessing.add_std(std);
  preprocessing.set_multiple_of(14);
  Manifest::RoundTrip& proof = *manifest.mutable_round_trip();
  proof.set_proven(true);
  proof.set_tensors(239);
  proof.set_methods(7);
  Manifest::Output& output = *proof.add_outputs();
  output.set_call("forward([1, 3, 28, 42])");
  output.set_max_abs(3e-6);
  output.set_relative(6e-7);
  for (const int size : {1, 28, 42}) output.add_shape(size);
  return manifest;
}

// What the page of `manifests` shows, with each run of spaces and line ends as one space.
std::string Page(const std::vector<Manifest>& manifests) {
  absl::StatusOr<std::string> page = CatalogHtml(manifests);
  EXPECT_OK(page.status());
  std::string text = page->substr(page->find("<body>"));
  text = absl::StrReplaceAll(text.substr(0, text.find("\n<script>\n\"use strict\"")), {{"\n", " "}});
  while (absl::StrReplaceAll({{"  ", " "}}, &text) > 0) continue;
  return text;
}

TEST(RenderCatalogTest, TheJsonHoldsTheManifests) {
  Manifest other = Toy();
  other.mutable_request()->set_model("toy_large");
  ASSERT_OK_AND_ASSIGN(const std::string text, CatalogJson({Toy(), other}));
  const nlohmann::json json = nlohmann::json::parse(text);
  ASSERT_EQ(json["models"].size(), 2);
  ASSERT_OK_AND_ASSIGN(const std::string toy, WriteManifest(Toy()));
  EXPECT_EQ(json["models"][0], nlohmann::json::parse(toy));
  EXPECT_EQ(json["models"][1]["request"]["model"], "toy_large");
}

TEST(RenderCatalogTest, ARowHasWhatAReaderLooksFor) {
  EXPECT_THAT(Page({Toy()}),
              AllOf(HasSubstr("<p>1 artifact, each"), HasSubstr("<th scope=\"row\" role=\"rowheader\">toy_small</th>"),
                    HasSubstr(">toy</td>"), HasSubstr(">24.8 M</td>"), HasSubstr(">99.2 MB</td>"),
                    HasSubstr(">CC-BY-NC-4.0</span> </td>"), HasSubstr(">libtorch</td>"), HasSubstr(">1.12</td>"),
                    HasSubstr("> within 6e-07 </td>"), Not(HasSubstr("NOT PROVEN")), Not(HasSubstr("see its proof"))));
}

TEST(RenderCatalogTest, DetailsHaveTheRestOfTheManifest) {
  EXPECT_THAT(Page({Toy()}),
              AllOf(HasSubstr("99204809 bytes, float32, sha256 <code class=\"hash\">5a11</code>"),
                    HasSubstr("checkpoint <code class=\"hash\">sha256:0a1b</code>, layout original"),
                    HasSubstr("published as <a href=\"https://example.org/toy.pth?a=1&amp;b=2\">"),
                    HasSubstr("MIT: <a href=\"https://example.org/source\">https://example.org/source</a> at commit "
                              "<code>c0ffee</code>"),
                    HasSubstr("RGB in 0..1, minus [0.485, 0.456, 0.406], divided by [0.229, 0.224, 0.225]; both sides "
                              "multiples of 14 pixels"),
                    HasSubstr("<code>forward(Tensor x) -&gt; Tensor</code>"),
                    HasSubstr("239 tensors bitwise equal, 7 methods equal, 1 output equal within 6e-07")));
  EXPECT_THAT(Page({Toy()}), HasSubstr("<td><code>forward([1, 3, 28, 42])</code></td><td>[1, 28, 42]</td>"
                                       "<td>within 6e-07</td>"));
}

TEST(RenderCatalogTest, AnySizeAndSeveralOutputsAreSaidSo) {
  Manifest manifest = Toy();
  manifest.mutable_preprocessing()->set_multiple_of(1);
  manifest.mutable_round_trip()->mutable_outputs(0)->clear_shape();
  EXPECT_THAT(Page({manifest}), AllOf(HasSubstr("[0.229, 0.224, 0.225]; any size"), Not(HasSubstr("multiples of")),
                                      HasSubstr("</code></td><td>several tensors</td>")));
}

TEST(RenderCatalogTest, NumbersAreSortedByTheirValue) {
  EXPECT_THAT(Page({Toy()}),
              AllOf(HasSubstr("data-key=\"24785089\">24.8 M"), HasSubstr("data-key=\"99204809\">99.2 MB"),
                    HasSubstr("data-key=\"6e-07\"> within")));
}

TEST(RenderCatalogTest, SeededWeightsAreMarkedInTheRowItsDetailsAndAboveTheTable) {
  Manifest seeded = Toy();
  seeded.set_warning("SEEDED weights: predicts nothing");
  seeded.mutable_weights()->set_seeded("seeded:v1:0");
  const std::string mark = "<strong class=\"warning\">SEEDED weights: predicts nothing</strong> ";
  EXPECT_THAT(Page({Toy(), seeded}),
              AllOf(HasSubstr("SEEDED</strong> weights in 1 artifact: random numbers"),
                    HasSubstr("<summary> " + mark + "two scales"),
                    HasSubstr("<dd>" + mark + "random numbers, <code>seeded:v1:0</code>; no checkpoint was read"),
                    HasSubstr("licence of the published weights, which this artifact does not hold")));
  EXPECT_THAT(Page({Toy()}), AllOf(Not(HasSubstr("SEEDED")), Not(HasSubstr("does not hold"))));
}

TEST(RenderCatalogTest, OwnWeightsAreMarkedAndAreNotCalledPublished) {
  Manifest own = Toy();
  own.mutable_weights()->mutable_checkpoints(0)->set_published("no");
  Manifest::Argument& argument = *own.mutable_request()->add_arguments();
  argument.set_name("max_depth");
  argument.set_value("35.0");
  const std::string mark = "<strong class=\"warning\">OWN WEIGHTS";
  EXPECT_THAT(Page({Toy(), own}),
              AllOf(HasSubstr(mark + "</strong> in 1 artifact: of another checkpoint"),
                    HasSubstr("<summary> " + mark + ": not the published"),
                    HasSubstr("<dd>" + mark + "</strong> not the published file</dd>"),
                    HasSubstr("<span>published:</span> <span class=\"whole\">CC-BY-NC-4.0"),
                    HasSubstr("which it does not hold: <a href=\"https://example.org/toy.pth"),
                    HasSubstr("<dd>set: <code>max_depth=35.0</code></dd>"), HasSubstr("this artifact does not hold")));
  EXPECT_THAT(Page({own}), Not(HasSubstr("published as")));
  EXPECT_THAT(Page({Toy()}),
              AllOf(Not(HasSubstr("OWN")), Not(HasSubstr("does not hold")), Not(HasSubstr("<dd>set: "))));
}

TEST(RenderCatalogTest, WeightsThatNobodyComparedAreCalledNeither) {
  Manifest manifest = Toy();
  manifest.mutable_weights()->mutable_checkpoints(0)->clear_published();
  EXPECT_THAT(Page({manifest}), AllOf(HasSubstr("the model's weights are published as <a href"),
                                      HasSubstr("nobody compared"), Not(HasSubstr("OWN"))));
}

TEST(RenderCatalogTest, ADisputedLicenceIsShownWithWhatEachSourceSays) {
  Manifest disputed = Toy();
  for (const char* licence : {"CC-BY-NC-4.0", "Apache-2.0"}) {
    Manifest::LicenceClaim& claim = *disputed.add_licence_claims();
    claim.set_licence(licence);
    claim.set_url(absl::StrCat("https://example.org/", licence));
  }
  EXPECT_THAT(Page({disputed}),
              AllOf(HasSubstr("<strong class=\"warning\">disputed</strong> "
                              "<a class=\"whole\" href=\"https://example.org/CC-BY-NC-4.0\">CC-BY-NC-4.0</a> "
                              "<a class=\"whole\" href=\"https://example.org/Apache-2.0\">Apache-2.0</a> </td>"),
                    HasSubstr("<dd>Apache-2.0 according to <a href=\"https://example.org/Apache-2.0\">https://")));
  EXPECT_THAT(Page({Toy()}), Not(HasSubstr("disputed")));
}

TEST(RenderCatalogTest, ANoteStandsBesideTheLicence) {
  Manifest noted = Toy();
  noted.set_licence_note("the weights were trained on pictures of others");
  EXPECT_THAT(Page({noted}), HasSubstr("</dd> <dd>the weights were trained on pictures of others</dd> <dt>licence of"));
}

TEST(RenderCatalogTest, KnobsHaveValueRangeAndHelp) {
  Manifest wrapped = Toy();
  wrapped.mutable_request()->set_target("nuke");
  Manifest::EntryPoint& forward = *wrapped.add_entry_points();
  forward.set_method("forward");
  forward.add_outputs()->set_larger_is("farther");
  wrapped.mutable_preprocessing()->set_inside(true);
  wrapped.mutable_interface()->set_kind("depth");
  wrapped.mutable_interface()->add_channels_in("rgba.red");
  wrapped.mutable_interface()->add_channels_out("depth.Z");
  Manifest::Knob& knob = *wrapped.add_knobs();
  knob.set_name("max_size");
  knob.set_type("int");
  knob.set_value(1008);
  knob.set_max(100000);
  knob.set_help("Longest side");
  EXPECT_THAT(Page({wrapped}), AllOf(HasSubstr("<code>max_size</code></td><td>int</td><td>1008</td><td>0 to 100000</td>"
                                               "<td>Longest side</td>"),
                                     HasSubstr("channels: rgba.red to depth.Z (depth, larger is farther)"),
                                     HasSubstr("of any size: the artifact prepares it")));
  EXPECT_THAT(Page({Toy()}), AllOf(HasSubstr("<dt>knobs</dt> <dd>none</dd>"), Not(HasSubstr("channels:"))));
}

TEST(RenderCatalogTest, PreparationIsAsTheModelWantsIt) {
  Manifest plain = Toy();
  plain.mutable_preprocessing()->clear_mean();
  plain.mutable_preprocessing()->clear_std();
  EXPECT_THAT(Page({plain}), HasSubstr("RGB in 0..1; both sides multiples of 14 pixels"));
  plain.mutable_preprocessing()->set_channels(4);
  plain.mutable_preprocessing()->add_size(224);
  plain.mutable_preprocessing()->add_size(280);
  EXPECT_THAT(Page({plain}), HasSubstr("4 channels, RGB first, in 0..1; 224 x 280 pixels"));
  plain.mutable_interface()->set_kind("scores");
  EXPECT_THAT(Page({plain}), HasSubstr("channels: scores"));
}

TEST(RenderCatalogTest, WhatIsNotProvenIsMarkedAndSortedLast) {
  Manifest unproven = Toy();
  unproven.clear_round_trip();
  EXPECT_THAT(Page({unproven}), HasSubstr("data-key=\"1\"> <strong class=\"warning\">NOT PROVEN</strong> </td>"));
}

TEST(RenderCatalogTest, WhatQualifiesAProofIsShown) {
  Manifest qualified = Toy();
  Manifest::Output& magnified = *qualified.mutable_round_trip()->add_outputs();
  magnified.set_relative(0.01);
  magnified.set_equal_on_same_memory(true);
  EXPECT_THAT(Page({qualified}), AllOf(HasSubstr("data-key=\"6e-07\"> within 6e-07 (see its proof) </td>"),
                                       HasSubstr("<td>bitwise equal on the same memory, else within 1e-02</td>")));
  qualified = Toy();
  qualified.mutable_round_trip()->mutable_outputs(0)->set_nan(2);
  EXPECT_THAT(Page({qualified}), AllOf(HasSubstr("see its proof"), HasSubstr("within 6e-07; 2 NaN, 0 infinite")));
  qualified = Toy();
  qualified.mutable_round_trip()->set_kernel_fault("aten::conv2d(bfloat16) gives other outputs for equal inputs");
  EXPECT_THAT(Page({qualified}), AllOf(HasSubstr("see its proof"), HasSubstr("of the export, aten::conv2d(bfloat16)")));
}

TEST(RenderCatalogTest, AnOnnxFileHasItsOpsetAndWhatItHasFixed) {
  Manifest onnx = Toy();
  onnx.mutable_request()->set_target("flame");
  onnx.clear_minimum_runtime();
  onnx.mutable_request()->set_opset(17);
  Manifest::Size& size = *onnx.mutable_request()->add_sizes();
  size.set_letter("H");
  size.set_size(540);
  Manifest::KnobValue& knob = *onnx.mutable_request()->add_knobs();
  knob.set_name("convention");
  knob.set_value(1);
  onnx.mutable_artifact()->set_size_bytes(1e6);
  onnx.mutable_artifact()->mutable_data()->set_size_bytes(4e9);
  EXPECT_THAT(Page({onnx}), HasSubstr("4.00 GB"));
  EXPECT_THAT(Page({onnx}), AllOf(HasSubstr(">ONNX, opset 17</td>"), HasSubstr("<dd>sizes: <code>H=540</code></dd>"),
                                  HasSubstr("<dd>knobs: <code>convention=1</code></dd>")));
  EXPECT_THAT(Page({Toy()}), AllOf(Not(HasSubstr("<dd>sizes: ")), Not(HasSubstr("<dd>knobs: "))));
}

// Fills every text of `message`, also those of lists and parts, with `text`.
void FillTexts(const std::string& text, google::protobuf::Message* message) {
  const auto* reflection = message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const auto* field = message->GetDescriptor()->field(i);
    const bool is_text = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
    const bool is_part = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_text && field->is_repeated()) reflection->AddString(message, field, text);
    if (is_text && !field->is_repeated()) reflection->SetString(message, field, text);
    if (is_part) {
      FillTexts(text, field->is_repeated() ? reflection->AddMessage(message, field)
                                           : reflection->MutableMessage(message, field));
    }
  }
}

TEST(RenderCatalogTest, NoTextOfAManifestIsMarkup) {
  Manifest hostile;
  FillTexts("<script>alert('1')</script>\" onclick=\"alert(1)&\x1b\n@model@", &hostile);
  const std::string page = Page({hostile});
  EXPECT_THAT(page,
              HasSubstr("&lt;script&gt;alert('1')&lt;/script&gt;&quot; onclick=&quot;alert(1)&amp;\\x1b\\n@model@"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("\" onclick")), Not(HasSubstr("\x1b"))));
}

TEST(RenderCatalogTest, OnlyWebAddressesAreLinks) {
  Manifest hostile;
  FillTexts("javascript:alert(1)", &hostile);
  EXPECT_THAT(Page({hostile}), AllOf(HasSubstr("<a href=\"\">javascript:alert(1)</a>"), Not(HasSubstr("\"javascript:")),
                                     Not(testing::ContainsRegex("<[^>]*=javascript:"))));
}

TEST(RenderCatalogTest, ThePageLoadsNothing) {
  ASSERT_OK_AND_ASSIGN(const std::string page, CatalogHtml({Toy()}));
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"), Not(HasSubstr("src=")), Not(HasSubstr("<link")),
                          Not(HasSubstr("@import")), Not(HasSubstr("url("))));
}

}  // namespace
}  // namespace modelport
