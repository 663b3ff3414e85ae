#ifndef MODELPORT_TOOLS_IMAGE_LEGEND_H_
#define MODELPORT_TOOLS_IMAGE_LEGEND_H_

#include <string>

#include "tools/image/colour_map.h"
#include "tools/image/picture.h"

namespace modelport {

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

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_LEGEND_H_
