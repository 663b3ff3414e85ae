#include <atomic>
#include <thread>
#include <vector>

#include "common/io/signals.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kSize = 16;
using Slots = SignalSlots<int, kSize>;

int Take(Slots& slots, int value) {
  return slots.Take([value](int& slot) { slot = value; });
}

std::vector<int> Values(const Slots& slots) {
  std::vector<int> values;
  slots.ForEach([&](int value) { values.push_back(value); });
  return values;
}

TEST(SignalSlotsTest, VisitsTheSlotsThatAreTaken) {
  static Slots slots;
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
  static Slots slots;
  slots.Take([](int& slot) {
    slot = 7;
    EXPECT_THAT(Values(slots), IsEmpty());
  });
  EXPECT_THAT(Values(slots), ElementsAre(7));
}

TEST(SignalSlotsTest, WithoutAFreeSlotNothingIsFilled) {
  static Slots slots;
  for (int i = 0; i < kSize; ++i) EXPECT_NE(Take(slots, i), Slots::kNoSlot);
  EXPECT_EQ(slots.Take([](int&) { ADD_FAILURE(); }), Slots::kNoSlot);
  slots.Free(Slots::kNoSlot);
  EXPECT_THAT(Values(slots), SizeIs(kSize));
}

TEST(SignalSlotsTest, OneThreadAtATimeHasASlot) {
  static Slots slots;
  static std::atomic<int> owners[kSize];
  std::vector<std::thread> threads;
  for (int i = 0; i < 2 * kSize; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 1'000; ++j) {
        const int number = Take(slots, j);
        if (number == Slots::kNoSlot) continue;
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
