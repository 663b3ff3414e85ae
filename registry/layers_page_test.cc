// Checks that docs/layers.md lists every module type and function of the families `layers` and `nuke`, and
// docs/transforms.md those of `transforms`.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

constexpr char kLayers[] = R"(# Shared layers

A plugin with `uses: [layers, nuke]` in its plugin.yaml can use these module types in `children` and these functions in its methods.
`layers` has the layers that models share, `nuke` those that wrappers for Nuke share. This page is made from `models/layers/*.yaml` and
`targets/nuke/*.yaml`; if it is out of date, `//registry:layers_page_test` fails and prints the new page.
)";

constexpr char kTransforms[] = R"(# Preparation of images

A plugin with `uses: [transforms]` in its plugin.yaml can use these module types and functions. They prepare images `[..., C, H, W]`, red, green and
blue first, batched or not, on any device and in every runtime. An image is uint8, 0 to 255, or floating, 0 to 1; any other dtype, an image without a
pixel and a wrong number of channels are errors with a message. Resizing, cropping and padding keep the dtype; resized uint8 images are rounded.
This page is made from `models/transforms/*.yaml`; if it is out of date, `//registry:layers_page_test` fails and prints the new page.

The presets in `presets.yaml` prepare images as the authors of the models did. A plugin puts one in front of its model in a wrapper for
[images](plugins.md#images), and `export --with_preprocess` exports that:

| family | in front of the model | result |
|:--|:--|:--|
| Depth Anything V2 | `DepthAnythingV2Image`, as upstream's `infer_image`: `forward(x, input_size=518)` | depth `[B, H, W]` at the image's size |
| Depth Anything 3 | `DepthAnything3Image`, as upstream's `inference()`: `forward(x[B, N, 3, H, W], process_res=504, ...)` | the model's dictionary. `forward` gives `depth`, `depth_conf` and `sky` at the image's size and intrinsics in its pixels; `inference`, with the same arguments, gives all of it at the size that the network sees, as upstream does. Given cameras are not taken: the artifact without `--with_preprocess` takes them |
| DINOv2 | `EvaluationImage` with `bicubic`: the centre of the image; `WholeImage` for `image_features(x, size=518)` | class token `[B, C]`; features of all patches `[B, C, rows, columns]` |
| DINOv2's classifiers | `EvaluationImage` with `bicubic` | logits `[B, 1000]`; `labels()` gives the names of the classes |
| ResNet | `EvaluationImage` with `bilinear`, the shorter side 256 or 232 as the weights want it | logits `[B, 1000]`; `labels()` gives the names of the classes |
| MoGe-2 | nothing: the model resizes and normalises images itself, with as many tokens as it is told: `forward(x, num_tokens=3600, fov_x=0, apply_mask=True)`, as upstream's `infer` | depth `[B, H, W]` and points `[B, H, W, 3]` in metres, normals, mask and intrinsics in pixels |
| Prompt Depth Anything | `resize_image` with `area` to multiples of 14, the longer side at most 1008, as upstream's `load_image`: `forward(x, prompt_depth, max_size=1008)`. Upstream takes a smaller image only if its sides are multiples of 14 | depth `[B, H, W]` at the image's size |
| BiRefNet | `resize_image` to the variant's size or, with `forward(x, side)`, to a longer side of so many pixels, as upstream's notebook | matte `[B, 1, H, W]` at the image's size |
| SAM 2 | `resize_image` to 1024 x 1024, whatever the aspect, as upstream's `SAM2ImagePredictor`: `forward(x, points, labels, side=1024)`. Points are in pixels of the image; uint8 images are not rounded after the resize | masks `[B, 4, H, W]` at the image's size |
| Video Depth Anything | frames resized in float32 by `resize_image` with `opencv_cubic` and normalised in float64, as upstream's `infer_video_depth`: `forward(x[B, T, 3, H, W], input_size=518)`, a smaller size for frames wider than 16:9 | a dictionary of `depth` `[B, T, H, W]` at the frames' size; more than 32 frames in windows that are fitted to one another, as upstream's |
| ViTMatte | `NormalizedImage`, and the trimap to 0..1, as upstream's `run_one_image.py`: `forward(x, trimap)`. The model normalises and pads by itself, so that without it only uint8 is missing | matte `[B, 1, H, W]` |
| DINOv2's depth models | `NormalizedImage`: the models take images of any size | metres `[B, H, W]` at the image's size |

Such an artifact has the submodules `preprocess`, which gives the network's input, and `model`, the model with all its methods.

How near this is to upstream was measured with opencv-python-headless 5.0.0.93, Pillow 12.3.0 and torchvision 0.28.0 (`models/transforms/testdata/references`):

| what | difference |
|:--|:--|
| the input that `DepthAnythingV2Image` makes of a uint8 image | none: the same bits as upstream's |
| the depth of `infer_image`, from end to end | at most 3e-6 of its range, on processors with and without AVX-512 |
| the input that `DepthAnything3Image` makes | none where the image is shrunk; where it is enlarged, 0.02 % of the values by one level of uint8. OpenCV without IPP rounds its cubic weights for uint8 to 11 bits, and 3 to 8 % of the values differ by up to two levels |
| `EvaluationImage` of a uint8 image, from torchvision's transforms of a Pillow image | none |
| the same from torchvision's transforms of a tensor | where `bilinear`, a fifth of the values by one level: torchvision's weights have 16 bits, Pillow's 22 |
| `EvaluationImage` of a floating image, from torchvision's transforms of a tensor | that of float32 |

- Of a floating image Depth Anything 3's preparation rounds nothing; upstream takes uint8 only, and rounds after each of its two resizes.
- An image that is more than 32 times as long as it is wide is an error where the shorter side decides the size: what the network then sees would
  fill the memory.
- `antialias` is for `bilinear` and `bicubic`. With it the filter is widened where an image is shrunk, as in Pillow; without it most of the
  pixels of a large image have no part in the result, as in OpenCV.
)";

