// What a model says of images.
#ifndef MODELPORT_TOOLS_PREDICT_RUN_PREDICTION_H_
#define MODELPORT_TOOLS_PREDICT_RUN_PREDICTION_H_

#include <ATen/core/Tensor.h>

#include <string>

#include "tools/image/picture.h"
#include "tools/predict/run/prompt.h"

namespace modelport {

// What a model says of one image. Tensors that it does not give are undefined; the others are float32, dense and on the
// CPU.
struct Prediction {
  // The part of `flow` into the next frame, [2, H, W].
  at::Tensor onward() const { return flow.slice(0, -2); }

  at::Tensor depth = {};         // [H, W], of the image's size.
  at::Tensor mask = {};          // [H, W], 1 where there is a depth and 0 elsewhere, where the depth is infinite.
  at::Tensor normals = {};       // [3, H, W], unit vectors in the camera's axes; 0 where the mask is 0.
  at::Tensor node_normals = {};  // [3, H, W], the same of a node for a host, in the axes that it gives.
  at::Tensor confidence = {};    // [H, W], from 1.
  at::Tensor sky = {};           // [H, W], 0.3 and more is sky.
  at::Tensor extrinsics =
      {};  // [3, 4], from the world to the camera; of a model of one view the world is the camera's.
  at::Tensor intrinsics = {};  // [3, 3], in pixels of the image.
  at::Tensor alpha = {};       // [H, W], of the image's size: the opacity of the foreground, 0 to 1.
  Prompt prompt = {};          // What the foreground of alpha was said to be.
  at::Tensor colour = {};      // [3, h, w], an image of another size, 0 to 1.
  // In pixels right and down. [2, H, W]: from the first of two frames into the second. [4, H, W]: from a frame between
  // two into the first, then into the second.
  at::Tensor flow = {};
  at::Tensor features = {};  // [C, h, w], one vector for each patch.
  at::Tensor scores = {};    // [classes], not normalised.
};

// A view of a scene.
struct View {
  std::string path;
  Image image;
  Prediction prediction;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_PREDICTION_H_
