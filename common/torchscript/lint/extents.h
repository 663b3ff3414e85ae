#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_EXTENTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_EXTENTS_H_

#include <ATen/core/Tensor.h>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/step.h"

namespace modelport {

// The extents of a tensor that the file holds.
Extents FixedExtents(const at::Tensor& tensor);

// The extents of the results of `step`. Where an operator may lose the size of the image, as a mean does, they are
// unknown.
Extents ResultExtents(const Step& step);

// Whether `step` is a view, reshape or expand that gives a tensor whose sizes follow the image other ones, none of
// which does: an image of another size has another number of elements.
bool FixesShape(const Step& step);

// Whether `step` resizes a tensor whose sizes follow the image to a size that does not.
bool FixesResize(const Step& step);

// Whether `step` combines, element by element, a tensor whose sizes follow the image with a table of fixed sizes, of
// which more than one is larger than 1. A bias or a scale for each channel is no such table.
bool AddsTable(const Step& step);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_EXTENTS_H_
