#include "common/module_tree/entry_point.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace modelport {

bool IsShapeSymbol(absl::string_view name) { return name.size() == 1 && absl::ascii_isalpha(name[0]); }

bool AreAlternatives(const Port& first, const Port& second) {
  return !first.only_without.empty() && first.only_without == second.only_with;
}

const EntryPoint* FindEntryPoint(const std::vector<EntryPoint>& entry_points, absl::string_view method) {
  const auto is_it = [&](const EntryPoint& entry_point) { return entry_point.method == method; };
  const auto found = std::find_if(entry_points.begin(), entry_points.end(), is_it);
  return found == entry_points.end() ? nullptr : &*found;
}

std::set<std::string> InputSymbols(const EntryPoint& entry_point) {
  std::set<std::string> symbols;
  for (const Port& port : entry_point.inputs) {
    if (!port.shape) continue;
    for (const Expression& size : *port.shape) {
      for (const std::string& name : size.names()) symbols.insert(name);
    }
  }
  return symbols;
}

const Port* FindPort(const std::vector<Port>& ports, absl::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

}  // namespace modelport
