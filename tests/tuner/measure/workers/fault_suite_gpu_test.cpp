// The fault suite against the fake driver and the fake NVRTC: sticky errors, hangs, crashes of driver and compiler,
// GPUs that are lost.
#include "tests/tuner/measure/workers/fault_suite_gpu.h"

#include <set>

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

TEST_F(FakeGpuFaults, EachEndsWithItsOutcomeAndTheRestGoesOn) {
  write_template(R"("0", "error", "hang", "crash", "600", "700", "716", "719", "714", "11")", 2);
  const ProgramRun tuned = tune("--device cuda:0 --compile-jobs 2 --kernel-timeout 0.2 --compile-timeout 2");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  auto all = by_configuration();
  ASSERT_EQ(all.size(), 20u);
  const auto expect = [&](const std::string& fault, search::Outcome outcome, const std::string& words) {
    for (const char* n : {"1", "2"}) {
      const search::Trial& trial = all.at("FAULT=" + fault + ",N=" + n).trial;
      EXPECT_EQ(search::to_string(trial.outcome), search::to_string(outcome)) << fault;
      EXPECT_THAT(trial.message, HasSubstr(words)) << fault;
    }
  };
  expect("0", search::Outcome::correct, "");
  expect("error", search::Outcome::compile_error, "this was to be expected");
  expect("hang", search::Outcome::timeout, "compile time-out of 2 s");
  expect("crash", search::Outcome::crash, "the compiler crashed: its worker was killed by SIGSEGV");
  expect("600", search::Outcome::timeout, "kernel time-out");
  expect("700", search::Outcome::launch_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
  expect("716", search::Outcome::launch_error, "CUDA_ERROR_MISALIGNED_ADDRESS");
  expect("719", search::Outcome::launch_error, "CUDA_ERROR_LAUNCH_FAILED");
  expect("714", search::Outcome::launch_error, "");
  expect("11", search::Outcome::crash, "SIGSEGV");
}

TEST_F(FakeGpuFaults, TheWorkerThatFindsTheDevicesMeasures) {
  const auto counted = folder_.path() / "driver_starts";
  more_environment_ += " FAKE_CUDA_COUNT=" + counted.string();
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 2").exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(counted), 1u);
}

// Each size is a session of its own, and opening a device takes longer than a short one.
TEST_F(FakeGpuFaults, AllSizesAreMeasuredByOneWorkerUntilAKernelRuinsItsContext) {
  const auto counted = folder_.path() / "driver_starts";
  more_environment_ += " FAKE_CUDA_COUNT=" + counted.string();
  folder_.write("sizes.txt", "n=64\nn=128\nn=256\nn=512\n");
  strategy_ = "auto";
  write_template("0", 40);
  const std::string sizes = "--device cuda:0 --compile-jobs 2 --sizes " + (folder_.path() / "sizes.txt").string();
  const ProgramRun tuned = tune(sizes + " --budget 24 --format json");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(std::filesystem::file_size(counted), 1u);
  EXPECT_THAT(tuned.err, HasSubstr(", by turns"));
  const auto sessions = db::Store::open(database(), db::OpenMode::read_only).history({});
  ASSERT_EQ(sessions.size(), 4u);
  for (const db::SessionRecord& session : sessions) EXPECT_EQ(session.correct_trials, session.trials);

  write_template("0, 700", 3);
  const ProgramRun ruined = tune(sizes + " --budget 24 --kernel-timeout 1");
  EXPECT_EQ(ruined.exit_code, 0) << ruined.err;
  EXPECT_GT(std::filesystem::file_size(counted), 2u);
}

TEST_F(FakeGpuFaults, OneEndlessLoopAmongAThousandConfigurations) {
  write_template("0, 600", 500);
  std::string text;
  std::getline(std::ifstream(folder_.path() / "template.toml"), text, '\0');
  folder_.write("template.toml", "constraints = [\"FAULT == 0 or N == 77\"]\n" + text);
  const ProgramRun tuned = tune("--device cuda:0 --compile-jobs 2 --kernel-timeout 0.2");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  int timeouts = 0, correct = 0;
  for (const auto& stored : trials()) {
    timeouts += stored.trial.outcome == search::Outcome::timeout;
    correct += stored.trial.correct();
  }
  EXPECT_EQ(timeouts, 1);
  EXPECT_EQ(correct, 500);
}

TEST_F(FakeGpuFaults, TwoGpusShareTheWorkAndADeadOneIsDropped) {
  write_template("0, 700", 30);
  strategy_ = "random";
  more_environment_ += " FAKE_CUDA_DEVICES=2 FAKE_CUDA_ONCE=1:" + (folder_.path() / "once").string();
  const ProgramRun tuned = tune("--device cuda:all --compile-jobs 2");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("cuda:1 (Fake GPU) is lost"));
  EXPECT_EQ(trials().size(), 60u);
}

TEST_F(FakeGpuFaults, EachTrialSaysWhichOfTheGpusItRanOn) {
  write_template(R"("0", "700", "error")", 20);
  more_environment_ += " FAKE_CUDA_DEVICES=2";
  EXPECT_EQ(tune("--device cuda:all --compile-jobs 2").exit_code, 0);
  std::set<std::string> devices;
  for (const auto& stored : trials()) {
    const bool ran = stored.trial.outcome != search::Outcome::compile_error;
    EXPECT_EQ(ran, !stored.trial.device_uuid.empty()) << search::to_text(stored.values);
    if (ran) devices.insert(stored.trial.device_uuid);
  }
  EXPECT_EQ(devices.size(), 2u);
}

TEST_F(FakeGpuFaults, ASessionWithoutAnyGpuLeftSaysSoAndCanGoOn) {
  write_template("0, 700", 30);
  strategy_ = "random";
  const std::string sound = more_environment_;
  more_environment_ += " FAKE_CUDA_ONCE=0:" + (folder_.path() / "once").string();
  const ProgramRun lost = tune("--device cuda:0 --compile-jobs 1");
  EXPECT_EQ(lost.exit_code, 7) << lost.err;
  EXPECT_THAT(lost.err, HasSubstr("is lost: 3 attempts to open it failed"));
  const std::size_t kept = trials().size();
  EXPECT_GT(kept, 0u);
  more_environment_ = sound;
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 1").exit_code, 0);
  EXPECT_EQ(trials().size(), 60u);
}

TEST_F(FakeGpuFaults, DeterministicSessionsRecordInTheOrderOfTheStrategy) {
  write_template(R"("0", "error")", 15);
  strategy_ = "random";
  tune("--device cuda:0 --compile-jobs 3 --deterministic --seed 5");
  std::vector<std::string> first;
  for (const auto& stored : trials()) first.push_back(search::to_text(stored.values));
  std::filesystem::remove(database());
  tune("--device cuda:0 --compile-jobs 3 --deterministic --seed 5");
  std::vector<std::string> second;
  for (const auto& stored : trials()) second.push_back(search::to_text(stored.values));
  EXPECT_EQ(first.size(), 30u);
  EXPECT_EQ(first, second);
}

TEST_F(FakeGpuFaults, AWorkerThatCannotStartIsNoDeviceAndNoLoop) {
  std::filesystem::remove(folder_.path() / "toolkit/lib64/libnvrtc.so.13");
  folder_.write("toolkit/lib64/libnvrtc.so.13", "no library");
  more_environment_ += " FAKE_CUDA_DEVICES=0";
  const ProgramRun run = tune("--device cuda:0");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("there is no device 'cuda:0'"));
}

}  // namespace
}  // namespace warptune::tuner