std::string SignatureText(const Signature& signature) {
  const auto format = [](std::string* out, const Signature::Argument& argument) {
    absl::StrAppend(out, argument.name);
    if (argument.fallback.has_value()) absl::StrAppend(out, "=", argument.fallback->text());
  };
  return absl::StrCat(signature.name, "(", absl::StrJoin(signature.arguments, ", ", format), ")");
}

// "`f(x: Tensor) -> Tensor`" for each function or method that the text defines.
std::vector<std::string> Definitions(const SourceText& source) {
  std::vector<std::string> definitions;
  for (absl::string_view line : absl::StrSplit(source.text, '\n')) {
    if (!absl::ConsumePrefix(&line, "def ")) continue;
    absl::ConsumeSuffix(&line, ":");
    definitions.push_back(absl::StrCat("`", absl::StrReplaceAll(line, {{"(self, ", "("}, {"(self)", "()"}}), "`"));
  }
  return definitions;
}

// The section of one file.
std::string Section(const ModuleLibrary& library, const std::string& file) {
  std::string text = absl::StrCat("\n## ", file, "\n");
  bool has_types = false;
  for (const auto& type : library.own_types()) {
    if (type->mark.file != file) continue;
    if (!has_types) absl::StrAppend(&text, "\n| module type | methods | ports |\n|:--|:--|:--|\n");
    has_types = true;
    absl::StrAppend(&text, "| `", SignatureText(type->signature), "` | ",
                    absl::StrJoin(Definitions(type->methods), "<br>"), " | ", type->upstream, " |\n");
  }
  std::string functions;
  for (const SourceText& source : library.functions()) {
    if (source.file != file) continue;
    for (const std::string& definition : Definitions(source)) absl::StrAppend(&functions, "- ", definition, "\n");
  }
  return functions.empty() ? text : absl::StrCat(text, "\nFunctions:\n\n", functions);
}

// The sections of the files of one family.
std::string Sections(const std::string& family) {
  const absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> plugins =
      LinkPlugins(GroupByFolder(BuiltInPlugins().value()), {});
  EXPECT_OK(plugins);
  std::string text;
  for (const auto& plugin : *plugins) {
    if (plugin->family != family) continue;
    for (const PluginFolder& folder : GroupByFolder(BuiltInPlugins().value())) {
      if (folder.path != plugin->path) continue;
      for (const YamlFile* file : folder.modules_files()) text += Section(*plugin->library, file->path);
    }
  }
  EXPECT_NE(text, "") << "no family " << family;
  return text;
}

void ExpectPage(const std::string& path, const std::string& page) {
  std::ifstream stream(path);
  const std::string found(std::istreambuf_iterator<char>(stream), {});
  EXPECT_TRUE(found == page) << path << " is not up to date; it must be:\n" << page;
}

TEST(LayersPageTest, ListsEverySharedTypeAndFunction) {
  ExpectPage("docs/layers.md", absl::StrCat(kLayers, Sections("layers"), Sections("nuke")));
}

TEST(TransformsPageTest, ListsEveryTransform) {
  ExpectPage("docs/transforms.md", absl::StrCat(kTransforms, Sections("transforms")));
}

}  // namespace
}  // namespace modelport
