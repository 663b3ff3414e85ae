// Regular expressions, in the dialect of ECMAScript, for the texts in a plugin's YAML. A text that a plugin may have
// matches; some that it may not have match too, since brackets, for example, are not counted.
#ifndef MODELPORT_TOOLS_SCHEMA_TEXT_PATTERNS_H_
#define MODELPORT_TOOLS_SCHEMA_TEXT_PATTERNS_H_

#include <string>

namespace modelport {

// A family or a variant: "dinov2_vits14".
std::string CatalogNamePattern();

// A member of a module: "cls_token".
std::string MemberPattern();

// A method of a child: "model.forward".
std::string PlacePattern();

// A file, maybe in folders: "DA3-SMALL/model.safetensors".
std::string PathPattern();

// An expression: "1 + grid * grid".
std::string ExpressionPattern();

// An expression that may call the functions of a file (registry/plugin.h).
std::string FileExpressionPattern();

// A call or a signature: "Conv2d(3, dim, kernel=1)".
std::string CallPattern();

// A call with values for arguments, by position, and for knobs: "forward([1, 3, 28, 28], side=64)".
std::string ExamplePattern();

// The same with values over the arguments of a root: "forward([1, 3, 2 * patch, patch])".
std::string RootExamplePattern();

// An operation of a key map, with integers or dtypes: "chunk(3, 0)".
std::string OperationPattern();

// A pattern of keys: "{path*}.attn.{leaf}".
std::string KeyPatternPattern();

// Several of them: "layer{1,2}_rn.{leaf}".
std::string PatternSetPattern();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_SCHEMA_TEXT_PATTERNS_H_
