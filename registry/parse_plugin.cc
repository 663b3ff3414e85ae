#include "registry/parse_plugin.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/expression/expression.h"
#include "common/expression/identifier.h"
#include "common/expression/read_expression.h"
#include "common/module_tree/type_parser.h"
#include "common/status/annotate.h"
#include "common/text/nearest.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/parse.h"
#include "common/yaml/problems.h"
#include "registry/catalog_rules.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// Whether `text` is a sha256 or its first digits: torch.hub puts 8 of them into the names of files.
bool IsSha256(absl::string_view text) {
  return text.size() >= 8 && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

class PluginParser {
 public:
  explicit PluginParser(YamlProblems* problems) : problems_(problems) {}

  Plugin Parse(const YamlValue& document) {
    YamlMapReader reader(document, "a plugin", problems_);
    if (const YamlValue* family = reader.Require("family")) {
      plugin_.family = ReadText(*family, "field \"family\"", problems_);
      if (!plugin_.family.empty()) Check(CheckCatalogName("family", plugin_.family), family->mark);
    }
    plugin_.summary = reader.RequireText("summary");
    if (const YamlValue* extended = reader.Take("extends")) {
      plugin_.extends.push_back(ParseReference(*extended));
    } else {
      ParseOwnParts(&reader);
    }
    for (const YamlValue::Field& field : reader.TakeFields("variants")) ParseVariant(field);
    if (plugin_.extends.empty()) ParseLicenceTexts(&reader);
    if (plugin_.extends.empty() && !plugin_.variants.empty()) RequireModelParts(document);
    reader.Finish();
    return std::move(plugin_);
  }

 private:
  // Parses the parts that a plugin which extends another takes over from it instead.
  void ParseOwnParts(YamlMapReader* reader) {
    if (const YamlValue* upstream = reader->Take("upstream")) ParseUpstream(*upstream);
    for (const YamlValue& item : reader->TakeItems("uses")) plugin_.uses.push_back(ParseReference(item));
    if (const YamlValue* preprocessing = reader->Take("preprocessing")) ParsePreprocessing(*preprocessing);
    for (const YamlValue& item : reader->TakeItems("examples")) {
      // Their arguments may use those of a variant's root: PluginLinker checks them.
      plugin_.examples.push_back(ParseExample(item, problems_));
    }
    for (const YamlValue::Field& target : reader->TakeFields("targets")) ParseTarget(target);
    for (const YamlValue::Field& root : reader->TakeFields("arguments")) ParseArgumentRules(root);
  }

  // A text of which no variant has the licence would not travel.
  void ParseLicenceTexts(YamlMapReader* reader) {
    std::vector<std::string> licences;
    for (const Variant& variant : plugin_.variants) licences.push_back(variant.licence);
    for (const YamlValue::Field& text : reader->TakeFields("licence_texts")) {
      plugin_.licence_texts[text.name] =
          ReadText(text.value, absl::StrCat("the text of licence ", text.name), problems_);
      if (std::find(licences.begin(), licences.end(), text.name) != licences.end()) continue;
      problems_->Add(text.mark, absl::StrCat("field \"licence_texts\": no variant has the licence ", text.name,
                                             NearestHint(text.name, licences)));
    }
  }

  void ParseArgumentRules(const YamlValue::Field& root) {
    std::vector<ArgumentRule>& rules = plugin_.arguments[root.name];
    for (const YamlValue::Field& field : ReadFields(root.value, absl::StrCat("arguments of ", root.name), problems_)) {
      const std::string text = ReadText(field.value, absl::StrCat("argument ", field.name), problems_);
      if (text.empty()) continue;
      absl::StatusOr<Expression> value = Expression::ParseWithCalls(text);
      Check(value.status(), field.value.mark);
      if (!value.ok()) continue;
      CheckFunctions(*value, field.value.mark);
      rules.push_back({field.name, *std::move(value), field.mark});
    }
  }

  void CheckFunctions(const Expression& value, const YamlMark& mark) {
    const std::vector<std::string> known(std::begin(kFileFunctions), std::end(kFileFunctions));
    for (const std::string& function : value.functions()) {
      if (std::find(known.begin(), known.end(), function) != known.end()) continue;
      problems_->Add(mark, absl::StrCat("unknown function \"", function, "\"", NearestHint(function, known)));
    }
  }

  void ParseUpstream(const YamlValue& value) {
    YamlMapReader reader(value, "field \"upstream\"", problems_);
    plugin_.upstream = reader.RequireText("source");
    plugin_.commit = reader.RequireText("commit");
    plugin_.licence = reader.RequireText("licence");
    reader.Finish();
  }

  void ParsePreprocessing(const YamlValue& value) {
    const size_t problems_before = problems_->size();
    YamlMapReader reader(value, "field \"preprocessing\"", problems_);
    Preprocessing& preprocessing = plugin_.preprocessing;
    preprocessing.mean = reader.TakeNumbers("mean");
    preprocessing.std = TakePositiveNumbers("std", &reader, value.mark);
    const size_t given = std::max(preprocessing.mean.size(), preprocessing.std.size());
    preprocessing.channels = reader.TakeInt("channels", given > 0 ? given : 3);
    TakeMultipleOf(&reader);
    ParseSize(&reader);
    for (const YamlValue::Field& root : reader.TakeFields("wrappers")) ParseWrappers(root, "", "field \"wrappers\"");
    reader.Finish();
    if (preprocessing.channels < 1) problems_->Add(value.mark, "field \"channels\" wants a positive integer");
    if (preprocessing.multiple_of < 1) problems_->Add(value.mark, "field \"multiple_of\" wants a positive integer");
    // A value that is not a number was reported and is 0 here.
    if (problems_->size() > problems_before) return;
    const absl::Status normalised = CheckMeanAndStd(preprocessing);
    if (!normalised.ok()) problems_->Add(value.mark, normalised.message());
  }

  std::vector<double> TakePositiveNumbers(absl::string_view name, YamlMapReader* reader, const YamlMark& mark) {
    const size_t problems_before = problems_->size();
    std::vector<double> numbers = reader->TakeNumbers(name);
    // A value that is not a number was reported and is 0 here.
    const auto is_positive = [](double number) { return number > 0; };
    if (problems_->size() == problems_before && !std::all_of(numbers.begin(), numbers.end(), is_positive)) {
      problems_->Add(mark, absl::StrCat("field \"", name, "\" wants numbers above 0"));
    }
    return numbers;
  }

  void TakeMultipleOf(YamlMapReader* reader) {
    Preprocessing& preprocessing = plugin_.preprocessing;
    const absl::optional<Expression> rule = TakeExpression("multiple_of", reader, problems_);
    if (!rule) return;
    if (!rule->names().empty()) {
      preprocessing.multiple_of_rule = rule;
      return;
    }
    preprocessing.multiple_of = rule->EvaluateInt({}).value_or(0);  // 0 is reported.
  }

  void ParseSize(YamlMapReader* reader) {
    std::vector<int64_t>& size = plugin_.preprocessing.size;
    const YamlValue* value = reader->Take("size");
    if (value == nullptr) return;
    size = ReadIntegers(*value, "field \"size\"", problems_);
    const bool is_positive = std::all_of(size.begin(), size.end(), [](int64_t side) { return side > 0; });
    if (size.size() != 2 || !is_positive) {
      problems_->Add(value->mark, "field \"size\" wants two positive integers, height and width");
    }
  }

  void ParseTarget(const YamlValue::Field& field) {
    const absl::StatusOr<const Target*> target = FindTarget(field.name);
    if (!target.ok()) {
      problems_->Add(field.mark, target.status().message());
    } else if (!(*target)->wraps()) {
      problems_->Add(field.mark, absl::StrCat("target ", field.name, " takes models as they are, without a wrapper"));
    } else if ((*target)->wrappers != field.name) {
      problems_->Add(field.mark,
                     absl::StrCat("target ", field.name, " takes the wrappers of target ", (*target)->wrappers));
    }
    const std::string subject = absl::StrCat("target ", field.name);
    for (const YamlValue::Field& root : ReadFields(field.value, subject, problems_)) {
      ParseWrappers(root, field.name, subject);
    }
  }

  // Adds the wrapper of a root, or several with names.
  void ParseWrappers(const YamlValue::Field& root, const std::string& target, const std::string& subject) {
    if (root.value.kind == YamlValue::Kind::kMap) return ParseNamedWrappers(root, target);
    plugin_.wrappers.push_back(
        {.target = target, .root = root.name, .call = ParseCallText(root.value, subject), .mark = root.mark});
  }

  // Adds several wrappers of one root.
  void ParseNamedWrappers(const YamlValue::Field& root, const std::string& target) {
    if (root.value.fields.empty()) problems_->Add(root.mark, absl::StrCat("root ", root.name, " wants a wrapper"));
    for (const YamlValue::Field& field : root.value.fields) {
      Check(CheckCatalogName("wrapper", field.name), field.mark);
      Wrapper wrapper = {.target = target, .root = root.name, .name = field.name, .mark = field.mark};
      const std::string subject = absl::StrCat("wrapper ", field.name);
      if (field.value.kind == YamlValue::Kind::kMap) {
        YamlMapReader reader(field.value, subject, problems_);
        if (const YamlValue* module = reader.Require("module")) wrapper.call = ParseCallText(*module, subject);
        wrapper.when = TakeExpression("when", &reader, problems_);
        reader.Finish();
      } else {
        wrapper.call = ParseCallText(field.value, subject);
      }
      plugin_.wrappers.push_back(std::move(wrapper));
    }
  }

  void ParseVariant(const YamlValue::Field& field) {
    Variant variant;
    variant.name = field.name;
    Check(CheckCatalogName("variant", variant.name), field.mark);
    YamlMapReader reader(field.value, absl::StrCat("variant ", field.name), problems_);
    variant.summary = reader.RequireText("summary");
    variant.title = reader.TakeText("title");
    if (variant.title.empty()) variant.title = variant.name;
    if (const YamlValue* module = reader.Require("module")) {
      variant.mark = module->mark;
      variant.module = ParseCallText(*module, "field \"module\"");
    }
    const bool is_published_model = plugin_.extends.empty();
    if (const YamlValue* files = reader.Take("files")) {
      ParseFiles(*files, &variant);
    } else {
      variant.files.push_back(ParseFile(field.mark, is_published_model, &reader));
    }
    if (const YamlValue* whole = reader.Take("whole")) ParseWhole(*whole, &variant);
    variant.licence = is_published_model ? reader.RequireText("licence") : reader.TakeText("licence");
    if (const YamlValue* claims = reader.Take("licence_claims")) ParseLicenceClaims(*claims, &variant);
    variant.licence_note = reader.TakeText("licence_note");
    variant.published = reader.TakeBool("published", true);
    variant.mean = reader.TakeNumbers("mean");
    variant.std = TakePositiveNumbers("std", &reader, field.mark);
    reader.Finish();
    if (is_published_model && variant.published) RequirePlaces(variant, field.mark);
    plugin_.variants.push_back(std::move(variant));
  }

  // Takes the fields of one file.
  PublishedFile ParseFile(const YamlMark& mark, bool is_required, YamlMapReader* reader) {
    PublishedFile file;
    file.name = is_required ? reader->RequireText("file") : reader->TakeText("file");
    if (!file.name.empty()) Check(Annotate(CheckFileBelow(file.name), "field \"file\""), mark);
    file.also = reader->TakeTexts("also");
    for (const std::string& name : file.also) Check(Annotate(CheckFileBelow(name), "field \"also\""), mark);
    if (!file.also.empty() && file.name.empty()) problems_->Add(mark, "field \"also\" wants a field \"file\"");
    file.url = reader->TakeText("url");
    file.hub = reader->TakeText("hub");
    if (const YamlValue* digest = reader->Take("digest")) ParseDigest(*digest, &file);
    return file;
  }

  void ParseDigest(const YamlValue& value, PublishedFile* file) {
    const size_t problems_before = problems_->size();
    YamlMapReader reader(value, "field \"digest\"", problems_);
    file->sha256 = reader.RequireText("sha256");
    file->sha256_url = reader.RequireText("url");
    reader.Finish();
    if (problems_->size() > problems_before || IsSha256(file->sha256)) return;
    problems_->Add(value.mark,
                   absl::StrCat("field \"sha256\" wants 64 digits of 0-9 and a-f, or the first 8 of them or more; has ",
                                file->sha256));
  }

  void ParseFiles(const YamlValue& value, Variant* variant) {
    const std::vector<YamlValue::Field>& fields = ReadFields(value, "field \"files\"", problems_);
    if (value.kind == YamlValue::Kind::kMap && fields.size() < 2) {
      problems_->Add(value.mark, "field \"files\" wants two files or more; a single one is field \"file\"");
    }
    for (const YamlValue::Field& field : fields) {
      Check(CheckIdentifier(field.name), field.mark);
      YamlMapReader reader(field.value, absl::StrCat("file of ", field.name), problems_);
      variant->files.push_back(ParseFile(field.mark, /*is_required=*/true, &reader));
      variant->files.back().part = field.name;
      reader.Finish();
    }
  }

  void ParseWhole(const YamlValue& value, Variant* variant) {
    YamlMapReader reader(value, "field \"whole\"", problems_);
    variant->whole = ParseFile(value.mark, /*is_required=*/true, &reader);
    reader.Finish();
    if (variant->whole.url.empty() && variant->whole.hub.empty()) {
      problems_->Add(value.mark, "field \"whole\" wants url or hub");
    }
    if (variant->files.size() == 1) {
      problems_->Add(value.mark,
                     "field \"whole\" is for variants with field \"files\"; a single file is field \"file\"");
    }
  }

  // A published model has a place for each file.
  void RequirePlaces(const Variant& variant, const YamlMark& mark) {
    for (const PublishedFile& file : variant.files) {
      if (!file.url.empty() || !file.hub.empty()) continue;
      problems_->Add(mark, absl::StrCat("variant ", variant.name, " wants url or hub",
                                        file.part.empty() ? "" : absl::StrCat(" of ", file.part),
                                        ", or published: false for weights that are not public"));
    }
  }

  void ParseLicenceClaims(const YamlValue& value, Variant* variant) {
    const size_t problems_before = problems_->size();
    std::set<std::string> licences;
    for (const YamlValue& item : ReadItems(value, "field \"licence_claims\"", problems_)) {
      YamlMapReader reader(item, "an item of field \"licence_claims\"", problems_);
      LicenceClaim& claim = variant->licence_claims.emplace_back();
      claim.licence = reader.RequireText("licence");
      claim.url = reader.RequireText("url");
      reader.Finish();
      licences.insert(claim.licence);
    }
    const bool disagree = licences.size() > 1 && licences.count(variant->licence) > 0;
    if (disagree || problems_->size() > problems_before) return;
    problems_->Add(value.mark,
                   absl::StrCat("field \"licence_claims\" wants two licences or more, that of field \"licence\" "
                                "among them; has ",
                                licences.empty() ? "none" : absl::StrJoin(licences, ", ")));
  }

  void RequireModelParts(const YamlValue& document) {
    if (plugin_.upstream.empty()) problems_->Add(document.mark, "a plugin with variants wants upstream");
    const auto is_no_list = [](const YamlValue::Field& field) {
      return field.name == "examples" && field.value.kind != YamlValue::Kind::kList;
    };
    const bool is_reported = std::any_of(document.fields.begin(), document.fields.end(), is_no_list);
    if (plugin_.examples.empty() && !is_reported)
      problems_->Add(document.mark, "a plugin with variants wants examples");
    const auto is_preprocessing = [](const YamlValue::Field& field) { return field.name == "preprocessing"; };
    if (std::none_of(document.fields.begin(), document.fields.end(), is_preprocessing)) {
      problems_->Add(document.mark, "a plugin with variants wants preprocessing");
    }
  }

  FamilyReference ParseReference(const YamlValue& value) {
    return {ReadText(value, "a family", problems_), value.mark};
  }

  void Check(const absl::Status& status, const YamlMark& mark) {
    if (!status.ok()) problems_->Add(mark, status.message());
  }

  Call ParseCallText(const YamlValue& value, absl::string_view subject) {
    const std::string text = ReadText(value, subject, problems_);
    if (text.empty()) return Call();
    absl::StatusOr<Call> call = ParseCall(text);
    if (!call.ok()) problems_->Add(value.mark, call.status().message());
    return std::move(call).value_or(Call());
  }

  YamlProblems* problems_;
  Plugin plugin_;
};

}  // namespace

absl::StatusOr<Plugin> ParsePlugin(const YamlFile& file) {
  YamlProblems problems(file.path);
  Plugin plugin = PluginParser(&problems).Parse(ParseYaml(file, &problems));
  if (problems.size() > 0) return problems.status();
  return plugin;
}

}  // namespace modelport
