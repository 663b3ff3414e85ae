// Prints the call signature of every operator that its LibTorch registers, sorted, one on each line. A call signature
// is the schema without the parts that a call in TorchScript does not show: the overload's name, the results, and
// whether an int is symbolic. This file is C++14, for LibTorch 1.6.
#include <torch/csrc/jit/runtime/operator.h>

#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

std::string CallSignature(const c10::FunctionSchema& schema) {
  std::ostringstream stream;
  stream << schema;
  const std::string text = stream.str();
  const size_t begin = text.find('('), end = text.rfind(") -> ") + 1;
  return schema.name() + std::regex_replace(text.substr(begin, end - begin), std::regex("SymInt"), "int");
}

}  // namespace

int main() {
  std::set<std::string> signatures;
  for (const auto& op : torch::jit::getAllOperators()) signatures.insert(CallSignature(op->schema()));
  for (const std::string& signature : signatures) std::cout << signature << "\n";
  return std::cout.flush() ? 0 : 1;
}
