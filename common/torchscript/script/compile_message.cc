#include "common/torchscript/script/compile_message.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

using Lines = std::vector<std::string>;

constexpr absl::string_view kFile = "  File \"";

// The two parts of LibTorch's error text: what it says, and the lines from the first source location on.
struct TorchError {
  Lines says;
  Lines places;
};

// A signature, and why a call does not fit it.
struct Refusal {
  std::string signature;
  std::string reason;
};

TorchError Split(absl::string_view error) {
  TorchError parts;
  for (const absl::string_view line : absl::StrSplit(error, '\n')) {
    Lines& part = parts.places.empty() && !absl::StartsWith(line, kFile) ? parts.says : parts.places;
    const std::string plain = WithPluginNames(line);
    const bool says_nothing =
        absl::StripAsciiWhitespace(plain).empty() || plain == ":" || absl::StartsWith(plain, "The original call is");
    if (&part == &parts.places || !says_nothing) part.push_back(plain);
  }
  if (!parts.says.empty()) parts.says.back() = std::string(absl::StripSuffix(parts.says.back(), ":"));
  return parts;
}

// Returns where in `source` the error is, such as "modules.yaml:10", and removes that line from `places` if it is the
// first.
std::string TakePlace(const SourceText& source, Lines* places) {
  const std::string opening = absl::StrCat(kFile, source.name, "\", line ");
  const auto line = std::find_if(places->begin(), places->end(),
                                 [&](const std::string& text) { return absl::StartsWith(text, opening); });
  if (line == places->end()) return absl::StrCat(source.file, ":", source.line);
  const std::string place = absl::StrCat(source.file, ":", line->substr(opening.size()));
  if (line == places->begin()) places->erase(line);
  return place;
}

bool IsSignature(absl::string_view line) { return absl::StrContains(line, ") -> ") && absl::EndsWith(line, ":"); }

// "forward(Conv2d self, Tensor x) -> Tensor" as "Conv2d.forward(self, Tensor x) -> Tensor".
std::string OfMethod(const std::string& signature) {
  const size_t open = signature.find('('), self = signature.find(" self", open);
  if (self == std::string::npos || signature.find(',', open) < self) return signature;
  const std::string type = signature.substr(open + 1, self - open - 1);
  if (type == "Tensor") return signature;
  return absl::StrCat(type, ".", signature.substr(0, open + 1), signature.substr(self + 1));
}

// Finds the signatures and their reasons: LibTorch prints each reason below its signature.
std::vector<Refusal> FindRefusals(const Lines& says) {
  std::vector<Refusal> refusals;
  for (const std::string& line : says) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (IsSignature(text)) {
      refusals.push_back({OfMethod(std::string(absl::StripSuffix(text, ":"))), ""});
    } else if (!refusals.empty()) {
      absl::StrAppend(&refusals.back().reason, refusals.back().reason.empty() ? "" : " ", text);
    }
  }
  for (Refusal& refusal : refusals) refusal.reason = std::string(absl::StripSuffix(refusal.reason, "."));
  return refusals;
}

// Leaves out overloads that write into a tensor `out`, which plugins rarely call, unless there are no others.
std::vector<Refusal> WithoutOut(const std::vector<Refusal>& refusals) {
  std::vector<Refusal> kept;
  std::copy_if(refusals.begin(), refusals.end(), std::back_inserter(kept),
               [](const Refusal& refusal) { return !absl::StrContains(refusal.signature, ") out"); });
  return kept.empty() ? refusals : kept;
}

// "torch.softmax" of "aten::softmax.int(Tensor self, int dim) -> Tensor".
std::string CalledName(absl::string_view signature) {
  absl::string_view name = signature.substr(0, signature.find('('));
  if (absl::ConsumePrefix(&name, "aten::")) return absl::StrCat("torch.", name.substr(0, name.find('.')));
  return std::string(name);
}

// `text` without the prefix `before` and the suffix `after`; empty unless it has both.
std::string Between(absl::string_view text, absl::string_view before, absl::string_view after) {
  const bool fits = absl::ConsumePrefix(&text, before) && absl::ConsumeSuffix(&text, after);
  return fits ? std::string(text) : "";
}

std::string OperatorHint(absl::string_view prefix, absl::string_view name, const std::vector<std::string>& operators) {
  const auto append = [&](std::string* out, const std::string& near) { absl::StrAppend(out, prefix, near); };
  const std::vector<std::string> nearest = Nearest(name, operators);
  return nearest.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(nearest, ", ", append));
}

std::string UndefinedName(const std::string& name, const KnownNames& known) {
  const std::string says = absl::StrCat("undefined name ", name);
  if (std::count(known.operators.begin(), known.operators.end(), name) > 0) {
    return absl::StrCat(says, "; call torch.", name);
  }
  return absl::StrCat(says, NearestHint(name, known.functions));
}

std::string Cause(const Lines& says, const KnownNames& known) {
  if (says.empty()) return "LibTorch does not say why";
  if (const std::string name = Between(says[0], "undefined value ", ""); !name.empty()) {
    return UndefinedName(name, known);
  }
  if (const std::string name = Between(says[0], "Unknown builtin op: aten::", "."); !name.empty()) {
    return absl::StrCat("torch.", name, " is not available", OperatorHint("torch.", name, known.operators));
  }
  if (const std::string name = Between(says[0], "'Tensor' object has no attribute or method '", "'."); !name.empty()) {
    return absl::StrCat("a Tensor has no attribute or method ", name, OperatorHint("", name, known.operators));
  }
  return absl::StrJoin(says, " ", [](std::string* out, absl::string_view line) {
    absl::StrAppend(out, absl::StripAsciiWhitespace(line));
  });
}

// Appends `details` as indented lines.
void AddDetails(const Lines& details, std::string* message) {
  for (const std::string& line : details) {
    if (!line.empty()) absl::StrAppend(message, "\n  ", line);
  }
}

// Removes from `text` each piece that starts with `begin`, up to and including the next `end`.
void RemovePieces(absl::string_view begin, absl::string_view end, std::string* text) {
  for (size_t start = text->find(std::string(begin)); start != std::string::npos;
       start = text->find(std::string(begin), start)) {
    const size_t stop = text->find(std::string(end), start);
    if (stop == std::string::npos) return;
    text->erase(start, stop + end.size() - start);
  }
}

}  // namespace

std::string CompileMessage(const SourceText& source, absl::string_view what, absl::string_view error,
                           const KnownNames& known) {
  TorchError parts = Split(error);
  const std::vector<Refusal> refusals = WithoutOut(FindRefusals(parts.says));
  std::string message = absl::StrCat(TakePlace(source, &parts.places), ": ", what, " does not compile: ");
  if (refusals.empty()) {
    absl::StrAppend(&message, Cause(parts.says, known));
  } else if (refusals.size() == 1) {
    absl::StrAppend(&message, refusals[0].reason, "; the signature is ", refusals[0].signature);
  } else {
    absl::StrAppend(&message, "the arguments fit no signature of ", CalledName(refusals[0].signature));
  }
  AddDetails(parts.places, &message);
  if (refusals.size() < 2) return message;
  for (const Refusal& refusal : refusals) absl::StrAppend(&message, "\n  ", refusal.signature, ": ", refusal.reason);
  return message;
}

std::string WithPluginNames(absl::string_view text) {
  std::string plain = absl::StrReplaceAll(text, {{absl::StrCat(kClassNamespace, "."), ""}});
  RemovePieces(" (of Python compilation unit at: 0x", ")", &plain);
  return plain;
}

}  // namespace modelport
