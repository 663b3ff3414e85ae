#include "common/keymap/key_map.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/expression/identifier.h"
#include "common/keymap/key_pattern.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

// Parses the groups of rules, then the layouts that take them.
class LayoutParser {
 public:
  explicit LayoutParser(YamlProblems* problems) : problems_(problems) {}

  // A map from names to layouts.
  std::vector<Layout> ParseLayouts(const YamlValue& value, absl::string_view subject) {
    std::vector<Layout> layouts;
    for (const YamlValue::Field& field : ReadFields(value, subject, problems_)) layouts.push_back(Parse(field));
    return layouts;
  }

  // The field `parts`.
  std::vector<KeyMapPart> ParseParts(const YamlValue& value) {
    std::vector<KeyMapPart> parts;
    for (const YamlValue::Field& field : ReadFields(value, "field \"parts\"", problems_)) {
      const absl::Status status = CheckIdentifier(field.name);
      if (!status.ok()) problems_->Add(field.mark, status.message());
      KeyMapPart part{.child = field.name, .family = "", .key_map = {}, .mark = field.mark};
      const std::string subject = absl::StrCat("part ", field.name);
      if (field.value.kind == YamlValue::Kind::kText) {
        part.family = field.value.text;
        if (part.family.empty()) problems_->Add(field.value.mark, absl::StrCat(subject, " wants a family or layouts"));
      } else {
        part.key_map.layouts = ParseLayouts(field.value, subject);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  // A field of `rules`.
  void ParseGroup(const YamlValue::Field& field) {
    YamlMapReader reader(field.value, absl::StrCat("rules ", field.name), problems_);
    Group group{.name = field.name, .rules = {}, .mark = field.mark};
    AddRules(&reader, &group.rules);
    reader.Finish();
    groups_.push_back(std::move(group));
  }

  // A group that no layout takes is an error.
  void CheckGroups() const {
    for (const Group& group : groups_) {
      if (!group.is_taken) problems_->Add(group.mark, absl::StrCat("no layout takes rules \"", group.name, "\""));
    }
  }

 private:
  // A field of `layouts`, or of a part.
  Layout Parse(const YamlValue::Field& field) {
    Layout layout;
    layout.name = field.name;
    YamlMapReader reader(field.value, absl::StrCat("layout ", field.name), problems_);
    layout.recognise = ParseRecognise(&reader);
    layout.prefix = reader.TakeText("prefix");
    for (const YamlValue& item : reader.TakeItems("rules")) {
      AddGroup(ReadText(item, "an item of field \"rules\"", problems_), item.mark, &layout);
    }
    AddRules(&reader, &layout);
    for (const YamlValue& item : reader.TakeItems("includes")) AddInclusion(item, &layout.includes);
    layout.note = reader.TakeText("note");
    for (const YamlValue::Field& constant : reader.TakeFields("constants")) {
      std::string value = ReadText(constant.value, absl::StrCat("constant ", constant.name), problems_);
      layout.constants.push_back({constant.name, std::move(value), constant.mark});
    }
    reader.Finish();
    return layout;
  }

  // Rules with a name, for several layouts.
  struct Group {
    std::string name;
    Layout rules;
    YamlMark mark;
    bool is_taken = false;
  };

  void AddRules(YamlMapReader* reader, Layout* layout) {
    for (std::string& name : reader->TakeTexts("unwrap")) layout->unwrap.push_back(std::move(name));
    for (std::string& prefix : reader->TakeTexts("strip")) layout->strip.push_back(std::move(prefix));
    for (const YamlValue& item : reader->TakeItems("old_names")) AddOldName(item, &layout->old_names);
    for (const YamlValue& item : reader->TakeItems("renames")) AddRename(item, &layout->renames);
    for (const YamlValue& item : reader->TakeItems("sources")) ParseConversion(item, &layout->sources, problems_);
    for (const YamlValue& item : reader->TakeItems("aliases")) AddAlias(item, &layout->aliases);
    for (const YamlValue& item : reader->TakeItems("missing")) AddAllowance(item, "missing", &layout->missing);
    for (const YamlValue& item : reader->TakeItems("dropped")) AddAllowance(item, "dropped", &layout->dropped);
    for (const YamlValue& item : reader->TakeItems("unused")) AddAllowance(item, "unused", &layout->unused);
    for (ConfigRule& rule : TakeConfigRules(reader, problems_)) AddConfigRule(std::move(rule), &layout->config);
    for (const YamlValue& item : reader->TakeItems("config_unread")) {
      AddPattern(&item, "an item of field \"config_unread\"", &layout->config_unread);
    }
  }

  void AddGroup(const std::string& name, const YamlMark& mark, Layout* layout) {
    const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == name; });
    if (group == groups_.end()) {
      std::vector<std::string> names;
      for (const Group& known : groups_) names.push_back(known.name);
      return problems_->Add(mark, absl::StrCat("unknown rules \"", name, "\"", NearestHint(name, names)));
    }
    group->is_taken = true;
    const auto append = [](const auto& from, auto* to) { to->insert(to->end(), from.begin(), from.end()); };
    append(group->rules.unwrap, &layout->unwrap);
    append(group->rules.strip, &layout->strip);
    append(group->rules.old_names, &layout->old_names);
    append(group->rules.renames, &layout->renames);
    append(group->rules.sources, &layout->sources);
    append(group->rules.aliases, &layout->aliases);
    append(group->rules.missing, &layout->missing);
    append(group->rules.dropped, &layout->dropped);
    append(group->rules.unused, &layout->unused);
    for (const ConfigRule& rule : group->rules.config) AddConfigRule(rule, &layout->config);
    append(group->rules.config_unread, &layout->config_unread);
  }

  void AddConfigRule(ConfigRule rule, std::vector<ConfigRule>* rules) {
    if (const ConfigRule* const first = FindConfigRule(*rules, rule.field)) {
      return problems_->Add(rule.mark, absl::StrCat("field \"", rule.field, "\" of field \"config\" is already at ",
                                                    MarkString(first->mark)));
    }
    rules->push_back(std::move(rule));
  }

  std::vector<KeyPattern> ParseRecognise(YamlMapReader* reader) {
    const YamlValue* list = reader->Require("recognise");
    if (list == nullptr) return {};
    std::vector<KeyPattern> patterns;
    const std::vector<YamlValue>& items = ReadItems(*list, "field \"recognise\"", problems_);
    for (const YamlValue& item : items) AddPattern(&item, "an item of field \"recognise\"", &patterns);
    if (items.empty()) problems_->Add(list->mark, "field \"recognise\" wants at least one pattern");
    return patterns;
  }

  void AddOldName(const YamlValue& item, std::vector<OldName>* old_names) {
    YamlMapReader reader(item, "an old name", problems_);
    std::vector<KeyPattern> ends = TakeSubstitution(&reader, item.mark, "from", "to");
    std::string reason = reader.RequireText("reason");
    reader.Finish();
    if (ends.size() == 2) {
      old_names->push_back({std::move(ends[0]), std::move(ends[1]), std::move(reason), item.mark});
    }
  }

  void AddRename(const YamlValue& item, std::vector<Rename>* renames) {
    std::vector<KeyPattern> ends = ParseSubstitution(item, "a rename", "from", "to");
    if (ends.size() == 2) renames->push_back({std::move(ends[0]), std::move(ends[1]), item.mark});
  }

  void AddAlias(const YamlValue& item, std::vector<Alias>* aliases) {
    std::vector<KeyPattern> ends = ParseSubstitution(item, "an alias", "slot", "key");
    if (ends.size() == 2) aliases->push_back({std::move(ends[0]), std::move(ends[1]), item.mark});
  }

  void AddInclusion(const YamlValue& item, std::vector<Inclusion>* includes) {
    YamlMapReader reader(item, "an item of field \"includes\"", problems_);
    Inclusion inclusion{.family = reader.RequireText("family"),
                        .layout = reader.RequireText("layout"),
                        .slot = reader.RequireText("slot"),
                        .key = reader.TakeText("key"),
                        .config = reader.TakeText("config"),
                        .mark = item.mark};
    reader.Finish();
    for (const std::string& path : {inclusion.slot, inclusion.key, inclusion.config}) {
      absl::optional<KeyPattern> pattern = ParsePattern(path, item.mark, problems_);
      if (!pattern || pattern->names().empty()) continue;
      problems_->Add(item.mark, absl::StrCat("\"", path, "\" wants a path without placeholders"));
    }
    includes->push_back(std::move(inclusion));
  }

  // The patterns of a map that has these two fields and no other.
  std::vector<KeyPattern> ParseSubstitution(const YamlValue& item, absl::string_view subject, absl::string_view from,
                                            absl::string_view to) {
    YamlMapReader reader(item, std::string(subject), problems_);
    std::vector<KeyPattern> ends = TakeSubstitution(&reader, item.mark, from, to);
    reader.Finish();
    return ends;
  }

  // The patterns of the fields `from` and `to` of a map that is at `mark`; empty after an error. The second may only
  // have placeholders that the first has.
  std::vector<KeyPattern> TakeSubstitution(YamlMapReader* reader, const YamlMark& mark, absl::string_view from,
                                           absl::string_view to) {
    std::vector<KeyPattern> ends;
    for (absl::string_view field : {from, to}) {
      AddPattern(reader->Require(field), absl::StrCat("field \"", field, "\""), &ends);
    }
    if (ends.size() != 2) return {};
    const std::string problem = UnboundPlaceholder(ends[0], ends[1]);
    if (problem.empty()) return ends;
    problems_->Add(mark, problem);
    return {};
  }

  void AddAllowance(const YamlValue& item, absl::string_view list, std::vector<Allowance>* allowances) {
    YamlMapReader reader(item, absl::StrCat("an item of field \"", list, "\""), problems_);
    std::vector<KeyPattern> keys;
    AddPattern(reader.Require("key"), "field \"key\"", &keys);
    std::string reason = reader.RequireText("reason");
    std::vector<Number> values =
        list == "unused" ? std::vector<Number>{int64_t{0}} : reader.TakeNumberOrNumbers("value");
    const bool is_written = list == "missing" && reader.TakeBool("written", false);
    reader.Finish();
    if (!keys.empty())
      allowances->push_back({std::move(keys[0]), std::move(reason), std::move(values), item.mark, is_written});
  }

  // Adds nothing if `value` is null or not a pattern.
  void AddPattern(const YamlValue* value, absl::string_view subject, std::vector<KeyPattern>* patterns) {
    if (value == nullptr) return;
    absl::optional<KeyPattern> pattern = ParsePattern(ReadText(*value, subject, problems_), value->mark, problems_);
    if (pattern) patterns->push_back(*std::move(pattern));
  }

  YamlProblems* problems_;
  std::vector<Group> groups_;
};

}  // namespace

