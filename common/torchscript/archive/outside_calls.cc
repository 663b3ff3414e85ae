#include "common/torchscript/archive/outside_calls.h"

#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parse_string_literal.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Token;

// An operator, or a namespace of operators and of classes.
struct OutsideName {
  absl::string_view name;
  absl::string_view effect;
};

constexpr OutsideName kOutsideNames[] = {
    {"_c10d_functional::", "exchanges data with other processes"},
    {"_c10d_functional_autograd::", "exchanges data with other processes"},
    {"_dtensor::", "exchanges data with other processes"},
    {"aten::from_file", "reads and writes files"},
    {"aten::save", "writes files"},
    {"c10d::", "exchanges data with other processes"},
    {"symm_mem::", "exchanges data with other processes"},
};

// "save" of "aten::save", "c10d" of "c10d::".
absl::string_view LastName(absl::string_view name) {
  absl::ConsumeSuffix(&name, "::");
  absl::ConsumePrefix(&name, "aten::");
  return name;
}

// A name after a dot, or a string for getattr, that may mean an outside name.
struct Member {
  const OutsideName* outside;
  std::string owner;  // The name before the dot, or "" if there is no name; "getattr" for a string of getattr.
  bool is_called;
  std::string place;  // "code/__torch__.py:12"
};

// Collects the members and the functions that records of code define.
class MemberReader {
 public:
  absl::Status Read(const ScriptArchive::Record& record) {
    const absl::Status read = CatchTorch([&] {
      ReadTokens(torch::jit::Lexer(std::make_shared<torch::jit::Source>(std::string(record.content),
                                                                        std::string(record.path), /*first line*/ 1)));
    });
    if (read.ok()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(Brief(record.path), ": not TorchScript: ", PrintableLines(read.message())));
  }

  const std::vector<Member>& members() const { return members_; }
  bool Defines(absl::string_view name) const { return defined_.contains(name); }

 private:
  void ReadTokens(torch::jit::Lexer lexer) {
    bool uses_getattr = false;
    Token owner = lexer.cur(), last = owner;
    while (lexer.cur().kind != torch::jit::TK_EOF) {
      const Token token = lexer.next();
      const bool is_name = token.kind == torch::jit::TK_IDENT;
      if (is_name && last.kind == '.') AddMember(Text(owner), token.text(), lexer.cur().kind == '(', token);
      if (is_name && last.kind == torch::jit::TK_DEF) defined_.insert(token.text());
      if (is_name && token.text() == "getattr") uses_getattr = true;
      if (uses_getattr && token.kind == torch::jit::TK_STRINGLITERAL) {
        AddMember("getattr", torch::jit::parseStringLiteral(token.range, token.text()), /*is_called=*/true, token);
      }
      owner = last;
      last = token;
    }
  }

  static std::string Text(const Token& token) { return token.kind == torch::jit::TK_IDENT ? token.text() : ""; }

  void AddMember(const std::string& owner, const std::string& name, bool is_called, const Token& token) {
    const auto found = std::find_if(std::begin(kOutsideNames), std::end(kOutsideNames),
                                    [&](const OutsideName& outside) { return LastName(outside.name) == name; });
    if (found == std::end(kOutsideNames)) return;
    const auto place = token.range.file_line_col();
    members_.push_back({found, owner, is_called, absl::StrCat(std::get<0>(*place), ":", std::get<1>(*place))});
  }

  std::vector<Member> members_;
  absl::flat_hash_set<std::string> defined_;
};

bool IsNamespace(const OutsideName& outside) { return absl::EndsWith(outside.name, "::"); }

bool MayMeanOutsideName(const Member& member, const MemberReader& reader) {
  const std::string& owner = member.owner;
  if (IsNamespace(*member.outside)) return owner == "ops" || owner == "classes" || owner == "getattr";
  if (owner == "torch" || owner == "aten" || owner == "autograd") return true;
  return member.is_called && !reader.Defines(LastName(member.outside->name));
}

absl::Status CallsOutside(absl::string_view place, absl::string_view name, absl::string_view effect) {
  return absl::FailedPreconditionError(absl::StrCat(Brief(place), ": calls ", name, ", which ", effect,
                                                    "\n  remove the call and save the module again"));
}

}  // namespace

absl::string_view OutsideEffect(absl::string_view name) {
  for (const OutsideName& outside : kOutsideNames) {
    if (IsNamespace(outside) ? absl::StartsWith(name, outside.name) : name == outside.name) return outside.effect;
  }
  return "";
}

absl::Status CheckNoOutsideCalls(const ScriptArchive& archive) {
  MemberReader reader;
  for (const ScriptArchive::Record& record : archive.records()) {
    if (IsCode(record.path)) RETURN_IF_ERROR(reader.Read(record));
  }
  for (const Member& member : reader.members()) {
    if (!MayMeanOutsideName(member, reader)) continue;
    return CallsOutside(member.place, LastName(member.outside->name), member.outside->effect);
  }
  return absl::OkStatus();
}

absl::Status CheckNoOutsideCalls(const std::vector<Operator>& operators) {
  for (const Operator& op : operators) {
    const absl::string_view effect = OutsideEffect(op.name);
    if (!effect.empty()) return CallsOutside(op.calls.front().places.front().line.place, op.name, effect);
  }
  return absl::OkStatus();
}

}  // namespace modelport
