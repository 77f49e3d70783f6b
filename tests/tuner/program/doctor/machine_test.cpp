// Surroundings that are broken in the ways in which users' are. Nothing here rests on permissions, which root has.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "db/store.h"
#include "tests/support/temporary_folder.h"
#include "tuner/program/doctor/diagnosis.h"
#include "tuner/program/doctor/disk.h"
#include "tuner/program/doctor/look_in_processes.h"

namespace warptune::tuner::doctor {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class DoctorsMachine : public testing::Test {
 protected:
  DoctorsMachine() {
    around_.home = folder_.path().string();
    around_.store = folder_.path() / "data/warptune.db";
    around_.cache = folder_.path() / "cache/warptune";
    around_.cache_limit_bytes = 1 << 20;
  }
  Finding store() { return look_at_store(around_).at(0); }
  void make_store() { db::Store::open(around_.store, db::OpenMode::read_write); }
  void change(const std::string& sql) { SQLite::Database(around_.store.string(), SQLite::OPEN_READWRITE).exec(sql); }

  TemporaryFolder folder_;
  Surroundings around_;
};

TEST_F(DoctorsMachine, AStoreThatIsStillToBeMadeIsFineAndNotMade) {
  EXPECT_EQ(store().health, Health::ok);
  EXPECT_THAT(store().what, HasSubstr("will be made"));
  EXPECT_FALSE(fs::exists(folder_.path() / "data"));
}

TEST_F(DoctorsMachine, AStoreThatCannotBeMadeIsAnError) {
  around_.store = "/proc/none/warptune.db";
  EXPECT_EQ(store().health, Health::error);
  EXPECT_THAT(store().remedy, HasSubstr("--db"));
  folder_.write("file", "");
  around_.store = folder_.path() / "file/warptune.db";
  EXPECT_EQ(store().health, Health::error);
  EXPECT_THAT(store().what, HasSubstr("is a file"));
  around_.store.clear();
  around_.no_store = "there is no place for the store: HOME is not set; set it";
  EXPECT_EQ(store().remedy, "set it");
}

TEST_F(DoctorsMachine, AStoreTellsItsSchemaAndSessions) {
  make_store();
  EXPECT_EQ(store().health, Health::ok) << store().what;
  EXPECT_THAT(store().what, AllOf(HasSubstr("0 sessions"), HasSubstr("schema "), HasSubstr("sound")));
}

TEST_F(DoctorsMachine, AStoreOfANewerProgramIsAnError) {
  make_store();
  change("PRAGMA user_version = 999");
  EXPECT_EQ(store().health, Health::error);
  EXPECT_THAT(store().what, HasSubstr("newer"));
  EXPECT_THAT(store().remedy, HasSubstr("update warptune"));
}

TEST_F(DoctorsMachine, WhatIsNoStoreIsAnError) {
  fs::create_directories(around_.store.parent_path());
  folder_.write("data/warptune.db", std::string(5000, 'x'));
  EXPECT_EQ(store().health, Health::error);
  EXPECT_THAT(store().remedy, HasSubstr("start a new"));
}

TEST_F(DoctorsMachine, AStoreThatIsBeingWrittenIsAWarning) {
  make_store();
  SQLite::Database other(around_.store.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_EQ(store().health, Health::warning);
  EXPECT_THAT(store().remedy, HasSubstr("wait"));
}

TEST_F(DoctorsMachine, ACacheThatIsAFileIsAWarning) {
  EXPECT_EQ(look_at_cache(around_).at(0).health, Health::ok);
  folder_.write("cache/warptune", "");
  const Finding finding = look_at_cache(around_).at(0);
  EXPECT_EQ(finding.health, Health::warning);
  EXPECT_THAT(finding.what, HasSubstr("is a file"));
  EXPECT_THAT(finding.remedy, HasSubstr("XDG_CACHE_HOME"));
}

TEST_F(DoctorsMachine, AHomeThatIsNotThereIsAWarning) {
  EXPECT_EQ(look_at_home(around_).at(0).health, Health::ok);
  for (const char* home : {"", "/nonexistent", "/proc"}) {
    around_.home = home;
    EXPECT_EQ(look_at_home(around_).at(0).health, Health::warning) << home;
    EXPECT_THAT(look_at_home(around_).at(0).remedy, HasSubstr("WARPTUNE_DB")) << home;
  }
}

TEST_F(DoctorsMachine, TemplatesAreCountedInTheFirstFolderThatHasSome) {
  folder_.write("some/a/template.toml", "");
  folder_.write("some/b/template.toml", "");
  folder_.write("some/c/README.md", "");
  around_.templates = {folder_.path() / "none", folder_.path() / "some"};
  EXPECT_EQ(look_at_templates(around_).at(0).what, "2 in " + (folder_.path() / "some").string());
  around_.templates.pop_back();
  EXPECT_EQ(look_at_templates(around_).at(0).health, Health::warning);
  EXPECT_THAT(look_at_templates(around_).at(0).remedy, HasSubstr("WARPTUNE_TEMPLATES"));
}

TEST_F(DoctorsMachine, LookingLeavesNothingBehind) {
  for (const Check& check : machine_checks()) EXPECT_FALSE(check.look(around_).empty()) << check.name;
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DoctorsMachine, AFileSizeLimitIsNamedWithItsCommand) {
  const auto limited = [&] {
    const rlimit small{1 << 20, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &small);
    return look_at_process_limits(around_);
  };
  const Finding finding = look_in_processes({limited}, 60).at(0).at(0);
  EXPECT_EQ(finding.health, Health::warning);
  EXPECT_THAT(finding.what, AllOf(HasSubstr("1 MiB"), HasSubstr("ulimit -f")));
}

TEST(NearestFolder, OfAFileNameWithoutAFolderIsTheCurrentOne) {
  EXPECT_TRUE(std::filesystem::equivalent(nearest_folder({}), "."));
  EXPECT_TRUE(std::filesystem::equivalent(nearest_folder("no/such"), "."));
}

TEST(BytesText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(12), "12 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{5} << 40), "5 TiB");
}

}  // namespace
}  // namespace warptune::tuner::doctor
