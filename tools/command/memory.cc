#include "tools/command/memory.h"

#include <malloc.h>

namespace modelport {

void GiveBackFreedMemory() { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace modelport
