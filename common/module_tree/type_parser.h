#ifndef MODELPORT_COMMON_MODULE_TREE_TYPE_PARSER_H_
#define MODELPORT_COMMON_MODULE_TREE_TYPE_PARSER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_type.h"
#include "common/tensor/dtype.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The parser of one module type: a field of `modules` such as "Linear(inputs, outputs): {...}".
class TypeParser {
 public:
  explicit TypeParser(YamlProblems* problems) : problems_(problems) {}

  // What cannot be understood is added to the problems and left out.
  ModuleType Parse(const YamlValue::Field& field);

 private:
  Signature ParseTypeSignature(const YamlValue::Field& field);
  std::vector<TensorDecl> ParseTensors(const std::vector<YamlValue::Field>& fields, bool are_buffers);
  TensorDecl ParseTensor(const YamlValue::Field& field, bool is_buffer);
  absl::optional<DType> ParseDType(const YamlValue& value);
  std::vector<ValueDecl> ParseConstants(const std::vector<YamlValue::Field>& fields);
  std::vector<ValueDecl> ParseAttributes(const std::vector<YamlValue::Field>& fields);
  absl::optional<ValueDecl> ParseValue(const YamlValue::Field& field);
  absl::optional<ValueDecl> ParseKnob(const YamlValue::Field& field);
  ChildDecl ParseChild(const YamlValue::Field& field);
  ModuleEntry ParseItem(const YamlValue& value, absl::string_view child);
  ModuleEntry ParseModule(const YamlValue& value, absl::string_view child);
  std::vector<ModuleEntry> ParseItems(const std::vector<YamlValue>& values, absl::string_view child);
  Call ParseCallText(const YamlValue& value, absl::string_view subject);

  // Members of all sections share one namespace: methods use each of them as self.NAME.
  void AddMember(const YamlValue::Field& field);
  void CheckName(absl::string_view name, const YamlMark& mark);

  // The value, or nothing and a problem at `mark`.
  template <typename T>
  absl::optional<T> Parsed(absl::StatusOr<T> result, const YamlMark& mark);

  YamlProblems* problems_;
  absl::flat_hash_map<std::string, int> members_;  // The line of each member, by name.
};

// Reads TorchScript text from a "|" block. Adds a problem that begins with `subject` if `value` is not such a block.
SourceText ReadSource(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

// Parses the field `entry_points` of a module type: for each method its inputs and outputs. What is wrong with it is
// added to `problems`.
std::vector<EntryPointDecl> ParseEntryPoints(const std::vector<YamlValue::Field>& methods, YamlProblems* problems);

// Parses the field `interface` of a module type. What is wrong with it is added to `problems`.
InterfaceDecl ParseInterface(const YamlValue& value, YamlProblems* problems);

// Parses a call that a round trip makes: forward([1, 3, 28, 42]). Its arguments are given by position; names in them,
// and the types of their values, are checked when the model is built. What is wrong with it is added to `problems`.
Call ParseExample(const YamlValue& value, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_TYPE_PARSER_H_
