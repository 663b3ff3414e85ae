#include "tools/diff/print_diff.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/collapse_indices.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "nlohmann/json.hpp"
#include "tools/diff/compare_tensors.h"

namespace modelport {
namespace {

using Kind = TensorComparison::Kind;

std::string HeaderText(const TensorComparison::Header& header) {
  return absl::StrCat(DTypeName(header.dtype), " ", ShapeString(header.shape));
}

std::string KindName(Kind kind) {
  switch (kind) {
    case Kind::kEqual:
      return "equal";
    case Kind::kValues:
      return "values";
    case Kind::kDType:
      return "dtype";
    case Kind::kShape:
      return "shape";
    case Kind::kOnlyA:
      return "only in A";
    case Kind::kOnlyB:
      return "only in B";
  }
  return "";
}

std::string ValuesText(const ElementDifference& values) {
  std::string text = absl::StrFormat("max %.3g, mean %.3g, cosine %.9g, %d of %d elements equal", values.max_abs,
                                     values.mean_abs, values.cosine, values.equal, values.elements);
  if (values.nonfinite > 0) absl::StrAppend(&text, ", ", values.nonfinite, " NaN or infinite");
  return text;
}

// The key with 0 in the place of each index.
std::string Skeleton(absl::string_view name) {
  return absl::StrJoin(absl::StrSplit(name, '.'), ".", [](std::string* skeleton, absl::string_view part) {
    const bool is_index = !part.empty() && std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
    absl::StrAppend(skeleton, is_index ? "0" : part);
  });
}

// Tensors of one kind whose names differ in indices only, and whose headers are equal.
struct Group {
  std::vector<std::string> names = {};
  const TensorComparison* first = nullptr;
  ElementDifference values = {};  // Of all together; the cosine is the smallest.
};

void AddTo(const ElementDifference& values, Group* group) {
  ElementDifference& sum = group->values;
  const int64_t elements = sum.elements + values.elements;
  if (elements > 0) {
    sum.mean_abs = (sum.mean_abs * sum.elements + values.mean_abs * values.elements) / elements;
  }
  sum.elements = elements;
  sum.equal += values.equal;
  sum.nonfinite += values.nonfinite;
  sum.max_abs = std::max(sum.max_abs, values.max_abs);
  sum.cosine = std::min(sum.cosine, values.cosine);
}

std::vector<Group> GroupLayers(const std::vector<TensorComparison>& tensors) {
  std::vector<Group> groups;
  std::map<std::vector<std::string>, size_t> positions;
  for (const TensorComparison& tensor : tensors) {
    const std::vector<std::string> key = {Skeleton(tensor.name), KindName(tensor.kind()),
                                          tensor.a ? HeaderText(*tensor.a) : "", tensor.b ? HeaderText(*tensor.b) : ""};
    const auto [position, is_new] = positions.emplace(key, groups.size());
    if (is_new) groups.push_back({.first = &tensor});
    Group& group = groups[position->second];
    group.names.push_back(tensor.name);
    if (tensor.values) AddTo(*tensor.values, &group);
  }
  return groups;
}

std::string GroupName(const Group& group) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : group.names) rows.push_back({name});
  std::vector<std::string> names;
  for (const CollapsedRow& row : CollapseIndices(std::move(rows))) names.push_back(Brief(row.cells.front()));
  return absl::StrJoin(names, ", ");
}

std::string GroupText(const Group& group) {
  const TensorComparison& first = *group.first;
  const std::string together = group.names.size() > 1 ? absl::StrCat(" in ", group.names.size(), " tensors") : "";
  switch (first.kind()) {
    case Kind::kEqual:
      return "equal";
    case Kind::kValues:
      return absl::StrCat(ValuesText(group.values), together);
    case Kind::kDType:
      return absl::StrCat(DTypeName(first.a->dtype), " and ", DTypeName(first.b->dtype), ": ", ValuesText(group.values),
                          together);
    case Kind::kShape:
      return absl::StrCat(HeaderText(*first.a), " and ", HeaderText(*first.b));
    case Kind::kOnlyA:
      return absl::StrCat("only in A: ", HeaderText(*first.a));
    case Kind::kOnlyB:
      return absl::StrCat("only in B: ", HeaderText(*first.b));
  }
  return "";
}

std::string SideText(const DiffSide& side) {
  std::string text = absl::StrCat(side.path, ": ", side.format);
  if (!side.model.empty()) absl::StrAppend(&text, ", ", side.model);
  if (!side.also.empty())
    absl::StrAppend(&text, side.model.empty() ? " (its keys fit " : " (its keys also fit ",
                    absl::StrJoin(side.also, ", "), ")");
  if (!side.layout.empty()) absl::StrAppend(&text, ", layout ", side.layout);
  if (!side.state_dict.empty()) absl::StrAppend(&text, ", dictionary ", Brief(side.state_dict));
  if (!side.beside.empty()) absl::StrAppend(&text, "; not compared: ", Brief(absl::StrJoin(side.beside, ", ")));
  return text;
}

