#include "common/io/signal_slots.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename Slots>
int Take(Slots& slots, int value) {
  return slots.Take([value](int& slot) { slot = value; });
}

template <typename Slots>
std::vector<int> Values(const Slots& slots) {
  std::vector<int> values;
  slots.ForEach([&](int value) { values.push_back(value); });
  return values;
}

TEST(SignalSlotsTest, VisitsTheSlotsThatAreTaken) {
  static SignalSlots<int> slots;
  const int first = Take(slots, 7);
  const int second = Take(slots, 8);
  EXPECT_THAT(Values(slots), ElementsAre(7, 8));
  slots.Free(first);
  EXPECT_THAT(Values(slots), ElementsAre(8));
  EXPECT_EQ(Take(slots, 9), first);
  EXPECT_THAT(Values(slots), ElementsAre(9, 8));
  slots.Free(first);
  slots.Free(second);
  EXPECT_THAT(Values(slots), IsEmpty());
}

TEST(SignalSlotsTest, ASlotIsNotVisibleBeforeItIsFilled) {
  static SignalSlots<int> slots;
  slots.Take([](int& slot) {
    slot = 7;
    EXPECT_THAT(Values(slots), IsEmpty());
  });
  EXPECT_THAT(Values(slots), ElementsAre(7));
}

TEST(SignalSlotsTest, WithoutAFreeSlotNothingIsFilled) {
  static SignalSlots<int, 2> slots;
  Take(slots, 7);
  Take(slots, 8);
  EXPECT_EQ(slots.Take([](int&) { ADD_FAILURE(); }), slots.kNoSlot);
  slots.Free(slots.kNoSlot);
  EXPECT_THAT(Values(slots), ElementsAre(7, 8));
}

TEST(SignalSlotsTest, OneThreadAtATimeHasASlot) {
  static SignalSlots<int, 2> slots;
  static std::atomic<int> owners[2];
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 10'000; ++j) {
        const int number = Take(slots, j);
        if (number == slots.kNoSlot) continue;
        EXPECT_EQ(owners[number]++, 0);
        owners[number]--;
        slots.Free(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Values(slots), IsEmpty());
}

}  // namespace
}  // namespace modelport
