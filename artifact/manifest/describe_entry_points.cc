#include "artifact/manifest/describe_entry_points.h"

#include <torch/csrc/jit/api/module.h>

#include <sstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/torchscript/proof/check_entry_points.h"

namespace modelport {
namespace {

template <typename Message>
void DescribePort(const Port& port, Message& entry) {
  entry.set_name(port.name);
  if (port.shape.has_value()) {
    for (const Expression& size : *port.shape) entry.add_shape(size.text());
  }
  if (port.min.has_value()) entry.set_min(*port.min);
  if (port.max.has_value()) entry.set_max(*port.max);
  entry.set_help(port.help);
}

std::string DTypeOf(const Port& port, DType weights) {
  if (!port.shape.has_value()) return "";
  return port.dtype.empty() ? std::string(DTypeName(weights)) : port.dtype;
}

void DescribeImage(const Port& port, const Preprocessing& preprocessing, Manifest::Input& input) {
  const bool is_prepared = port.image == "prepared";
  input.set_layout(port.shape->size() == 5 ? "BNCHW" : "NCHW");
  input.set_normalised(is_prepared && !preprocessing.mean.empty());
  if (!input.normalised()) {
    input.set_min(0);
    input.set_max(1);
  }
  if (port.image == "any") input.set_dtype("uint8 or floating");
  input.set_multiple_of(is_prepared ? preprocessing.multiple_of : 1);
  input.set_resize(port.resize);
  input.set_recommended_size(port.size.value_or(0));
}

void DescribeInput(const Port& port, const c10::Argument& argument, const Preprocessing& preprocessing, DType dtype,
                   Manifest::Input& input) {
  DescribePort(port, input);
  input.set_type(argument.type()->annotation_str());
  if (argument.default_value().has_value()) {
    std::ostringstream text;
    text << *argument.default_value();
    input.set_default_value(argument.default_value()->isString() ? absl::StrCat("\"", text.str(), "\"") : text.str());
  }
  input.set_dtype(DTypeOf(port, dtype));
  if (!port.image.empty()) DescribeImage(port, preprocessing, input);
}

void DescribeOutput(const Port& port, const std::string& place, DType dtype, Manifest::Result& output) {
  DescribePort(port, output);
  output.set_place(place);
  output.set_dtype(DTypeOf(port, dtype));
  output.set_unit(port.unit);
  output.set_larger_is(port.larger_is);
  output.set_only_with(port.only_with);
  output.set_only_without(port.only_without);
}

}  // namespace

void DescribeEntryPoints(const std::vector<EntryPoint>& entry_points, const torch::jit::Module& module,
                         const Preprocessing& preprocessing, DType dtype, Manifest& manifest) {
  for (const EntryPoint& entry_point : entry_points) {
    Manifest::EntryPoint& entry = *manifest.add_entry_points();
    const c10::FunctionSchema& schema = module.get_method(entry_point.method).function().getSchema();
    const c10::Type& result = *schema.returns()[0].type();
    entry.set_method(entry_point.method);
    for (size_t i = 0; i < entry_point.inputs.size(); ++i) {
      DescribeInput(entry_point.inputs[i], schema.arguments()[i + 1], preprocessing, dtype, *entry.add_inputs());
    }
    entry.set_returns(result.annotation_str());
    const auto places = OutputPlaces(entry_point, result);
    for (size_t i = 0; i < entry_point.outputs.size(); ++i) {
      DescribeOutput(entry_point.outputs[i], places->at(i), dtype, *entry.add_outputs());
    }
  }
}

}  // namespace modelport
