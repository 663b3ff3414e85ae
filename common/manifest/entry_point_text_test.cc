#include "common/manifest/entry_point_text.h"

#include "common/manifest/main_output.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(EntryPointTextTest, AnImageHasItsShapeValuesAndSize) {
  Manifest::Input input;
  input.set_name("x");
  input.set_type("Tensor");
  for (const char* size : {"B", "3", "H", "W"}) input.add_shape(size);
  input.set_dtype("float32");
  input.set_normalised(true);
  input.set_multiple_of(14);
  input.set_resize("shorter_side");
  input.set_recommended_size(518);
  EXPECT_EQ(InputText(input),
            "Tensor [B, 3, H, W], float32, normalised, sides multiples of 14, best with a shorter side of 518");
  input.set_normalised(false);
  input.set_min(0);
  input.set_max(1);
  input.set_multiple_of(1);
  input.set_recommended_size(0);
  input.set_help("the plate");
  EXPECT_EQ(InputText(input), "Tensor [B, 3, H, W], float32, 0 to 1, any size: the plate");
  input.set_shape(2, "518");
  input.set_shape(3, "924");
  EXPECT_EQ(InputText(input), "Tensor [B, 3, 518, 924], float32, 0 to 1: the plate");
}

TEST(EntryPointTextTest, AnOutputHasItsUnitDirectionAndRange) {
  Manifest::Result output;
  output.set_dtype("float32");
  EXPECT_EQ(OutputText(output), "[], float32");
  for (const char* size : {"B", "H", "W"}) output.add_shape(size);
  output.set_unit("metres");
  output.set_larger_is("farther");
  output.set_min(0);
  output.set_only_with("infer_gs");
  EXPECT_EQ(OutputText(output), "[B, H, W], float32, metres, larger is farther, at least 0, only with infer_gs");
}

TEST(EntryPointTextTest, AValueThatIsNoTensorHasItsHelp) {
  Manifest::Result output;
  output.set_help("the names of the classes");
  EXPECT_EQ(OutputText(output), "the names of the classes");
}

TEST(EntryPointTextTest, OtherMethodsAreInternal) {
  Manifest manifest;
  manifest.add_methods("forward(Tensor x, int size=518) -> Tensor");
  manifest.add_methods("helper(Tensor x) -> Tensor");
  EXPECT_EQ(InternalMethods(manifest), 0);
  EXPECT_EQ(MainOutput(manifest).name(), "");
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  forward.set_returns("Tensor");
  forward.add_inputs()->set_name("x");
  Manifest::Input& size = *forward.add_inputs();
  size.set_name("size");
  size.set_default_value("518");
  forward.add_outputs()->set_name("depth");
  EXPECT_EQ(InternalMethods(manifest), 1);
  EXPECT_EQ(EntryPointSignature(forward), "forward(x, size=518) -> Tensor");
  EXPECT_EQ(MainOutput(manifest).name(), "depth");
}

}  // namespace
}  // namespace modelport
