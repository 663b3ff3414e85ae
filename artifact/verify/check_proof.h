#ifndef MODELPORT_ARTIFACT_VERIFY_CHECK_PROOF_H_
#define MODELPORT_ARTIFACT_VERIFY_CHECK_PROOF_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "common/manifest/manifest.pb.h"
#include "common/torchscript/proof/round_trip.h"

namespace modelport {

// Returns what is wrong with `stated`, the proof of an artifact whose round trip has just given `round_trip` and
// `outputs`; empty if nothing is. Fields that depend on the machine of the export must have a value that some machine
// measures, all others the value of `round_trip`.
std::vector<std::string> ProofErrors(const Manifest::RoundTrip& stated, const RoundTrip& round_trip,
                                     const std::vector<c10::IValue>& outputs);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_VERIFY_CHECK_PROOF_H_
