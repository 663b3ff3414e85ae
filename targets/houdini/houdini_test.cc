#include "targets/houdini/houdini.h"

#include <string>
#include <vector>

#include "common/manifest/manifest.pb.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Manifest MakeManifest() {
  Manifest manifest;
  manifest.mutable_request()->set_model("m");
  manifest.set_title("Some Model");
  manifest.mutable_weights()->set_seeded("seeded:v1:0");
  for (const char* channel : {"rgba.red", "rgba.green", "rgba.blue"}) {
    manifest.mutable_interface()->add_channels_in(channel);
  }
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.add_inputs()->set_name("x");
  for (const char* size : {"B", "C", "H", "W"}) forward.mutable_inputs(0)->add_shape(size);
  forward.add_outputs()->set_name("depth");
  for (const char* size : {"B", "1", "H", "W"}) forward.mutable_outputs(0)->add_shape(size);
  for (const auto& [letter, number] : {std::pair("B", 1), std::pair("C", 3)}) {
    Manifest::Size& size = *manifest.mutable_request()->add_sizes();
    size.set_letter(letter);
    size.set_size(number);
  }
  return manifest;
}

TEST(HoudiniTest, ThePageHasTheSettingsOfTheNode) {
  ASSERT_OK_AND_ASSIGN(const std::vector<PackageFile> files, HoudiniTarget().package(MakeManifest(), ""));
  ASSERT_EQ(files.size(), 1);
  EXPECT_EQ(files[0].name, "README.md");
  EXPECT_THAT(files[0].text, AllOf(HasSubstr("| Model File | `m.onnx` |"), HasSubstr("shape `1 3 -1 -1`"),
                                   HasSubstr("shape `1 1 -1 -1`"), HasSubstr("red, green and blue"),
                                   Not(HasSubstr("@")), Not(HasSubstr("SEEDED")), Not(HasSubstr("!["))));
}

TEST(HoudiniTest, ThePageShowsThePicture) {
  ASSERT_OK_AND_ASSIGN(const std::vector<PackageFile> files, HoudiniTarget().package(MakeManifest(), "m_picture.png"));
  EXPECT_THAT(files[0].text, HasSubstr("![What m.onnx makes of an image](m_picture.png)"));
}

TEST(HoudiniTest, SeededWeightsAndAFourthChannelAreSaid) {
  Manifest manifest = MakeManifest();
  manifest.set_warning("seeded weights");
  manifest.mutable_interface()->add_channels_in("rgba.alpha");
  manifest.mutable_entry_points(0)->mutable_inputs(0)->set_help("alpha takes the trimap");
  ASSERT_OK_AND_ASSIGN(const std::vector<PackageFile> files, HoudiniTarget().package(manifest, ""));
  EXPECT_THAT(files[0].text, AllOf(HasSubstr("SEEDED"), HasSubstr("a fourth: alpha takes the trimap")));
}

TEST(HoudiniTest, FramesOfOneInputAreSaid) {
  Manifest manifest = MakeManifest();
  for (const char* channel : {"forward.u", "forward.v", "backward.u"}) {
    manifest.mutable_interface()->add_channels_in(channel);
  }
  for (const int frame : {0, 1}) manifest.mutable_interface()->add_frames(frame);
  ASSERT_OK_AND_ASSIGN(std::vector<PackageFile> files, HoudiniTarget().package(manifest, ""));
  EXPECT_THAT(files[0].text, HasSubstr("red, green and blue of the frame, then of that at +1 from it"));
  manifest.mutable_interface()->add_frames(-2);
  ASSERT_OK_AND_ASSIGN(files, HoudiniTarget().package(manifest, ""));
  EXPECT_THAT(files[0].text, HasSubstr("red, green and blue of the frame, then of those at +1, -2 from it"));
}

}  // namespace
}  // namespace modelport
