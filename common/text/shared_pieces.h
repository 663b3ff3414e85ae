#ifndef MODELPORT_COMMON_TEXT_SHARED_PIECES_H_
#define MODELPORT_COMMON_TEXT_SHARED_PIECES_H_

#include "absl/strings/string_view.h"

namespace modelport {

// How much of two names is the same, from 0 to 1: the share of characters in their longest common piece, and so on for
// what is left and right of it (Ratcliff and Obershelp). "attn.proj" and "attention.out_proj": 18 of 27. Takes time
// cubic in the names' sizes in the worst case; of names of more than 96 bytes only the ends are compared.
double SharedPieces(absl::string_view a, absl::string_view b);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TEXT_SHARED_PIECES_H_
