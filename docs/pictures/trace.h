#ifndef MODELPORT_DOCS_PICTURES_TRACE_H_
#define MODELPORT_DOCS_PICTURES_TRACE_H_

#include <vector>

#include "docs/pictures/scene.h"
#include "tools/image/picture.h"

namespace modelport {

// Depths end here, in metres; the sky and what is farther have this one.
inline constexpr double kDepthLimit = 20;

// How wide the picture is at distance 1.
inline constexpr double kPictureWidth = 1.25;

// The picture of a scene. Each pixel is the mean of `samples` x `samples` rays.
Picture DrawScene(const Scene& scene, int width, int height, int samples);

// The depth of each pixel's centre, row by row: metres along the axis of the camera, at most kDepthLimit.
std::vector<float> SceneDepth(const Scene& scene, int width, int height);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_TRACE_H_
