#ifndef MODELPORT_TOOLS_VERIFY_PRINT_VERIFICATION_H_
#define MODELPORT_TOOLS_VERIFY_PRINT_VERIFICATION_H_

#include <ostream>

#include "artifact/verify/verify_artifact.h"

namespace modelport {

// Prints what was verified: the model and its source, then a line for each check, passed, failed or not made.
void PrintVerification(const Verification& verification, std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_VERIFY_PRINT_VERIFICATION_H_
