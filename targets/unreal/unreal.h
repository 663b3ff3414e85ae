#ifndef MODELPORT_TARGETS_UNREAL_UNREAL_H_
#define MODELPORT_TARGETS_UNREAL_UNREAL_H_

#include "targets/target/target.h"

namespace modelport {

// Unreal Engine's Neural Network Engine, whose neural profiles for post-processing take one image of one size.
const Target& UnrealTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_UNREAL_UNREAL_H_
