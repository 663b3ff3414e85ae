// The pickle machine, and the recognition of Python's own types in its values.
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/pickle/python_objects.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

constexpr size_t kMaxInts = 64;

void Recognise(const pickle::Value& value) {
  FuzzCheck(!pickle::Describe(value).empty(), "a value has a description");
  const auto* items = pickle::SequenceItems(value);
  const auto ints = pickle::Ints(value, kMaxInts);
  if (items != nullptr && ints) FuzzCheck(ints->size() == items->size(), "each item is a number");
  if (ints) FuzzCheck(ints->size() <= kMaxInts, "numbers are at most as many as asked for");
  bool visited = false;
  FuzzCheckFileError(pickle::ForEachEntry(value, [&visited](const pickle::Value&, const pickle::Value&) {
    visited = true;
    return absl::OkStatus();
  }));
  FuzzCheck(!visited || pickle::IsDict(value), "only a dictionary has entries");
  FuzzCheck(!visited || !pickle::IsBare(value), "a value with entries is not bare");
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  modelport::Budget budget(size);
  const absl::StatusOr<modelport::pickle::Pickle> pickle =
      modelport::pickle::ReadPickle(modelport::FuzzText(data, size), budget);
  modelport::FuzzCheckFileError(pickle.status());
  if (!pickle.ok()) return 0;
  modelport::FuzzCheck(pickle->size <= size, "a pickle ends within the bytes");
  for (const modelport::pickle::Value& value : pickle->values) modelport::Recognise(value);
  return 0;
}
