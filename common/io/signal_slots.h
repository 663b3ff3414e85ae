#ifndef MODELPORT_COMMON_IO_SIGNAL_SLOTS_H_
#define MODELPORT_COMMON_IO_SIGNAL_SLOTS_H_

#include <atomic>

namespace modelport {

// Up to kSize values that a signal handler can read: a handler may use neither locks nor the heap, so make this an
// object of static storage duration. Threads may take and free slots at the same time.
template <typename T, int kSize>
class SignalSlots {
 public:
  static constexpr int kNoSlot = -1;

  // Lets `fill` write the value of a free slot, then makes it visible to ForEach. Returns the slot's number, or kNoSlot
  // if all slots are taken; `fill` is not called then.
  template <typename Fill>
  int Take(Fill fill) {
    for (int i = 0; i < kSize; ++i) {
      if (slots_[i].taken.exchange(true)) continue;
      fill(slots_[i].value);
      slots_[i].visible = true;
      return i;
    }
    return kNoSlot;
  }

  // Gives the slot `number` back, which Take returned. Does nothing for kNoSlot.
  void Free(int number) {
    if (number == kNoSlot) return;
    slots_[number].visible = false;
    slots_[number].taken = false;
  }

  // Calls `visit` for every visible value. A signal handler may call this.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.visible) visit(slot.value);
    }
  }

 private:
  struct Slot {
    std::atomic<bool> taken = false;
    std::atomic<bool> visible = false;  // `value` is complete.
    T value = {};
  };

  Slot slots_[kSize];
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_SIGNAL_SLOTS_H_
