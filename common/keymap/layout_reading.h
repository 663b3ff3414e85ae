#ifndef MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
#define MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/source_keys.h"

namespace modelport {

// One state dict of a checkpoint, read by one layout. Borrows from both.
struct LayoutReading {
  const Layout* layout;
  const Checkpoint* checkpoint;
  const StateDict* dict;                     // One of the checkpoint's.
  absl::string_view path;                    // The one of the dictionary's paths that the layout unwraps.
  std::vector<const KeyPattern*> unmatched;  // Patterns of `recognise` that match no key.
  std::shared_ptr<const SourceKeys> keys;    // Null where the layout is not recognised.

  bool recognised() const { return unmatched.empty(); }
};

// The readings of every dictionary that `layout` may be found in, in order of preference: the file's root, then the
// dictionaries to unwrap and those nested in them, up to four deep.
std::vector<LayoutReading> ReadLayout(const Layout& layout, const Checkpoint& checkpoint);

// The reading of the dictionary `dict` of `checkpoint`, which `layout` need not unwrap, under `path`, one of its own.
LayoutReading ReadDict(const Layout& layout, const Checkpoint& checkpoint, const StateDict& dict,
                       absl::string_view path);

// The keys of a reading, also where the layout is not recognised. Takes time linear in their number if it is not.
std::shared_ptr<const SourceKeys> ReadKeys(const LayoutReading& reading);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
