// A sweep: whatever is done to the bytes of a checkpoint, it is read or refused, and nothing else happens. Run it with
// --config=asan.
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/table_files.h"
#include "common/io/testing/memory_file.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr uint8_t kMasks[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x7f, 0xff};

// Opens `bytes` as a file and touches all that it holds.
absl::Status ReadAll(const std::string& bytes) {
  const MemoryFile file(bytes);
  const absl::StatusOr<Checkpoint> checkpoint = OpenCheckpoint(file.path());
  if (!checkpoint.ok()) return checkpoint.status();
  for (const StateDict& dict : checkpoint->state_dicts()) {
    for (const CheckpointTensor& tensor : dict.tensors) {
      EXPECT_LE(RowMajorBytes(*checkpoint, tensor).size(), bytes.size());
    }
  }
  std::vector<int> storages(checkpoint->storages().size());
  std::iota(storages.begin(), storages.end(), 0);
  return VerifyCrc32(*checkpoint, storages);
}

// An error must say that the file, not the program, is at fault.
void ExpectReadOrRefused(const std::string& bytes, const std::string& damage) {
  const absl::Status status = ReadAll(bytes);
  const bool refused = absl::IsDataLoss(status) || absl::IsInvalidArgument(status) || absl::IsUnimplemented(status);
  EXPECT_TRUE(status.ok() || refused) << damage << ": " << status;
}

void FlipBytes(const std::string& good, size_t stride) {
  for (size_t i = 0; i < good.size(); i += stride) {
    for (const uint8_t mask : kMasks) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ mask);
      ExpectReadOrRefused(bytes, absl::StrCat("byte ", i, " ^ ", mask));
    }
  }
}

struct SmallFile {
  std::string name;
  std::string bytes;
};

class SmallFileTest : public testing::TestWithParam<SmallFile> {};

TEST_P(SmallFileTest, IsGood) { EXPECT_OK(ReadAll(GetParam().bytes)); }

TEST_P(SmallFileTest, CutAtEveryByteIsRefused) {
  for (size_t size = 0; size < GetParam().bytes.size(); ++size) {
    const absl::Status status = ReadAll(GetParam().bytes.substr(0, size));
    EXPECT_FALSE(status.ok()) << size;
    ExpectReadOrRefused(GetParam().bytes.substr(0, size), absl::StrCat("cut to ", size));
  }
}

TEST_P(SmallFileTest, EveryByteFlippedIsReadOrRefused) { FlipBytes(GetParam().bytes, 1); }

TEST_P(SmallFileTest, EveryByteRepeatedOrDroppedIsReadOrRefused) {
  const std::string& good = GetParam().bytes;
  for (size_t i = 0; i < good.size(); ++i) {
    ExpectReadOrRefused(absl::StrCat(good.substr(0, i), good.substr(i + 1)), absl::StrCat("without byte ", i));
    ExpectReadOrRefused(absl::StrCat(good.substr(0, i + 1), good.substr(i)), absl::StrCat("byte twice ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFileTest,
                         testing::Values(SmallFile{"Zip", SmallTorchZip()}, SmallFile{"Legacy", SmallTorchLegacy()},
                                         SmallFile{"Safetensors", SmallSafetensors()}),
                         [](const auto& info) { return info.param.name; });

class PublishedFileTest : public testing::TestWithParam<const char*> {};

TEST_P(PublishedFileTest, WithSomeBitsFlippedIsReadOrRefused) {
  std::ifstream stream(TableFile(GetParam()), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  ASSERT_OK(ReadAll(good));
  constexpr size_t kPrimeStride = 3;
  FlipBytes(good, kPrimeStride);
}

INSTANTIATE_TEST_SUITE_P(Formats, PublishedFileTest,
                         testing::Values("fp16.pth", "pickle_protocol5.pth", "legacy_fp16.pth", "fp16.safetensors"),
                         [](const auto& info) { return absl::StrCat("File", info.index); });

}  // namespace
}  // namespace modelport