// A missing setting is "none".
std::string SettingsText(const std::vector<ConfigurationDifference>& settings) {
  std::vector<std::vector<std::string>> rows;
  for (const ConfigurationDifference& setting : settings) {
    rows.push_back({setting.name, setting.a.value_or("none"), setting.b.value_or("none")});
  }
  Table table;
  for (const CollapsedRow& row : CollapseIndices(std::move(rows))) {
    table.AddRow(
        {absl::StrCat("  ", row.cells[0]), absl::StrCat("A: ", row.cells[1]), absl::StrCat("B: ", row.cells[2])});
  }
  return table.ToString();
}

std::map<Kind, int64_t> CountKinds(const std::vector<TensorComparison>& tensors) {
  std::map<Kind, int64_t> counts;
  for (const TensorComparison& tensor : tensors) ++counts[tensor.kind()];
  return counts;
}

std::string SummaryText(const FileDifference& difference) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : CountKinds(difference.tensors)) {
    parts.push_back(absl::StrCat(count, " ",
                                 kind == Kind::kEqual || kind == Kind::kOnlyA || kind == Kind::kOnlyB
                                     ? KindName(kind)
                                     : absl::StrCat("of other ", KindName(kind))));
  }
  return absl::StrCat(Counted(difference.tensors.size(), "tensor"), ": ", absl::StrJoin(parts, ", "), "\n");
}

nlohmann::ordered_json SideJson(const DiffSide& side) {
  return {{"path", Printable(side.path)}, {"format", side.format}, {"model", side.model},
          {"also_fits", side.also},       {"layout", side.layout}, {"state_dict", side.state_dict},
          {"not_compared", side.beside}};
}

nlohmann::ordered_json HeaderJson(const absl::optional<TensorComparison::Header>& header) {
  if (!header) return nullptr;
  return {{"dtype", std::string(DTypeName(header->dtype))}, {"shape", header->shape}};
}

nlohmann::ordered_json TensorJson(const TensorComparison& tensor) {
  nlohmann::ordered_json json = {{"name", tensor.name},
                                 {"result", KindName(tensor.kind())},
                                 {"a", HeaderJson(tensor.a)},
                                 {"b", HeaderJson(tensor.b)}};
  if (!tensor.values) return json;
  const ElementDifference& values = *tensor.values;
  json["elements"] = values.elements;
  json["equal"] = values.equal;
  json["nonfinite"] = values.nonfinite;
  json["max_abs"] = values.max_abs;
  json["mean_abs"] = values.mean_abs;
  json["cosine"] = values.cosine;
  return json;
}

nlohmann::ordered_json TextJson(const absl::optional<std::string>& text) {
  return text ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
}

// Why two files are compared by key.
std::string ReasonForKeys(const FileDifference& difference) {
  for (const DiffSide& side : {difference.a, difference.b}) {
    if (!side.refusal.empty()) return side.refusal;
  }
  return "no model of the catalog fits both";
}

}  // namespace

std::string DiffText(const FileDifference& difference) {
  std::string text = absl::StrCat("A  ", SideText(difference.a), "\nB  ", SideText(difference.b), "\n");
  if (!difference.by_slot) absl::StrAppend(&text, "compared by key, because ", ReasonForKeys(difference), "\n");
  if (!difference.settings.empty()) absl::StrAppend(&text, "\nsettings\n", SettingsText(difference.settings));
  absl::StrAppend(&text, "\ntensors\n");
  for (const Group& group : GroupLayers(difference.tensors)) {
    absl::StrAppend(&text, "  ", GroupName(group), ": ", GroupText(group), "\n");
  }
  return absl::StrCat(text, "\n", SummaryText(difference));
}

std::string DiffJson(const FileDifference& difference) {
  nlohmann::ordered_json json = {{"equal", difference.is_equal()},
                                 {"a", SideJson(difference.a)},
                                 {"b", SideJson(difference.b)},
                                 {"compared_by", difference.by_slot ? "slot" : "key"},
                                 {"settings", nlohmann::ordered_json::array()},
                                 {"tensors", nlohmann::ordered_json::array()}};
  for (const ConfigurationDifference& setting : difference.settings) {
    json["settings"].push_back({{"name", setting.name}, {"a", TextJson(setting.a)}, {"b", TextJson(setting.b)}});
  }
  for (const TensorComparison& tensor : difference.tensors) json["tensors"].push_back(TensorJson(tensor));
  return absl::StrCat(json.dump(2), "\n");
}

std::string CountDifferences(const FileDifference& difference) {
  std::vector<std::string> parts;
  if (!difference.settings.empty()) parts.push_back(Counted(difference.settings.size(), "setting"));
  const int64_t total = difference.tensors.size(), differ = total - CountKinds(difference.tensors)[Kind::kEqual];
  if (differ > 0) parts.push_back(absl::StrCat(differ, " of ", Counted(total, "tensor")));
  return parts.empty() ? "nothing" : absl::StrJoin(parts, " and ");
}

}  // namespace modelport
