#include "common/io/file_descriptor.h"

#include <fcntl.h>

#include <utility>

#include "gtest/gtest.h"

namespace modelport {
namespace {

FileDescriptor OpenNull() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOpen(int number) { return fcntl(number, F_GETFD) != -1; }

TEST(FileDescriptorTest, ClosesTheFileWhenItDies) {
  int number = -1;
  {
    const FileDescriptor file = OpenNull();
    ASSERT_TRUE(file.ok());
    number = file.number();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(FileDescriptorTest, WithoutAFileIsNotOk) {
  EXPECT_FALSE(FileDescriptor().ok());
  EXPECT_FALSE(FileDescriptor(open("/missing/file", O_RDONLY)).ok());
}

TEST(FileDescriptorTest, AMovedFileIsClosedOnce) {
  FileDescriptor file = OpenNull();
  const int number = file.number();
  FileDescriptor moved = std::move(file);
  EXPECT_EQ(moved.number(), number);
  file = FileDescriptor();
  EXPECT_TRUE(IsOpen(number));
  moved = FileDescriptor();
  EXPECT_FALSE(IsOpen(number));
}

}  // namespace
}  // namespace modelport
