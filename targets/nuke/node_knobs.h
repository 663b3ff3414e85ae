// The knobs of Nuke's node for a model, and how its Inference node follows them.
#ifndef MODELPORT_TARGETS_NUKE_NODE_KNOBS_H_
#define MODELPORT_TARGETS_NUKE_NODE_KNOBS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// A knob of the node for a place in the image, in pixels of the plate and with handles in the Viewer. A model has
// numbers from 0 to 1 for it, knobs whose names tell that they belong together.
struct PlaceKnob {
  std::string name;  // "point_1" of point_1_x and point_1_y, "box_area" of box_left, box_bottom and so on.
  std::vector<std::string> parts;  // The model's knobs: x and y of a point, or left, bottom, right and top of a box.
};

std::vector<PlaceKnob> PlaceKnobs(const Manifest& manifest);

// Whether the node has no knob for it, but computes the time between two frames from the frame that it shows.
bool IsComputed(const Manifest::Knob& knob, const Manifest& manifest);

// FailedPrecondition if a knob of the model would have a name for which `is_own` says that the node has it.
absl::Status CheckKnobNames(const Manifest& manifest, const std::function<bool(const std::string& name)>& is_own);

// The lines of a gizmo that add the node's knobs, in the order of the model's; "" for a model without any.
std::string KnobLines(const Manifest& manifest);

// The expressions that link the knobs of the node's Inference node to them, in the form that this node itself saves.
std::string KnobLinks(const Manifest& manifest);

// A number as scripts have it.
std::string KnobNumber(double value);

// "point 1" of "point_1".
std::string KnobLabel(absl::string_view name);

// `text`, which the model says of itself, with the labels of its knobs in the place of their names.
std::string WithKnobLabels(absl::string_view text, const Manifest& manifest);

// Text within the quotes of Nuke's scripts, which are Tcl.
std::string EscapeTcl(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_NODE_KNOBS_H_
