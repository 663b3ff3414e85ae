// An entry point is a method that programs call: what each argument takes and what each part of the result is.
#ifndef MODELPORT_COMMON_MODULE_TREE_ENTRY_POINT_H_
#define MODELPORT_COMMON_MODULE_TREE_ENTRY_POINT_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/yaml/document.h"

namespace modelport {

// What a plugin says of an argument, or of a part of a result, and what depends on no argument of the module type.
struct PortFacts {
  std::string name;   // Of the argument, or of the part: its key, if the result is a dictionary.
  std::string dtype;  // Of a tensor: "float32", "bool", "int64"; "": that of the artifact's weights.
  std::string help;   // One line for a user; may be empty.

  // Of an argument.
  // Of an image: "prepared" as the plugin's preprocessing says; "unit": 0..1, of any size; "any": uint8 or 0..1, of any
  // dtype and size. Else "".
  std::string image;
  std::string resize;  // How upstream brings an image to `size`: "shorter_side", "longer_side", "center_crop"; or "".

  // Of a part of the result.
  std::string unit;       // "metres"; "" if it has none.
  std::string larger_is;  // "nearer" or "farther"; "" if it is no depth.
  // The argument without which the result lacks this part, and the one with which it does; "" if there is none. Where
  // the part of a tuple is lacking, it is an empty tensor.
  std::string only_with;
  std::string only_without;
};

// An argument or a part of the result, in one module.
struct Port : PortFacts {
  // Of a tensor: a size for each dimension, whose names are symbols: [B, 3, H, W], [B, 384, H // 14, W // 14].
  absl::optional<std::vector<Expression>> shape;
  absl::optional<int64_t> size;  // Of an image: the recommended side in pixels.
  absl::optional<double> min;    // Of the values.
  absl::optional<double> max;
  // Of a part of the result: the argument of the module type that is 0 where this part, and all that only it needs, is
  // left out; "" if there is none.
  std::string switched_by;
  std::string place;  // Where it is written, "toy/modules.yaml:12:5".
};

struct EntryPoint {
  std::string method;
  std::vector<Port> inputs;  // The method's arguments, in order.
  // The parts of its result, in order. Two that follow each other, the first `only_without` and the second `only_with`
  // the same argument, are one part.
  std::vector<Port> outputs;
  std::string place;  // Where it is written.
};

// A Port as a plugin's YAML states it.
struct PortDecl : PortFacts {
  absl::optional<std::vector<Expression>> shape;
  absl::optional<Expression> size;
  absl::optional<Expression> min;
  absl::optional<Expression> max;
  absl::optional<Expression> when;         // The port exists only where this is neither 0 nor false.
  absl::optional<Expression> switched_by;  // Likewise; the name of an argument.
  // "model" and "forward" of `as: model.forward`: takes what is not stated here from the port of this name there.
  std::string as_child;
  std::string as_method;
  YamlMark mark;
};

struct EntryPointDecl {
  std::string method;
  absl::optional<Expression> when =
      {};  // It exists only where this is neither 0 nor false; it may use arguments alone.
  std::vector<PortDecl> inputs;
  std::vector<PortDecl> outputs;
  YamlMark mark;
};

// Whether `name` is a symbol of a shape, such as B or H: a single letter.
bool IsShapeSymbol(absl::string_view name);

// Whether `second` is what the part `first`, which stands before it, is with an argument.
bool AreAlternatives(const Port& first, const Port& second);

// The entry point of this name; null if there is none.
const EntryPoint* FindEntryPoint(const std::vector<EntryPoint>& entry_points, absl::string_view method);

// The symbols in the shapes of the inputs.
std::set<std::string> InputSymbols(const EntryPoint& entry_point);

// The port of this name; null if there is none.
const Port* FindPort(const std::vector<Port>& ports, absl::string_view name);

// What a wrapper says about its forward. For a host with channels, forward takes one image and returns one.
struct Interface {
  // Of the output: "depth", "matte", "features", "colour", "scores", "normals" or "flow".
  std::string kind;
  std::vector<std::string> channels_in;   // The host's names of the input's channels, in order: "rgba.red".
  std::vector<std::string> channels_out;  // Those of the output's channels.
  std::string category;                   // The host's menu that lists the model: "Depth Estimation".
  int64_t multiple_of = 1;                // forward pads images to multiples of so many pixels.
  int64_t scale = 1;                      // The output is so many times as high and as wide as the image.
  // Of a host's node that takes several frames of its clip: which, counted from the one that it shows, 0 first. The
  // channels are red, green and blue of each, in this order. Empty: it takes one frame.
  std::vector<int64_t> frames;
  std::vector<Call> examples;  // Calls of forward that the round trip compares.
};

// An Interface as a plugin's YAML states it.
struct InterfaceDecl {
  Interface stated;  // All but `multiple_of` and `scale`.
  absl::optional<Expression> multiple_of, scale;
  YamlMark mark;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_ENTRY_POINT_H_
