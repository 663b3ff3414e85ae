// docs/manifest.md and docs/schema/manifest.schema.json say what common/manifest/manifest.proto says: its fields, their
// types in JSON, and their comments. The page has the tables between
//   <!-- fields -->
//   <!-- end -->
#include <google/protobuf/descriptor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest.pb.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Json = nlohmann::ordered_json;

constexpr char kBegin[] = "<!-- fields -->\n", kEnd[] = "<!-- end -->";

// The comments of a .proto by the full names of messages and fields. A field's own comment stands behind it; one above
// such a field is a heading. A field without one behind it has that above it.
std::map<std::string, std::string> ReadComments(const std::string& proto) {
  std::map<std::string, std::string> comments;
  std::vector<std::string> scope;
  std::string above;
  for (absl::string_view line : absl::StrSplit(proto, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&line, "//")) {
      absl::StrAppend(&above, above.empty() ? "" : " ", absl::StripLeadingAsciiWhitespace(line));
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> spaced = absl::StrSplit(line, absl::MaxSplits("// ", 1));
    const std::vector<absl::string_view> words = absl::StrSplit(spaced.first, ' ', absl::SkipEmpty());
    if (!words.empty() && words[0] == "message") {
      scope.emplace_back(words[1]);
      comments[absl::StrJoin(scope, ".")] = above;
    } else if (line == "}") {
      scope.pop_back();
    } else if (absl::StrContains(spaced.first, " = ") && !scope.empty()) {
      const absl::string_view name = words[words.size() - 3];
      comments[absl::StrCat(absl::StrJoin(scope, "."), ".", name)] =
          spaced.second.empty() ? above : std::string(spaced.second);
    }
    above.clear();
  }
  return comments;
}

class Page {
 public:
  explicit Page(const std::string& proto) : comments_(ReadComments(proto)) {}

  std::string Tables() const {
    const Descriptor& manifest = *Manifest::descriptor();
    std::string text = Table(manifest);
    for (const Descriptor* part : Parts(manifest)) {
      absl::StrAppend(&text, "\n## ", part->name(), "\n\n");
      const std::string comment = Comment(part->full_name());
      if (!comment.empty()) absl::StrAppend(&text, comment, "\n\n");
      absl::StrAppend(&text, Table(*part));
    }
    return text;
  }

  std::string Schema() const {
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                   {"title", "manifest of an artifact of Modelport"}};
    schema.update(Object(*Manifest::descriptor()));
    for (const Descriptor* part : Parts(*Manifest::descriptor())) schema["definitions"][part->name()] = Object(*part);
    return schema.dump(1) + "\n";
  }

  // The fields and messages without a comment.
  std::vector<std::string> Uncommented() const {
    std::vector<std::string> names;
    for (const auto& [name, comment] : comments_) {
      if (comment.empty() && name != Manifest::descriptor()->name()) names.push_back(name);
    }
    return names;
  }

 private:
  static std::vector<const Descriptor*> Parts(const Descriptor& manifest) {
    std::vector<const Descriptor*> parts;
    for (int i = 0; i < manifest.nested_type_count(); ++i) parts.push_back(manifest.nested_type(i));
    return parts;
  }

  std::string Comment(absl::string_view full_name) const {
    absl::ConsumePrefix(&full_name, "modelport.");
    const auto found = comments_.find(std::string(full_name));
    return found == comments_.end() ? "" : found->second;
  }

  // Of one value.
  static std::string Kind(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return "object";
      case FieldDescriptor::CPPTYPE_STRING:
        return "string";
      case FieldDescriptor::CPPTYPE_BOOL:
        return "boolean";
      case FieldDescriptor::CPPTYPE_UINT32:
        return "integer";
      default:
        return "number";
    }
  }

  static std::string TypeCell(const FieldDescriptor& field) {
    const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const std::string name = is_message ? absl::StrCat("[", field.message_type()->name(), "](#",
                                                       absl::AsciiStrToLower(field.message_type()->name()), ")")
                                        : Kind(field);
    if (field.is_repeated()) return absl::StrCat("list of ", name);
    return field.has_presence() ? absl::StrCat(name, ", or absent") : name;
  }

  std::string Table(const Descriptor& message) const {
    std::string text = "| field | type | meaning |\n|:--|:--|:--|\n";
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      absl::StrAppend(&text, "| `", field.name(), "` | ", TypeCell(field), " | ",
                      absl::StrReplaceAll(Comment(field.full_name()), {{"|", "\\|"}}), " |\n");
    }
    return text;
  }

  Json Object(const Descriptor& message) const {
    Json object = {{"type", "object"}, {"properties", Json::object()}};
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      Json value = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE
                       ? Json{{"$ref", absl::StrCat("#/definitions/", field.message_type()->name())}}
                       : Json{{"type", Kind(field)}};
      Json& property = object["properties"][field.name()];
      property = {{"description", Comment(field.full_name())}};
      if (field.is_repeated()) {
        property["type"] = "array";
        property["items"] = std::move(value);
      } else {
        property.update(value);
      }
    }
    return object;
  }

  std::map<std::string, std::string> comments_;
};

class ManifestPageTest : public testing::Test {
 protected:
  const Page page_{ReadFile(DataPath("common/manifest/manifest.proto"))};
};

TEST_F(ManifestPageTest, HasEveryField) {
  const std::string page = ReadFile(DataPath("docs/manifest.md"));
  const size_t begin = page.find(kBegin), end = page.find(kEnd);
  ASSERT_LT(begin, end);
  const std::string made =
      absl::StrCat(page.substr(0, begin + sizeof(kBegin) - 1), "\n", page_.Tables(), "\n", page.substr(end));
  EXPECT_TRUE(page == made) << "docs/manifest.md is out of date; write\n" << made;
}

TEST_F(ManifestPageTest, TheSchemaHasEveryField) {
  const std::string made = page_.Schema();
  EXPECT_TRUE(ReadFile(DataPath("docs/schema/manifest.schema.json")) == made)
      << "docs/schema/manifest.schema.json is out of date; write\n"
      << made;
}

TEST_F(ManifestPageTest, EachFieldSaysWhatItMeans) { EXPECT_THAT(page_.Uncommented(), testing::IsEmpty()); }

// What export writes has these fields, and no others.
void ExpectFields(const Json& value, const Json& object, const Json& definitions) {
  for (const auto& [name, part] : value.items()) {
    ASSERT_TRUE(object.at("properties").contains(name)) << name;
    const Json& property = object["properties"][name];
    const Json& kind = property.contains("items") ? property["items"] : property;
    if (!kind.contains("$ref")) continue;
    const std::string reference = kind["$ref"];
    const Json& of_part = definitions.at(reference.substr(reference.rfind('/') + 1));
    for (const Json& item : part.is_array() ? part : Json::array({part})) ExpectFields(item, of_part, definitions);
  }
}

TEST_F(ManifestPageTest, TheSchemaDescribesWhatExportWrites) {
  const Json schema = Json::parse(page_.Schema());
  const Manifest read = ParseKnownFields(ReadFile(DataPath("tests/verify/release_0_1_0/m.manifest.json")));
  ASSERT_OK_AND_ASSIGN(const std::string written, WriteManifest(read));
  const Json manifest = Json::parse(written);
  EXPECT_EQ(manifest.size(), Manifest::descriptor()->field_count() - 2) << "this one has no interface and no outputs";
  ExpectFields(manifest, schema, schema["definitions"]);
}

}  // namespace
}  // namespace modelport
