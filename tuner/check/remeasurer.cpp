#include "tuner/check/remeasurer.h"

#include <map>

#include "tuner/kernel/problem.h"
#include "tuner/kernel/template_file.h"

namespace warptune {

Remeasurer::Remeasurer(const std::filesystem::path& manifest, const DeviceInfo& device, const NamedValues& sizes,
                       const std::string& objectives, EvaluatorOptions options)
    : kernel_(load_template(manifest)),
      constants_(problem_constants(resolve_sizes(kernel_, "", sizes), device)),
      objectives_(make_objectives(kernel_, objectives)),
      space_(build_space(kernel_, constants_)),
      evaluator_(std::make_unique<DeviceEvaluator>(kernel_, space_, constants_, device, std::move(options))) {}

NamedValues Remeasurer::fallback() const {
  const auto configuration = space_.find(kernel_.default_values);
  return configuration && space_.contains(*configuration) ? space_.values(*configuration) : NamedValues{};
}

void Remeasurer::complete(Trial& trial) const {
  if (!trial.correct()) return;
  NamedValues scope = constants_;
  const NamedValues values = space_.values(trial.configuration);
  scope.insert(scope.end(), values.begin(), values.end());
  trial.metrics = evaluate_metrics(kernel_, scope, evaluator_->device(), *trial.measurement);
  for (const Objective& objective : objectives_) trial.objectives.push_back(objective.value(trial));
}

std::vector<Trial> Remeasurer::measure(const std::vector<NamedValues>& configurations) {
  std::map<Configuration, Trial> finished;
  std::vector<Configuration> wanted;
  for (const NamedValues& values : configurations) {
    const auto configuration = space_.find(values);
    if (configuration && space_.contains(*configuration) && finished.try_emplace(*configuration).second)
      wanted.push_back(*configuration);
  }
  for (std::size_t begun = 0, done = 0; done < wanted.size(); ++done) {
    while (begun < wanted.size() && begun - done < evaluator_->capacity()) evaluator_->submit({wanted[begun++]});
    Trial trial = evaluator_->next();
    complete(trial);
    finished[trial.configuration] = std::move(trial);
  }
  std::vector<Trial> trials;
  for (const NamedValues& values : configurations) {
    const auto configuration = space_.find(values);
    const auto found = configuration ? finished.find(*configuration) : finished.end();
    trials.push_back(found != finished.end() ? found->second : Trial{});
    if (found != finished.end()) continue;
    trials.back().outcome = Outcome::constraint_violation;
    trials.back().message = "not in the search space of this template and device as they are today";
  }
  return trials;
}

}  // namespace warptune
