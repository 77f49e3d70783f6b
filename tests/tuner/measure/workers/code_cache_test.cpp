#include "tuner/measure/cache/code_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  CodeCache open(std::uint64_t limit = 1 << 20) { return CodeCache({folder_.path() / "cache", limit}); }
  std::vector<fs::path> files() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache"))
      if (entry.is_regular_file() && entry.path().filename() != "lock") found.push_back(entry.path());
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(CodeCacheTest, WhatWasPutIsThereForOthers) {
  CodeCache writer = open(), reader = open();
  const std::string bytes("with\0zero", 9);
  writer.put("abcdef", bytes);
  EXPECT_EQ(reader.get("abcdef"), bytes);
  EXPECT_EQ(reader.get("abcd00"), std::nullopt);
  EXPECT_EQ(reader.stats().entries, 1u);
}

TEST_F(CodeCacheTest, ADamagedEntryIsAMissAndIsDeleted) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  const fs::path file = files().at(0);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(30).put('!');
  EXPECT_EQ(cache.get("abcdef"), std::nullopt);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(CodeCacheTest, ATruncatedEntryIsAMiss) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  for (const std::uintmax_t bytes : {26, 10, 0}) {
    cache.put("abcdef", "machine code");
    fs::resize_file(files().at(0), bytes);
    EXPECT_EQ(cache.get("abcdef"), std::nullopt) << bytes;
  }
}

TEST_F(CodeCacheTest, TheLeastRecentlyUsedGoFirst) {
  CodeCache cache = open();
  const std::string kilobyte(1000, 'x');
  const auto now = fs::file_time_type::clock::now();
  for (const char digit : std::string("01234567")) {
    cache.put(std::string("aa") + digit, kilobyte);
    for (const fs::path& file : files())
      if (file.filename() == std::string(1, digit)) fs::last_write_time(file, now - std::chrono::hours('9' - digit));
  }
  EXPECT_TRUE(cache.get("aa3"));  // now the most recently used
  open(5000).trim();
  EXPECT_LE(cache.stats().bytes, 5000u);
  EXPECT_TRUE(cache.get("aa3"));
  EXPECT_TRUE(cache.get("aa7"));
  EXPECT_FALSE(cache.get("aa0"));
}

TEST_F(CodeCacheTest, AFolderThatCannotBeWrittenCostsOnlyTheEntry) {
  CodeCache cache({"/proc/no/such/folder", 1 << 20});
  cache.put("abcdef", "machine code");
  EXPECT_EQ(cache.get("abcdef"), std::nullopt);
  EXPECT_EQ(cache.stats().entries, 0u);
}

TEST_F(CodeCacheTest, ManyThreadsSeeWholeEntriesOnly) {
  CodeCache cache = open(20000);  // trims all the time
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&cache] {
      for (int i = 0; i < 200; ++i) {
        const std::string key = "ab" + std::to_string(i % 20), bytes(500 + static_cast<std::size_t>(i % 20), 'z');
        cache.put(key, bytes);
        const auto got = cache.get(key);
        EXPECT_EQ(got.value_or(bytes), bytes);
      }
    });
}

TEST_F(CodeCacheTest, ClearingLeavesNothing) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  cache.clear();
  EXPECT_EQ(cache.stats().entries, 0u);
  cache.put("abcdef", "machine code");
  EXPECT_TRUE(cache.get("abcdef"));
}

TEST_F(CodeCacheTest, WhatOthersMayHaveWrittenIsNotLoaded) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  const fs::path file = files().at(0);
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(file, others, fs::perm_options::add);
    EXPECT_EQ(cache.get("abcdef"), std::nullopt);
    fs::permissions(file, others, fs::perm_options::remove);
    EXPECT_EQ(cache.get("abcdef"), "machine code");
  }
  const fs::path elsewhere = folder_.path() / "planted";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(cache.get("abcdef"), std::nullopt);
}

TEST_F(CodeCacheTest, AnEntryUnderAnothersNameIsNone) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  const fs::path file = files().at(0);
  fs::copy_file(file, file.parent_path() / "0000");
  EXPECT_EQ(cache.get("ab0000"), std::nullopt);
  EXPECT_EQ(cache.get("abcdef"), "machine code");
}

TEST_F(CodeCacheTest, AFolderInPlaceOfAnEntryIsReplaced) {
  CodeCache cache = open();
  cache.put("abcdef", "machine code");
  const fs::path file = files().at(0);
  fs::remove(file);
  fs::create_directories(file / "with" / "content");
  EXPECT_EQ(cache.get("abcdef"), std::nullopt);
  cache.put("abcdef", "machine code");
  EXPECT_EQ(cache.get("abcdef"), "machine code");
}

}  // namespace
}  // namespace warptune::tuner
