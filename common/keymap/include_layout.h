#ifndef MODELPORT_COMMON_KEYMAP_INCLUDE_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_INCLUDE_LAYOUT_H_

#include "common/keymap/key_map.h"

namespace modelport {

// Adds the rules of `included`, a layout of another family, to `layout`, before its own: each key below
// `inclusion.key`, each slot below `inclusion.slot`. `inclusion` is an item of `layout->includes`. What is about a
// whole file is not added: `prefix`, `unwrap`, `strip`, `config` and `constants`.
void IncludeLayout(const Layout& included, const Inclusion& inclusion, Layout* layout);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_INCLUDE_LAYOUT_H_
