#include "common/keymap/include_layout.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/keymap/conversion.h"
#include "common/keymap/key_pattern.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

// Inserts the rules `from`, changed by `place`, in front of `to`.
template <typename Rule, typename Place>
void Prepend(std::vector<Rule> from, std::vector<Rule>* to, Place place) {
  for (Rule& rule : from) place(&rule);
  to->insert(to->begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void IncludeLayout(const Layout& included, const Inclusion& inclusion, Layout* layout) {
  const std::string slot_path = inclusion.slot, key_path = inclusion.key;  // `includes` grows below.
  const auto place_key = [&](KeyPattern* key) { *key = key->Below(key_path); };
  const auto place_slot = [&](KeyPattern* slot) { *slot = slot->Below(slot_path); };
  const auto place_ends = [&](auto* rule) {
    place_key(&rule->from);
    place_key(&rule->to);
  };
  Prepend(included.recognise, &layout->recognise, place_key);
  Prepend(included.old_names, &layout->old_names, place_ends);
  Prepend(included.renames, &layout->renames, place_ends);
  Prepend(included.sources, &layout->sources, [&](Conversion* rule) {
    for (KeyPattern& slot : rule->slots) place_slot(&slot);
    for (KeyPattern& key : rule->keys) place_key(&key);
    if (rule->when) place_key(&*rule->when);
  });
  Prepend(included.aliases, &layout->aliases, [&](Alias* alias) {
    place_slot(&alias->slot);
    place_key(&alias->key);
  });
  Prepend(included.missing, &layout->missing, [&](Allowance* allowance) { place_slot(&allowance->key); });
  Prepend(included.dropped, &layout->dropped, [&](Allowance* allowance) { place_slot(&allowance->key); });
  Prepend(included.unused, &layout->unused, [&](Allowance* allowance) { place_key(&allowance->key); });
  // Those that lead deeper come first: OwnKey takes the first that matches.
  Prepend(included.includes, &layout->includes, [&](Inclusion* inner) {
    inner->slot = JoinPath(slot_path, inner->slot);
    inner->key = inner->key.empty() ? key_path : JoinPath(key_path, inner->key);
  });
}

}  // namespace modelport
