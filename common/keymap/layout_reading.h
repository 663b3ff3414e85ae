#ifndef MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
#define MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"

namespace modelport {

// A tensor of a checkpoint and the name that a layout gives it.
struct SourceKey {
  absl::string_view name;
  const CheckpointTensor* tensor;
};

// Two keys of the file that get the same name by stripping and renaming.
struct Collision {
  absl::string_view name;
  const CheckpointTensor* first;
  const CheckpointTensor* second;
};

// Keys of a file that has them under an old name.
struct OldKeys {
  const OldName* rule;
  int64_t tensors;
};

// The keys of a state dict, stripped and renamed by a layout. They do not depend on the model. Names are borrowed from
// the checkpoint or from `renamed`.
struct SourceKeys {
  std::vector<SourceKey> keys;  // In file order.
  absl::flat_hash_map<absl::string_view, const CheckpointTensor*> by_name;
  std::vector<Collision> collisions;
  std::vector<OldKeys> old_keys;                        // Of each rule of `old_names` that matches a key.
  std::vector<const Rename*> idle_rules;                // Renames that match no key.
  absl::flat_hash_set<const Conversion*> inapplicable;  // Rules of `sources` whose `when` matches no key.
  std::deque<std::string> renamed;

  // True if the rule is for files with these keys.
  bool Applies(const Conversion& rule) const { return !inapplicable.contains(&rule); }
};

// `key` without the prefixes that `layout` strips: each of `strip` as often as it occurs, `prefix` once.
absl::string_view StripPrefixes(const Layout& layout, absl::string_view key);

// The name that upstream now gives to `name`, which is stripped.
std::string PresentName(const Layout& layout, absl::string_view name);

// Borrows from `layout` and `dict`.
std::shared_ptr<const SourceKeys> RenameKeys(const Layout& layout, const StateDict& dict);

// Where a state dict is in a file. Of several that fit, those of the first rank are taken.
enum class DictRank {
  kAveraged,   // A dictionary of weights that training averages, such as model_ema.
  kUnwrapped,  // The root, or one that the layout unwraps.
  kOther,      // Any other dictionary.
  kPart,       // A part of a dictionary, which its keys tell. One that is all of it but scalars has its rank.
};

// One state dict of a checkpoint, read by one layout. Borrows from both.
struct LayoutReading {
  const Layout* layout;
  const Checkpoint* checkpoint;
  const StateDict* dict;                     // One of the checkpoint's.
  absl::string_view path;                    // The one of the dictionary's paths that the layout unwraps.
  std::vector<const KeyPattern*> unmatched;  // Patterns of `recognise` that match no key.
  std::shared_ptr<const SourceKeys> keys;    // Null where the layout is not recognised.
  // Where the dictionary is a part of one of the file's that was found by its keys: what these begin with, "model.",
  // and how many keys of the file's dictionary begin otherwise; 0 if these are scalars alone.
  std::string prefix = {};
  size_t others = 0;
  DictRank rank = DictRank::kUnwrapped;
  bool resamples = false;  // SourceChoice::resample.

  bool recognised() const { return unmatched.empty(); }
};

// The readings of the dictionaries of a file, in order of preference: averaged weights, the file's root, the
// dictionaries to unwrap and those nested in them, up to four deep, then all others that are recognised; then the parts
// of those that are not whose keys begin alike ("model.") and whose rest is.
std::vector<LayoutReading> ReadLayout(const Layout& layout, const Checkpoint& checkpoint);

// The reading of the dictionary `dict` of `checkpoint`, which `layout` need not unwrap, under `path`, one of its own.
LayoutReading ReadDict(const Layout& layout, const Checkpoint& checkpoint, const StateDict& dict,
                       absl::string_view path);

// The keys of a reading, also where the layout is not recognised. Takes time linear in their number if it is not.
std::shared_ptr<const SourceKeys> ReadKeys(const LayoutReading& reading);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
