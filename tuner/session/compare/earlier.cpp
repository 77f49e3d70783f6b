// Takes whole recordings, or simulates a session of `auto` on each.
#include "tuner/session/compare/earlier.h"

namespace warptune::tuner::compare {

namespace {

void add(const replay::Recording& from, const search::Trial& trial, const replay::Recording& space,
         search::EarlierTrials& trials) {
  if (!trial.objectives.empty())
    trials.add(space.space(), from.space().values(trial.configuration), {}, trial.objectives.front());
}

search::EarlierTrials whole(const replay::Recording& from, const replay::Recording& space) {
  search::EarlierTrials trials;
  for (std::size_t i = 0; i < from.size(); ++i) add(from, from.trial(i), space, trials);
  return trials;
}

search::EarlierTrials of_session(const replay::Recording& from, const replay::Recording& space, std::size_t length,
                                 std::uint64_t seed) {
  search::EarlierTrials trials;
  const auto strategy = search::make_strategy("auto", {.space = from.space(), .seed = seed});
  for (std::size_t i = 0; i < length; ++i) {
    const auto asked = strategy->ask(1);
    if (asked.empty()) break;
    const search::Trial& trial = *from.find(asked.front());
    add(from, trial, space, trials);
    strategy->tell(trial);
  }
  return trials;
}

}  // namespace

std::vector<search::EarlierTrials> earlier_trials(const Request& request, const replay::Recording& space,
                                                  std::uint64_t seed) {
  std::vector<search::EarlierTrials> earlier;
  for (const replay::Recording* from : request.earlier) {
    if (from->name() == space.name()) continue;
    search::EarlierTrials trials =
        request.earlier_trials == 0 ? whole(*from, space) : of_session(*from, space, request.earlier_trials, seed);
    if (!trials.entries.empty()) earlier.push_back(std::move(trials));
  }
  return earlier;
}

}  // namespace warptune::tuner::compare
