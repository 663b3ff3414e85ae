#include "tools/image/decode.h"

#include <OpenEXR/IexBaseExc.h>

#include "absl/strings/str_cat.h"
#include "common/text/printable.h"

namespace modelport {

absl::Status PixelMemory::Start(int64_t width, int64_t height) {
  constexpr int64_t kMaxSide = int64_t{1} << 30;
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide) {
    return absl::InvalidArgumentError(absl::StrCat("has ", width, " x ", height, " pixels; wants at least 1 x 1"));
  }
  width_ = width;
  // Every image may be as large as one of floats, so that the limit does not depend on the kind of the file.
  const int64_t limit = memory_.size() / PixelBytes(1);
  if (width * height <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("has ", width, " x ", height, " pixels, more than the limit of ", limit / 1000000,
                   " megapixels; --max_megapixels=", (width * height + 999999) / 1000000, " reads it"));
}

absl::Status DamagedImage(absl::string_view message) {
  return absl::DataLossError(absl::StrCat("damaged or truncated: ", Brief(message)));
}

absl::Status NoAlpha() { return absl::FailedPreconditionError("has no alpha"); }

std::string NotFiniteNote(int64_t count) { return absl::StrCat(count, " values are not finite and taken as 0"); }

absl::Status CatchExr(absl::FunctionRef<absl::Status()> run) {
  try {
    return run();
  } catch (const Iex::BaseExc& error) {
    return DamagedImage(error.message());
  }
}

}  // namespace modelport
