#include "tools/image/exr_status.h"

#include <OpenEXR/IexBaseExc.h>

#include "tools/image/decoded.h"

namespace modelport {

absl::Status CatchExr(absl::FunctionRef<absl::Status()> run) {
  try {
    return run();
  } catch (const Iex::BaseExc& error) {
    return DamagedImage(error.message());
  }
}

}  // namespace modelport
