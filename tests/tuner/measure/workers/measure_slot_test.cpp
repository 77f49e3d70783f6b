// What a measuring worker's place makes of what its worker says.
#include "tuner/measure/workers/measure_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/system/clock.h"

namespace warptune::tuner::workers {
namespace {

// With a worker that answers every job with another one's trial.
class SpoiltWorker : public testing::Test {
 protected:
  SpoiltWorker() { device_.id = "host", device_.backend = "host"; }

  // Until `done`, or for a few seconds.
  template <class Done>
  void serve(MeasureSlot& slot, const Done& done) {
    for (const double until_s = steady_s() + 20; steady_s() < until_s && !done();) {
      std::vector<pollfd> polled;
      slot.add_to(polled);
      poll(polled.data(), polled.size(), 2);
      slot.serve(polled);
    }
  }

  Program program_{WARPTUNE_SPOILT_WORKER};
  workers::Setup setup_;  // testing::Test has a Setup of its own
  DeviceInfo device_;
  JobBoard board_{false};
};

// It says as well that its device is lost, and was ended a second time for that.
TEST_F(SpoiltWorker, ThatAnswersAnUnknownJobAsItLosesItsDeviceCostsOneTrial) {
  MeasureSlot slot(program_, setup_, device_, board_, [] { return nullptr; });
  serve(slot, [&] { return slot.open(); });
  ASSERT_TRUE(slot.open());
  board_.add({search::Configuration{{0}}}, {});
  const JobId id = board_.take_for_compiling().value();
  board_.compiled(id, "code");
  board_.take_for_measuring(true);
  slot.start(id);
  serve(slot, [&] { return board_.has_finished(); });
  const auto trial = board_.take_finished();
  ASSERT_TRUE(trial.has_value());
  EXPECT_EQ(trial->outcome, search::Outcome::crash);
  EXPECT_THAT(trial->message, testing::HasSubstr("answered what it was not asked"));
  serve(slot, [&] { return slot.open(); });
  EXPECT_TRUE(slot.open()) << "another worker has taken its place";
}

}  // namespace
}  // namespace warptune::tuner::workers
