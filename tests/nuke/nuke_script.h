// Scripts of Nuke (.nk, .gizmo), read as Nuke reads them: Tcl words, a stack of nodes, and knobs that users added.
// Of classes that public gizmos have and those of Modelport have not, any knob is taken. Gizmos within gizmos and
// inputs for masks are not read.
#ifndef MODELPORT_TESTS_NUKE_NUKE_SCRIPT_H_
#define MODELPORT_TESTS_NUKE_NUKE_SCRIPT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// A word of a script, without its braces or quotes.
struct NukeWord {
  std::string text;
  bool is_braced = false;
};

// The words of the first line of `text`.
std::vector<NukeWord> NukeWords(absl::string_view text);

// A knob that is added by addUserKnob.
struct NukeUserKnob {
  int type = 0;  // 3: an integer, 4: a pulldown, 6: a checkbox, 7: a number, 12: a position, 15: a box, 20: a tab,
                 // 22: a button, 26: text, 41: a link.
  std::string label;
  std::string help;
  std::string text;                       // The code of a button, or NODE.KNOB of a link.
  std::vector<std::string> choices = {};  // Of a pulldown.
};

// A node, or the gizmo that has others.
struct NukeNode {
  std::string type;                        // "Crop".
  std::map<std::string, NukeWord> values;  // Of its knobs; of some only the first word counts.
  std::map<std::string, NukeUserKnob> user_knobs;
  std::vector<std::string> inputs;  // Names of nodes. The first is B, the image that passes; "" is none.
};

struct NukeScript {
  NukeNode gizmo;  // Without a type in a script that is none.
  std::map<std::string, NukeNode> nodes;
  std::vector<std::string> order;  // Their names, as they stand in the script.
  std::vector<std::string> stack;  // The images that are left at the end.
  // What Nuke would refuse, or leave out without a word: braces that stay open, a knob that its node does not have, a
  // value that is none of its knob, a link to a knob that is not there, a node without an image, a name twice, a
  // channel that no script has.
  std::vector<std::string> faults;
};

NukeScript ReadNukeScript(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_TESTS_NUKE_NUKE_SCRIPT_H_
