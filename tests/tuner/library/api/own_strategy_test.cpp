// A strategy of the program's own in tune().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "search/strategies/strategy.h"
#include "tests/support/small_template.h"
#include "tests/support/temporary_folder.h"
#include "tuner/library/api/tune.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {
namespace {

class Backwards : public search::Strategy {
 public:
  explicit Backwards(const search::SearchSpace& space) : space_(space), left_(space.size()) {}
  std::vector<search::Configuration> ask(std::size_t n) override {
    std::vector<search::Configuration> next;
    while (next.size() < n && left_ > 0) next.push_back(space_.at(--left_));
    return next;
  }
  void tell(const search::Trial&) override {}

 private:
  const search::SearchSpace& space_;
  search::Count left_;
};

class OwnStrategy : public testing::Test {
 protected:
  OwnStrategy() {
    write_doubling_template(folder_);
    request_.manifest = folder_.path();
    request_.device = "host";
    request_.budget.trials = 2;
  }

  TemporaryFolder folder_;
  TuneRequest request_;
};

TEST_F(OwnStrategy, IsAskedInTheNamedOnesPlace) {
  const search::SearchSpace* space = nullptr;
  request_.make_strategy = [&](const search::StrategyContext& context) {
    space = &context.space;
    return std::make_unique<Backwards>(context.space);
  };
  const warptune::TunerResult result = warptune::tune(request_);
  EXPECT_NE(space, nullptr);
  EXPECT_EQ(result.session.trials.size(), 2u);
}

TEST_F(OwnStrategy, ThatIsNoneIsRefused) {
  request_.make_strategy = [](const search::StrategyContext&) { return std::unique_ptr<search::Strategy>(); };
  try {
    warptune::tune(request_);
    FAIL() << "tuned without a strategy";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("make_strategy returned no strategy"));
  }
}

// What looking for devices and reading the template take is time of the user's.
TEST_F(OwnStrategy, TheTimeBeginsBeforeTheTemplateIsRead) {
  struct Watch : SessionObserver {
    void on_setup(const std::string& step) override {
      const double passed_s = steady_s() - begun_s;
      if (!reading_s) reading_s = passed_s;
      if (!step.empty()) latest_s = passed_s;
    }
    void on_resumed(const SessionProgress& progress) override { elapsed_s = progress.elapsed_s; }
    const double begun_s = steady_s();
    std::optional<double> reading_s;
    double latest_s = 0, elapsed_s = 0;
  } watch;
  warptune::tune(request_, {.observer = &watch});
  EXPECT_GE(watch.elapsed_s, watch.latest_s - *watch.reading_s);
}

}  // namespace
}  // namespace warptune::tuner
