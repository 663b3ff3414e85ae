#ifndef MODELPORT_DOCS_PICTURES_SCENE_H_
#define MODELPORT_DOCS_PICTURES_SCENE_H_

#include "tools/image/picture.h"

namespace modelport {

// A drawn scene with depth in it, for the pictures of the documentation: balls on a floor of tiles below a sky.
Picture DrawScene(int width, int height);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_SCENE_H_
