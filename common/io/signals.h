#ifndef MODELPORT_COMMON_IO_SIGNALS_H_
#define MODELPORT_COMMON_IO_SIGNALS_H_

#include <signal.h>

#include <atomic>
#include <utility>
#include <vector>

namespace modelport {

// A function that a signal handler calls before a signal ends the process, on any thread. It must be async-signal-safe,
// so it may use neither locks nor the heap. It returns true if it has told the user what happened. If a step returns
// true, the process exits with status 1; otherwise the signal ends it.
using LastStep = bool (*)(int signal_number, const siginfo_t& info);

// Adds `step`; steps after the fourth are ignored. From the first call on, each signal that ends a process
// (EndsProcess) runs the steps first. A signal that the process ignores or handles at the first call, such as
// SIGHUP under nohup, keeps its action.
void AddLastStep(LastStep step);

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

// Delays the signals that would end the process (SIGINT, SIGTERM and the like), in all threads, while this object
// lives. The destructor raises those that arrived. SIGKILL and the signals of a fault in the program, such as SIGSEGV,
// are not delayed. Use it for a few quick steps that must all run. Only one such object may live at a time.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;  // The delayed signals and their actions before.
};

// Whether the default action of the signal `signal_number`, which is in 1..SIGRTMAX, ends the process. SIGKILL, which
// no process can handle, does not count.
bool EndsProcess(int signal_number);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_SIGNALS_H_
