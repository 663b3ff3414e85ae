// Patterns of keys. The input is two patterns and a key, a line each.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/keymap/key_pattern.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using modelport::FuzzCheck;
  using modelport::KeyPattern;
  std::vector<std::string> lines = absl::StrSplit(modelport::FuzzText(data, size), absl::MaxSplits('\n', 2));
  lines.resize(3);
  const absl::StatusOr<KeyPattern> a = KeyPattern::Parse(lines[0]), b = KeyPattern::Parse(lines[1]);
  const std::string& key = lines[2];
  modelport::FuzzCheckRefusal(a.status());
  modelport::FuzzCheckRefusal(b.status());
  if (!a.ok()) return 0;
  const auto bindings = a->Match(key);
  FuzzCheck(bindings.has_value() == a->Matches(key), "Match and Matches agree");
  if (bindings) FuzzCheck(a->Substitute(*bindings) == key, "a key is made again from its bindings");
  if (!b.ok()) return 0;
  FuzzCheck(a->MayOverlap(*b) == b->MayOverlap(*a), "overlap is symmetric");
  if (a->Matches(key) && b->Matches(key)) FuzzCheck(a->MayOverlap(*b), "patterns that match one key overlap");
  return 0;
}
