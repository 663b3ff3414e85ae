#ifndef MODELPORT_TOOLS_IMAGE_DRAW_TEXT_H_
#define MODELPORT_TOOLS_IMAGE_DRAW_TEXT_H_

#include "absl/strings/string_view.h"
#include "tools/image/picture.h"

namespace modelport {

// How many pixels wide `text` is with capitals of `size` pixels.
int TextWidth(absl::string_view text, int size);

// Draws one line of ASCII text. `x`, `y` is the top left corner of its first capital; capitals are `size` pixels high.
// Characters without a glyph are drawn as a box. What lies outside of the picture is left out.
void DrawText(absl::string_view text, int x, int y, int size, Rgb colour, Picture& picture);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DRAW_TEXT_H_
