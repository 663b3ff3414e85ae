#ifndef MODELPORT_REGISTRY_LINK_KEY_MAP_H_
#define MODELPORT_REGISTRY_LINK_KEY_MAP_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/keymap/conversion.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_tree.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"
#include "registry/plugin.h"
#include "registry/weight_parts.h"

namespace modelport {

// The plugin of a family of `uses`, which is linked; null if it has a problem, which was reported.
using FindLinkedPlugin = absl::FunctionRef<const Plugin*(const std::string& family)>;

// Parses `file` as the key map of `plugin` and gives its parts and layouts the rules of the families that they name.
// The digest is that of the text and of the key maps so used.
//   InvalidArgument  every problem of the file; a family that is not in `uses`, a layout that it does not have, two
//                    inclusions for one slot
absl::Status LinkKeyMap(const YamlFile& file, FindLinkedPlugin find, Plugin* plugin);

// Checks the rules that a plugin's key map states itself against all its variants; rules of other families have been
// checked there. Borrows the plugin.
class KeyMapCheck {
 public:
  explicit KeyMapCheck(const Plugin& plugin);

  // Checks against a variant, whose tree is `tree`, and to each of `parts` of which a file may be given.
  void Add(const Variant& variant, const ModuleTree& tree, const std::vector<WeightPart>& parts);

  // InvalidArgument: every rule of `sources` or `config`, inclusion or constant that is for no variant, a rule of
  // `config` that fails for one, and two rules that fill one slot.
  absl::Status status() const;

 private:
  // Something that a layout states and that a variant must have.
  struct Claim {
    const Layout* layout;
    YamlMark mark;
    std::string problem;  // If no variant has it.
    std::function<bool(const ModuleTree& tree, const WeightPart& part)> is_met;
  };

  // Two rules of a layout that may fill the same slot.
  struct RulePair {
    const Layout* layout;
    const Conversion* first;
    const Conversion* second;
  };

  bool IsOwn(const YamlMark& mark) const { return mark.file == plugin_.key_map.path; }
  void AddLayout(const Layout& layout);
  void AddPairs(const Layout& layout);
  // Reports the rules of `config` that fail.
  void ReportConfig(const Layout& layout, const ModuleTree& tree, const WeightPart& part);
  // Returns whether the rules fill one slot, which is reported.
  bool Report(const RulePair& pair, const Variant& variant, const WeightPart& part);

  const Plugin& plugin_;
  YamlProblems problems_;
  std::vector<Claim> unmet_;  // Those that no variant has met so far.
  std::vector<RulePair> pairs_;
  std::set<std::string> reported_;  // Places, and pairs of them.
};

// Adds the rules of `included`, a layout of another family, to `layout`, before its own: each key below
// `inclusion.key`, each slot and module below `inclusion.slot`, each field of config.json below `inclusion.config`
// unless `layout` has a rule for it. `inclusion` is an item of `layout->includes`. What is about a whole file is not
// added: `prefix`, `unwrap`, `strip` and `constants`.
void IncludeLayout(const Layout& included, const Inclusion& inclusion, Layout* layout);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_LINK_KEY_MAP_H_
