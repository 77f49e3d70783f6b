// Templates of the library under the race detector, each by one configuration whose threads share the most: reductions,
// scans, tiles, sorts, and a kernel with barriers of its own.
#include <gmock/gmock.h>

#include "tests/support/host_trials.h"
#include "tuner/measure/tracked_run.h"

namespace warptune::tuner {
namespace {

class TrackedTemplates : public HostTrials, public testing::WithParamInterface<const char*> {
 protected:
  TrackedTemplates() : HostTrials(GetParam()) {}
};

TEST_P(TrackedTemplates, HaveNoRacesAndStayInBounds) {
  search::NamedValues problem = resolve_problem(kernel_, "", {}).values();
  for (auto& [name, value] : problem)
    if (search::find_value(kernel_.sizes, name) != nullptr)
      value = std::min<std::int64_t>(kernel_.sizes.size() > 1 ? 70 : 3000, search::to_integer(value));
  TrackedRuns runs(kernel_, problem_constants(problem, info_), info_, {}, compiler_, true);
  const TrackedRun run = runs.run(kernel_.default_values, {true, false});
  EXPECT_EQ(run.outcome, search::Outcome::correct) << run.message;
  for (const AccessFinding& finding : run.log.findings) ADD_FAILURE() << finding.kernel << ": " << finding.message;
}

INSTANTIATE_TEST_SUITE_P(Library, TrackedTemplates,
                         testing::Values("matmul", "reduction", "scan", "bitonic_sort", "layer_norm", "softmax"),
                         [](const auto& chosen) { return std::string(chosen.param); });

}  // namespace
}  // namespace warptune::tuner
