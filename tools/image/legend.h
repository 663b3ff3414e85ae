#ifndef MODELPORT_TOOLS_IMAGE_LEGEND_H_
#define MODELPORT_TOOLS_IMAGE_LEGEND_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/image/colour_map.h"
#include "tools/image/picture.h"

namespace modelport {

// From the smaller to the larger of two values.
struct ValueRange {
  double min = 0;
  double max = 0;
};

// The range that `text` says, "MIN,MAX": two finite numbers, the smaller first. nullopt for any other text.
absl::optional<ValueRange> ParseRange(absl::string_view text);

// What the colours of a picture mean.
struct Legend {
  ColourMap map;
  bool reversed = false;  // The smallest value has the map's last colour.
  double min = 0;         // The values of the bar's ends.
  double max = 1;
  std::string text;     // What the values are: "metres", "relative depth: larger is nearer".
  std::string warning;  // Drawn in red above the bar; may be empty.
};

// The colour of `value`.
Rgb LegendColour(const Legend& legend, double value);

// `picture` above lines of text: `warning`, in red, unless it is empty, and `text`. A narrow picture gets a border, so
// that they have room.
Picture WithCaption(const Picture& picture, const std::string& text, const std::string& warning);

// `picture` above its caption and a bar of the colours, with its smallest, middle and largest value.
Picture WithLegend(const Picture& picture, const Legend& legend);

// How many pixels wide `text` is with capitals of `size` pixels.
int TextWidth(absl::string_view text, int size);

// Draws one line of ASCII text. `x`, `y` is the top left corner of its first capital; capitals are `size` pixels high.
// Characters without a glyph are drawn as a box. What lies outside of the picture is left out.
void DrawText(absl::string_view text, int x, int y, int size, Rgb colour, Picture& picture);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_LEGEND_H_
