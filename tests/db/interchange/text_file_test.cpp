#include "db/interchange/text_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <istream>
#include <ostream>

#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using TextFile = TemporaryFiles;

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + " lines\n";
  return text;
}

void write(const std::filesystem::path& path, const std::string& text) {
  OutputText output(path);
  std::ostream(&output) << text;
  output.commit();
}

std::string read(const std::filesystem::path& path) {
  InputText input(path);
  return {std::istreambuf_iterator<char>(&input), {}};
}

TEST_F(TextFile, ReadsBackWhatWasWrittenPlainOrPacked) {
  write(path("plain"), long_text());
  write(path("packed.gz"), long_text());
  EXPECT_EQ(read(path("plain")), long_text());
  EXPECT_EQ(read(path("packed.gz")), long_text());
  EXPECT_EQ(std::filesystem::file_size(path("plain")), long_text().size());
  EXPECT_LT(std::filesystem::file_size(path("packed.gz")), long_text().size() / 2);
}

TEST_F(TextFile, KnowsWhereItIs) {
  InputText input(file("one\ntwo\nthree"));
  std::istream stream(&input);
  std::string word;
  stream >> word >> word;
  EXPECT_EQ(input.line(), 2u);
  EXPECT_EQ(input.byte(), 7u);
}

TEST_F(TextFile, SaysWhenThePackedDataIsDamagedOrCutShort) {
  write(path("packed.gz"), long_text());
  const std::string packed = text(path("packed.gz"));
  EXPECT_THAT(message_of<InterchangeError>([&] { read(file(packed.substr(0, packed.size() / 2), "cut.gz")); }),
              HasSubstr("damaged or was cut short"));
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_THROW(read(file(damaged, "damaged.gz")), InterchangeError);
}

TEST_F(TextFile, AppearsOnlyWhenItIsComplete) {
  {
    OutputText output(path("never"));
    std::ostream(&output) << long_text();
  }
  EXPECT_FALSE(std::filesystem::exists(path("never")));
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

mode_t mode_of(const std::filesystem::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST_F(TextFile, HasTheModeOfTheOneThatItReplaces) {
  for (const mode_t mode : {0600, 0664, 0640, 0755, 0444, 0666}) {
    write(path("there"), "old");
    ASSERT_EQ(chmod(path("there").c_str(), mode), 0);
    write(path("there"), "new");
    EXPECT_EQ(mode_of(path("there")), mode);
    EXPECT_EQ(text(path("there")), "new");
    std::filesystem::remove(path("there"));
  }
}

TEST_F(TextFile, FollowsTheUmaskWhereItIsNew) {
  for (const mode_t mask : {0022, 0002, 0077}) {
    const mode_t before = umask(mask);
    write(path("new"), "text");
    umask(before);
    EXPECT_EQ(mode_of(path("new")), 0666 & ~mask);
    std::filesystem::remove(path("new"));
  }
}

TEST_F(TextFile, NobodyElseCanReadItBeforeItIsComplete) {
  write(path("there"), "old");
  ASSERT_EQ(chmod(path("there").c_str(), 0600), 0);
  OutputText output(path("there"));
  std::ostream(&output) << "secret" << std::flush;
  for (const auto& file : std::filesystem::directory_iterator(path(""))) EXPECT_EQ(mode_of(file.path()), 0600u);
  output.commit();
}

TEST_F(TextFile, LinksStayLinks) {
  namespace fs = std::filesystem;
  write(path("real"), "old");
  fs::create_hard_link(path("real"), path("hard"));
  fs::create_symlink("real", path("soft"));
  fs::create_symlink("soft", path("chain"));
  write(path("chain"), "new");
  EXPECT_TRUE(fs::is_symlink(path("chain")));
  EXPECT_TRUE(fs::is_symlink(path("soft")));
  EXPECT_EQ(text(path("hard")), "new");
  EXPECT_EQ(fs::hard_link_count(path("real")), 2u);
}

TEST_F(TextFile, ALinkToNothingYetLeadsToTheNewFile) {
  std::filesystem::create_symlink("made/later", path("link"));
  write(path("link"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(text(path("made/later")), "text");
}

TEST_F(TextFile, ItsFolderIsMadeWhereItIsNotThere) {
  write(path("not/there/yet"), "text");
  EXPECT_EQ(text(path("not/there/yet")), "text");
}

// The standard output of a program whose caller took a temporary file and deleted it at once, as /dev/stdout.
TEST_F(TextFile, OneWithoutANameIsWrittenInto) {
  const int nameless = open(path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(nameless, 0);
  std::filesystem::remove(path("file"));
  const std::filesystem::path descriptor = "/proc/self/fd/" + std::to_string(nameless);
  write(descriptor, "text");
  EXPECT_EQ(text(descriptor), "text");
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
  close(nameless);
}

// As a shell's `>> log` with -o /dev/stdout: neither emptied nor replaced.
TEST_F(TextFile, WhatIsOpenAlreadyIsWrittenIntoWhereItsOwnerStands) {
  write(path("log"), "before ");
  const int log = open(path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(log, 0);
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(log), path("link"));
  write("/dev/fd/" + std::to_string(log), "first ");
  write(path("link"), "second");
  EXPECT_EQ(text(path("log")), "before first second");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  close(log);
}

TEST_F(TextFile, SaysWhatCannotBeOpened) {
  EXPECT_THAT(message_of<InterchangeError>([&] { InputText input(path("nowhere")); }), HasSubstr("cannot read"));
  EXPECT_THAT(message_of<search::Error>([&] { OutputText output("/proc/no/such"); }),
              AllOf(HasSubstr("cannot write"), HasSubstr("the folder /proc/no is not there and could not be made")));
}

}  // namespace
}  // namespace warptune::db
