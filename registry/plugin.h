// A Plugin is one model family: its variants, their module types and their key map.
#ifndef MODELPORT_REGISTRY_PLUGIN_H_
#define MODELPORT_REGISTRY_PLUGIN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_library.h"
#include "common/yaml/document.h"

namespace modelport {

// What one source says of a licence.
struct LicenceClaim {
  std::string licence;  // SPDX name.
  std::string url;      // Of the page that says so.
};

// A file of published weights.
struct PublishedFile {
  std::string part;  // The root's child that it fills, "backbone"; empty: the file fills the whole tree.
  // With a folder in front of it if files of several models have this name; empty for a test's variant.
  std::string name;
  std::vector<std::string> also;  // Other names under which files with the same weights are published.
  std::string url;                // Where it is published; empty if nowhere.
  std::string hub;                // Hugging Face repository that holds the file, "org/name"; empty if none.
  // Of the file, 64 lower-case hexadecimal digits, or the first 8 of them or more; empty if no public source states it.
  std::string sha256;
  std::string sha256_url;  // The page that states it.
};

// One named model of a family, as plugin.yaml states it.
struct Variant {
  std::string name;     // "dav2_vits"
  std::string title;    // The name that people read, "Depth Anything V2 Small"; where the plugin has none, `name`.
  std::string summary;  // One line for the catalog.
  Call module;          // The root: "DepthAnythingV2(...)".
  // The published checkpoint, or several, each of which fills one child of the root. At least one.
  std::vector<PublishedFile> files;
  // Of several: one file that holds the weights of all of them. Without a name if none is published.
  PublishedFile whole;
  std::string licence;  // SPDX name of the weights' licence; empty for a test's variant.
  // Where sources disagree on the licence: what each of them says. `licence` is one of these.
  std::vector<LicenceClaim> licence_claims;
  std::string licence_note;  // What a user of the weights must know beside the licence; empty if nothing.
  bool published = true;     // False: the weights are not public, such as announced ones or a user's own.
  // Those of its own preprocessing; empty: the plugin's.
  std::vector<double> mean, std;
  YamlMark mark;  // Of `module`.
};

// What a model expects of its input image: (values in 0..1 - mean) / std, red, green and blue first.
struct Preprocessing {
  int64_t channels = 3;
  std::vector<double> mean;  // Of each channel; empty: the model takes values in 0..1.
  std::vector<double> std;
  int64_t multiple_of = 1;  // Both sides are multiples of so many pixels.
  // What `multiple_of` is by the root's arguments; nullopt if it depends on none. PreprocessingOf evaluates it.
  absl::optional<Expression> multiple_of_rule = {};
  std::vector<int64_t> size;  // The only height and width that the model takes; empty: it takes others, too.
};

// The module around the root in artifacts for a target, HostDepth(mean, std, multiple_of), or in those that prepare
// images themselves.
struct Wrapper {
  std::string target = {};  // Empty: for `export --with_preprocess`.
  std::string root = {};    // The root's module type, "DepthAnythingV2".
  // Of a wrapper for a target, "depth", by which --wrapper chooses one of several. Where plugin.yaml gives none, it is
  // empty until the plugins are linked, and then the kind of the wrapper's interface.
  std::string name = {};
  // A condition on the root's arguments: it is for the variants that fulfil it; nullopt: for all.
  absl::optional<Expression> when = {};
  Call call = {};
  YamlMark mark = {};
};

// Another family that a plugin names.
struct FamilyReference {
  std::string family;
  YamlMark mark;
};

// How to find an argument of a root in the keys and shapes of a file (recognise/infer_models.h).
struct ArgumentRule {
  std::string argument;
  // Of the root's arguments, which are as earlier rules say, and of the functions below. Without such a function it is
  // what the argument is taken for where one that it follows differs from the catalog's.
  Expression value;
  YamlMark mark = {};
};

// The functions of these rules: shape("SLOT") is the shape of what a file has for a slot, shape("blocks.{i}.SLOT", I)
// that with the number I in the place of {i}, size("SLOT", DIM) a size of it, 0 if the file has nothing,
// count("blocks.{i}.SLOT") how many slots of such names, from 0 on, it has something for, first("blocks.{i}.SLOT") the
// least i for which it has, isqrt(N) the square root of an integer that is a square.
constexpr absl::string_view kFileFunctions[] = {"count", "first", "isqrt", "shape", "size"};

// A parsed plugin.yaml with everything it refers to.
struct Plugin {
  std::string path;      // Its folder as messages name it, "models/dinov2".
  std::string place;     // The folder on this machine, where files of weights may lie beside the YAML.
  std::string family;    // "dinov2"
  std::string upstream;  // URL of the upstream source.
  std::string commit;    // Its commit that was ported.
  std::string licence;   // SPDX name of the source's licence.
  // The texts of licences of weights that SPDX does not list, by the names that variants give them.
  std::map<std::string, std::string> licence_texts;
  std::string summary;                // One line for the catalog.
  std::vector<FamilyReference> uses;  // Families whose module types it may use.
  // At most one: the family whose module types, key map, examples, preprocessing, wrappers and upstream it takes over.
  std::vector<FamilyReference> extends;
  Preprocessing preprocessing;
  // Calls of the artifact's methods that the round trip compares: forward([1, 3, 28, 42]). A list given for a Tensor
  // argument is the shape of a seeded input.
  std::vector<Call> examples;     // May use the root's arguments, of which ExamplesOf has the values.
  std::vector<Wrapper> wrappers;  // In file order; wrappers.h tells those of a variant.
  std::vector<Variant> variants;  // In file order. Empty for a family of shared layers.
  std::map<std::string, std::vector<ArgumentRule>> arguments;  // By the root's module type; in file order.
  std::shared_ptr<const ModuleLibrary> library;
  KeyMap key_map;
  // sha256 over plugin.yaml and every file that module types come from: names ("dinov2/modules.yaml") and texts.
  std::string plugin_digest;
  std::string key_map_digest;  // sha256 over the key map's text.
};

// The address of a published file: its URL, or that in its Hugging Face repository; "" if the plugin names neither.
std::string PublishedAddress(const PublishedFile& file);

// InvalidArgument: `mean` or `std` has another number of elements than there are channels, unless both are empty.
absl::Status CheckMeanAndStd(const Preprocessing& preprocessing);

// What an image must be for `variant`, one of `plugin`. InvalidArgument: the rule of multiple_of gives no integer above
// 0, or the variant's own mean and std do not fit the channels.
absl::StatusOr<Preprocessing> PreprocessingOf(const Plugin& plugin, const Variant& variant);

// The examples of `plugin` with the values that the arguments of the root of `variant` have. InvalidArgument: an
// example uses a name that is no argument of it, or has no value.
absl::StatusOr<std::vector<Call>> ExamplesOf(const Plugin& plugin, const Variant& variant);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_PLUGIN_H_
