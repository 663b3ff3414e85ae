#ifndef MODELPORT_TESTS_NUKE_NUKE_MODEL_H_
#define MODELPORT_TESTS_NUKE_NUKE_MODEL_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/module_tree/entry_point.h"

namespace modelport {

// A test model with seeded weights, exported for Nuke and for libtorch; both artifacts are loaded back. `name` is one
// of NukeTestModels().
struct NukeModel {
  std::string name;
  torch::jit::Module nuke;
  torch::jit::Module plain;

  // The output of `nuke` for an image [B, C, H, W].
  at::Tensor Run(const at::Tensor& image) const;

  // Sets the knobs, which keep these values, and runs `nuke`.
  at::Tensor Run(const at::Tensor& image, const std::map<std::string, c10::IValue>& knobs);

  // What both sides of an image are padded to a multiple of.
  int64_t multiple_of() const;

  // The images [B, C, H, W] as the model's preprocessing normalises them, [B, 3, H, W].
  at::Tensor Normalised(const at::Tensor& rgb) const;

  // The output of `plain`, a model of the catalog, for normalised images [B, 3, h, w] whose sides are such multiples:
  // depth [B, 1, h, w], the first four features [B, 4, h, w], the probability of the first class [B, 1, h, w], or
  // normals [B, 3, h, w].
  at::Tensor RunPlain(const at::Tensor& normalised) const;
};

// Exports the model of this name at the first call. Returns a copy.
NukeModel GetNukeModel(const std::string& name);

// The same model, for Nuke in half precision.
NukeModel Half(NukeModel model);

// The TorchScript in the archive of `module`.
std::string SavedCode(const torch::jit::Module& module);

// Seeded values in 0..1.
at::Tensor SeededImage(int64_t batch, int64_t channels, int64_t height, int64_t width);

// The largest difference of two elements, as a part of the range of `expected`, which must not be constant.
double RelativeDifference(const at::Tensor& expected, const at::Tensor& actual);

// The same as a part of the largest element of `expected`, or of 0.001 where that is more.
double PartOfLargest(const at::Tensor& expected, const at::Tensor& actual);

// Whether `name` is a model in the wrapper of class maps.
bool IsClassMap(const std::string& name);

// Whether `name` is a model in the wrapper of normals.
bool IsNormals(const std::string& name);

// What the plugin of `name` states of its depth, as a result of forward or else of image_depth; null if it has none.
const Port* FindDepth(const std::string& name);

// Whether the depth of `name` is a result of image_depth only, which recovers a camera from the points that a mask
// leaves.
bool FindsCamera(const std::string& name);

// Whether the plugin states a nearest depth above 0. With seeded weights the depths of such models differ little from
// pixel to pixel, or not at all, so that rounding is a large part of the range.
bool HasNearestDepth(const std::string& name);

// Whether `name` gives the pixels of the sky a depth of their own, where a threshold decides which these are.
bool FillsSky(const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_TESTS_NUKE_NUKE_MODEL_H_
