// Converts a checkpoint from one layout to another.
#ifndef MODELPORT_TOOLS_CONVERT_CONVERT_CHECKPOINT_H_
#define MODELPORT_TOOLS_CONVERT_CONVERT_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/keymap/stored_layout.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"

namespace modelport {

struct ConvertOptions {
  CheckpointFiles checkpoints;         // One, or one for each part of `model`.
  std::string model;                   // The variant; empty: those that the only checkpoint fits.
  std::string layout;                  // The layout to write.
  std::vector<std::string> leave_out;  // Names, or patterns of keys, that need not be held.
  std::string out;
};

struct ConvertedFile {
  std::vector<std::string> models;  // Each of them gives this file.
  std::string from;                 // The layout of the checkpoint, or "PART LAYOUT, PART LAYOUT".
  std::string state_dict;           // The path of the dictionary that was taken, "" for the root.
  int64_t tensors = 0;
  int64_t bytes = 0;                      // Of the whole file.
  std::vector<Unstorable> left_out = {};  // On request.
  std::vector<std::string> lacking = {};  // Slots that neither the checkpoint nor the file holds.
  std::vector<std::string> filled = {};   // Slots that the checkpoint lacks and the file has.
  // Of the published weights of `models`, an SPDX name; where they differ, "Apache-2.0 of A, CC-BY-NC-4.0 of B".
  std::string licence = {};
  std::string licence_note = {};  // What a user of them must know beside it.
};

// Writes the tensors of a checkpoint, or of those that together fill one model, as one safetensors file in another
// layout: the bytes that the safetensors library writes for them, in the checkpoint's dtypes and with the metadata of a
// safetensors checkpoint, or else with {"format": "pt"}. Converts tensor by tensor: the memory is that of one
// conversion. After an error no file appears and an existing one is as it was.
//   InvalidArgument     no such layout, or one that can only be read or whose rules do not read what they write; `out`
//                       is a checkpoint or cannot be an output; an item of `leave_out` names nothing that the layout
//                       cannot hold; several checkpoints without a model
//   FailedPrecondition  the checkpoint, without the keys of `leave_out`, does not fit the model, or any; it fits
//                       several that give different files; the layout cannot hold all of it; it changed while it was
//                       read
//   DataLoss            the checkpoint is damaged
//   others              as OpenCheckpoint and OutputFile
absl::StatusOr<ConvertedFile> ConvertCheckpoint(const Registry& registry, const ConvertOptions& options);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CONVERT_CONVERT_CHECKPOINT_H_
