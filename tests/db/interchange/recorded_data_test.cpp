// Published recordings, read in place: every file there is, whatever its age.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "db/interchange/formats.h"
#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::EndsWith;

class RecordedData : public TemporaryFiles {
 protected:
  void SetUp() override {
    const char* variable = std::getenv("WARPTUNE_RECORDED_DATA");
    folder_ = variable ? variable : WARPTUNE_RECORDED_DATA;
    if (folder_.empty())
      GTEST_SKIP() << "SKIPPED: no recorded data; set WARPTUNE_RECORDED_DATA (environment or CMake) to its folder";
  }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      if (entry.path().string().ends_with(".json.gz")) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }

  std::filesystem::path folder_;
};

TEST_F(RecordedData, RoundTripsExactly) {
  ASSERT_FALSE(files().empty());
  for (const auto& file : files()) {
    const RecordedSpace space = read_recorded_space(file);
    EXPECT_GT(space.trials.size(), 1000u) << file;
    EXPECT_FALSE(space.unfinished) << file;
    write_recorded_space(space, file.string().find("_T4") == std::string::npos ? write_kernel_tuner : write_t4,
                         path("again.json"));
    EXPECT_TRUE(read_recorded_space(path("again.json")) == space) << file;
  }
}

TEST_F(RecordedData, TellsTheSameInBothFormats) {
  for (const auto& file : files()) {
    const std::string name = file.string();
    if (name.find("_T4") == std::string::npos || name.find("convolution") == std::string::npos) continue;
    std::string cache_name = name;
    cache_name.erase(cache_name.find("_T4"), 3);
    const RecordedSpace t4 = read_recorded_space(file), cache = read_recorded_space(cache_name);
    ASSERT_EQ(t4.trials.size(), cache.trials.size());
    for (std::size_t i = 0; i < t4.trials.size(); ++i) {
      EXPECT_EQ(t4.trials[i].values, cache.trials[i].values);
      EXPECT_EQ(t4.trials[i].outcome, cache.trials[i].outcome);
      EXPECT_EQ(t4.trials[i].times_ms, cache.trials[i].times_ms);
    }
  }
}

}  // namespace
}  // namespace warptune::db
