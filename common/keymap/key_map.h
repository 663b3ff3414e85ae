// A KeyMap says how the keys of published checkpoints lead to the slots of a family's module trees, layout by layout.
#ifndef MODELPORT_COMMON_KEYMAP_KEY_MAP_H_
#define MODELPORT_COMMON_KEYMAP_KEY_MAP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/conversion.h"
#include "common/keymap/key_pattern.h"
#include "common/tensor/number.h"
#include "common/yaml/document.h"

namespace modelport {

// Keys that match `from` are renamed to `to`: blocks.{chunk}.{block}.{rest*} -> blocks.{block}.{rest*}.
struct Rename {
  KeyPattern from;
  KeyPattern to;
  YamlMark mark;
};

// Keys that upstream once named `from` and now names `to`: backbone.layer1.{rest*} -> backbone.res_layers.0.{rest*}.
struct OldName {
  KeyPattern from;
  KeyPattern to;
  std::string reason;  // When or why upstream renamed them.
  YamlMark mark;
};

// Slots that match `slot` share one tensor, which the file stores once, as `key`: head.{i}.norm.weight is stored as
// head.0.norm.weight.
struct Alias {
  KeyPattern slot;
  KeyPattern key;
  YamlMark mark;
};

// Keys or slots that a strict comparison accepts without a counterpart, and why.
struct Allowance {
  KeyPattern key;
  std::string reason;
  std::vector<Number> values;  // Of every element of a slot that the file lacks, or of each; 0 if none is stated.
  YamlMark mark;
  bool is_written = false;  // Of a slot: whether a file that is written in this layout has it all the same.
};

// The first of `allowances` that is for `name`; null if none is.
const Allowance* FindAllowance(const std::vector<Allowance>& allowances, absl::string_view name);

// The layout of another family, by which keys below `key` fill the slots below `slot`.
struct Inclusion {
  std::string family;
  std::string layout;
  std::string slot;         // The path of a module: "pretrained".
  std::string key;          // "backbone"; empty: the keys are at the root.
  std::string config = {};  // "backbone_config", the object of config.json that is about it; empty: the whole file.
  YamlMark mark;
};

// A constant of a module tree and the value that a layout's models have for it.
struct StatedConstant {
  std::string path;   // "backbone.num_register_tokens"
  std::string value;  // As ValueString writes it.
  YamlMark mark;
};

// One published naming of a family's weights.
struct Layout {
  std::string name;  // "original"
  // The layout is recognised if each of them matches a key, after stripping and under its present name.
  std::vector<KeyPattern> recognise;
  // The prefix of every key in the published file ("model."), which is stripped once. May be empty.
  std::string prefix;
  std::string note;  // What a user of the layout's library must know of an artifact's outputs. May be empty.
  std::vector<std::string> unwrap;  // Dictionaries that may hold the state dict, in order of preference: "teacher".
  std::vector<std::string> strip;   // Prefixes that training tools add: "module.", "_orig_mod.".
  std::vector<OldName> old_names;   // Applied in order, before `renames`; a file need not have such keys.
  std::vector<Rename> renames;      // Applied in order; one that matches no key is an error.
  std::vector<Conversion> sources;  // Slots that are stored under other keys, or in another form.
  std::vector<Alias> aliases;       // A slot whose own key is in the file takes that one.
  std::vector<Allowance> missing;   // Slots that a file may lack: a number fills them.
  std::vector<Allowance> dropped;   // The same for slots that no file of this layout is written with.
  std::vector<Allowance> unused;    // Keys that the tree does not need.
  // If there is any, a config.json beside the file must agree with them. One for a field.
  std::vector<ConfigRule> config;
  std::vector<KeyPattern> config_unread;  // Other fields that it may have, which need not agree with anything.
  // What tells the models of which there are files of this layout; the layout is written for no other.
  std::vector<StatedConstant> constants;
  // Layouts of other families. Their rules are among those above once IncludeLayout has added them.
  std::vector<Inclusion> includes;

  // The item of `missing` or `dropped` for a slot that the file may lack, the item of `dropped` for one that it must
  // lack; null if there is none.
  const Allowance* FindMissing(absl::string_view slot) const;
  const Allowance* FindDropped(absl::string_view slot) const;

  // The key of the slot's own name: the name itself, or below an inclusion's `slot` that path below its `key`.
  std::string OwnKey(absl::string_view slot) const;

  // The key under which the file holds the tensor of `slot`: its own unless an alias says otherwise.
  std::string StoredKey(absl::string_view slot) const;
};

struct KeyMapPart;

struct KeyMap {
  std::string path;               // Of the file that states it.
  std::vector<Layout> layouts;    // In file order; names are unique.
  std::vector<KeyMapPart> parts;  // For trees that several files fill, one for each child of the root that has a file.

  // Null if there is no such layout.
  const Layout* Find(absl::string_view name) const;

  // The key map of the files that fill the root's child `child`, or this one if `child` is empty. Null if there is
  // none.
  const KeyMap* FindPart(absl::string_view child) const;
};

// The key map of the files that fill one child of the root. Its slots are those below the child, without its name.
struct KeyMapPart {
  std::string child;
  std::string family;  // The family whose key map it is, to be found by the caller; empty if `key_map` is stated.
  KeyMap key_map;
  YamlMark mark;
};

// Parses a keymap.yaml. InvalidArgument lists every problem of the file.
absl::StatusOr<KeyMap> ParseKeyMap(const YamlFile& file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_KEY_MAP_H_
