#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/digest/background_digest.h"
#include "common/digest/sha256.h"
#include "common/io/writer.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

// Keeps the bytes in a string of at most `room` bytes.
class Text : public Writer {
 public:
  explicit Text(size_t room) : room_(room) {}
  absl::Status Write(absl::string_view bytes) override {
    if (text.size() + bytes.size() > room_) return absl::ResourceExhaustedError("full");
    absl::StrAppend(&text, bytes);
    return absl::OkStatus();
  }
  std::string text;

 private:
  const size_t room_;
};

TEST(HashingWriterTest, HashesAndWritesBytesOfBothKindsInOrder) {
  Text text(100 << 20);
  HashingWriter writer(text);
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    std::string header = absl::StrCat("header ", i);
    ASSERT_OK(writer.Write(header));
    header.assign(header.size(), '?');
    ASSERT_OK(writer.WriteLasting(large));
  }
  EXPECT_EQ(writer.size(), text.text.size());
  EXPECT_EQ(writer.HexDigest(), Sha256Of(text.text));
}

TEST(HashingWriterTest, EndsWithoutHexDigest) {
  Text text(100 << 20);
  const std::string large(64 << 20, 'x');
  HashingWriter writer(text);
  EXPECT_OK(writer.WriteLasting(large));
}

TEST(HashingWriterTest, ReturnsAnErrorOfTheWrappedWriter) {
  Text text(4);
  HashingWriter writer(text);
  EXPECT_OK(writer.Write("1234"));
  EXPECT_THAT(writer.Write(std::string(1 << 20, 'x')), StatusIs(absl::StatusCode::kResourceExhausted, "full"));
}

}  // namespace
}  // namespace modelport
