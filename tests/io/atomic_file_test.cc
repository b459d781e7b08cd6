#include "mdgp/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testing/temporary_folder.h"

namespace mdgp {
namespace {

using fixture::TemporaryFolder;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const FileError& e) {
    return e.what();
  }
  return "no error";
}

TEST(AtomicFile, AppearsWithCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model"), bytes("one\0two\n", 8);
  AtomicFile file(path);
  file.write(bytes.substr(0, 3));
  file.write("");
  file.write(bytes.substr(3));
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(read_whole_file(path), bytes);
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, WithoutCommitNothingRemains) {
  const TemporaryFolder folder;
  { AtomicFile(folder.file("model")).write("half"); }
  EXPECT_EQ(folder.files(), 0);
}

TEST(AtomicFile, WithoutCommitTheOldFileIsAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_whole_file(path, "old");
  try {
    AtomicFile file(path);
    file.write("half of the new");
    throw std::runtime_error("no more");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(read_whole_file(path), "old");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, CommitReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_whole_file(path, "a long old file");
  write_whole_file(path, "new");
  EXPECT_EQ(read_whole_file(path), "new");
  write_whole_file(path, "");
  EXPECT_EQ(read_whole_file(path), "");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, RefusesDirectories) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  std::filesystem::create_directory(path);
  EXPECT_EQ(error_of([&] { AtomicFile file(path); }), path + ": is a directory, not a file");
  EXPECT_EQ(folder.files(), 1);
  const std::string lost = folder.file("nowhere/model");
  EXPECT_EQ(error_of([&] { AtomicFile file(lost); }), lost + ": No such file or directory");
}

// A rename would put a plain file in the place of a device: of /dev/null, where root writes there.
TEST(AtomicFile, RefusesDevicesAndPipes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { write_whole_file(path, "bytes"); }), path + ": is not a regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(folder.files(), 1);
}

// The directory is gone when the file should take its place: the machine's fault, not the user's.
TEST(AtomicFile, FailureToWriteIsNotTheUsersFault) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("sub"));
  const std::string path = folder.file("sub/model");
  AtomicFile file(path);
  file.write("bytes");
  std::filesystem::remove_all(folder.file("sub"));
  try {
    file.commit();
    FAIL();
  } catch (const FileError&) {
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(std::string(e.what()), path + ": cannot be written (No such file or directory)");
  }
}

TEST(ReadWholeFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  EXPECT_EQ(error_of([&] { read_whole_file(path); }), path + ": no such file");
  EXPECT_EQ(error_of([&] { read_whole_file(path + "/x"); }), path + "/x: no such file");
  write_whole_file(path, "12345");
  EXPECT_EQ(error_of([&] { read_whole_file(path + "/x"); }), path + "/x: Not a directory");
  EXPECT_EQ(error_of([&] { read_whole_file(path, 4); }), path + ": too large");
  EXPECT_EQ(read_whole_file(path, 5), "12345");
  std::filesystem::create_directory(folder.file("sub"));
  EXPECT_EQ(error_of([&] { read_whole_file(folder.file("sub")); }),
            folder.file("sub") + ": is not a regular file");
}

}  // namespace
}  // namespace mdgp
