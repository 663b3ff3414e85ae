#ifndef MODELPORT_COMMON_IO_SHA256_PAIR_H_
#define MODELPORT_COMMON_IO_SHA256_PAIR_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// The SHA-256 digests of two streams of bytes, computed in step. A digest is one long chain of instructions that wait
// for each other, so that a processor with SHA instructions takes two chains in 1.4 times the time of one. Without them
// it is the same as two Sha256.
class Sha256Pair {
 public:
  Sha256Pair();
  ~Sha256Pair();

  // Appends `first` to the first stream and `second` to the second; quickest if they are of one length.
  void Update(absl::string_view first, absl::string_view second);

  // Digests of all bytes so far, 64 lower-case hex digits. More bytes may follow.
  std::string FirstHexDigest() const;
  std::string SecondHexDigest() const;

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_SHA256_PAIR_H_
