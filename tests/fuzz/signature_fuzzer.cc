// The signature of an artifact: the bundle, and the statement in it.
#include "artifact/signature/signature.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {
namespace {

void CheckStatement(absl::string_view json) {
  const absl::StatusOr<std::vector<SignedFile>> files = ParseStatement(json);
  FuzzCheckFileError(files.status());
  if (!files.ok()) return;
  const absl::StatusOr<std::vector<SignedFile>> again = ParseStatement(WriteStatement("", *files));
  FuzzCheck(again.ok() && *again == *files, "a statement is read as it was written");
}

void CheckBundle(absl::string_view json) {
  const absl::StatusOr<Bundle> bundle = ParseBundle(json);
  FuzzCheckFileError(bundle.status());
  if (!bundle.ok()) return;
  CheckStatement(bundle->payload);
  const absl::StatusOr<Bundle> again = ParseBundle(WriteBundle(*bundle));
  FuzzCheck(again.ok() && SignedBytes(again->payload) == SignedBytes(bundle->payload) &&
                again->signature == bundle->signature && again->key_id == bundle->key_id,
            "a bundle is read as it was written");
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = modelport::FuzzText(data, size);
  modelport::CheckBundle(text);
  modelport::CheckStatement(text);
  return 0;
}