const Allowance* FindAllowance(const std::vector<Allowance>& allowances, absl::string_view name) {
  const auto found = std::find_if(allowances.begin(), allowances.end(),
                                  [&](const Allowance& allowance) { return allowance.key.Matches(name); });
  return found == allowances.end() ? nullptr : &*found;
}

const Allowance* Layout::FindMissing(absl::string_view slot) const {
  const Allowance* const allowance = FindAllowance(missing, slot);
  return allowance != nullptr ? allowance : FindDropped(slot);
}

const Allowance* Layout::FindDropped(absl::string_view slot) const { return FindAllowance(dropped, slot); }

std::string Layout::OwnKey(absl::string_view slot) const {
  for (const Inclusion& inclusion : includes) {
    absl::string_view rest = slot;
    if (!absl::ConsumePrefix(&rest, inclusion.slot) || !absl::ConsumePrefix(&rest, ".")) continue;
    return JoinPath(inclusion.key, rest);
  }
  return std::string(slot);
}

std::string Layout::StoredKey(absl::string_view slot) const {
  for (const Alias& alias : aliases) {
    const absl::optional<KeyBindings> bindings = alias.slot.Match(slot);
    if (bindings.has_value()) return alias.key.Substitute(*bindings);
  }
  return OwnKey(slot);
}

const Layout* KeyMap::Find(absl::string_view name) const {
  const auto layout = std::find_if(layouts.begin(), layouts.end(), [&](const Layout& l) { return l.name == name; });
  return layout == layouts.end() ? nullptr : &*layout;
}

const KeyMap* KeyMap::FindPart(absl::string_view child) const {
  if (child.empty()) return this;
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const KeyMapPart& p) { return p.child == child; });
  return part == parts.end() ? nullptr : &part->key_map;
}

absl::StatusOr<KeyMap> ParseKeyMap(const YamlFile& file) {
  YamlProblems problems(file.path);
  const YamlValue document = ParseYaml(file, &problems);
  KeyMap key_map;
  key_map.path = file.path;
  YamlMapReader reader(document, "a key map", &problems);
  LayoutParser parser(&problems);
  for (const YamlValue::Field& field : reader.TakeFields("rules")) parser.ParseGroup(field);
  const YamlValue* const parts = reader.Take("parts");
  const YamlValue* const layouts = parts == nullptr ? reader.Require("layouts") : reader.Take("layouts");
  if (layouts != nullptr) key_map.layouts = parser.ParseLayouts(*layouts, "field \"layouts\"");
  if (parts != nullptr) key_map.parts = parser.ParseParts(*parts);
  parser.CheckGroups();
  reader.Finish();
  if (problems.size() > 0) return problems.status();
  return key_map;
}

}  // namespace modelport
