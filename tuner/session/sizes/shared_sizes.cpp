// Hands the model's choices to the sessions by a strategy that proposes what it is given.
#include "tuner/session/sizes/shared_sizes.h"

#include <algorithm>

#include "search/strategies/model_based/shared_model.h"

namespace warptune::tuner {

namespace {

std::vector<std::vector<double>> numbers_of(const std::vector<search::NamedValues>& problems) {
  std::vector<std::vector<double>> all;
  for (const search::NamedValues& problem : problems) {
    std::vector<double>& numbers = all.emplace_back();
    for (const auto& [name, value] : problems.front()) {
      const search::Value* here = search::find_value(problem, name);
      numbers.push_back(here && !std::holds_alternative<std::string>(*here) ? search::to_double(*here) : 1);
    }
  }
  return all;
}

}  // namespace

SharedSizes::SharedSizes(const std::vector<search::NamedValues>& problems, std::uint64_t seed)
    : sizes_(numbers_of(problems)), order_(search::covering_order(sizes_)), seed_(seed) {}

void SharedSizes::join(std::size_t problem, TuneRequest& request) {
  request.shared = shared_;
  request.make_strategy = [this, problem](const search::StrategyContext& context) {
    Member& member = members_[problem];
    member.guess = context.first_guess;
    member.threads = context.threads_per_block;
    auto given = std::make_unique<search::GivenStrategy>(
        [this, problem](const search::Trial& trial) { model_->tell(problem, trial); });
    member.given = given.get();
    return given;
  };
}

void SharedSizes::begin(std::size_t problem, Tuning& tuning) {
  Member& member = members_.at(problem);
  member.tuning = &tuning;
  member.space = tuning.shared_space();
  if (!model_) {
    common_ = member.space;
    model_ = std::make_unique<search::SharedModel>(*common_, sizes_, seed_, member.threads);
  }
  model_->add(problem, *member.space, member.guess);
  tuning.session().begin();
  ++begun_;
}

workers::SharedPool::Problem SharedSizes::place(const Member& member) const {
  return {member.tuning->kernel(), *member.space, member.tuning->constants()};
}

void SharedSizes::compile(std::size_t problem, search::Configuration configuration) {
  std::string name = shared_->compile_ahead(place(members_.at(problem)), configuration);
  if (!name.empty()) coming_.push_back({problem, std::move(configuration), std::move(name)});
}

// Tells the model which configurations were compiled. Those that failed to compile are forgotten.
void SharedSizes::note_compiled() {
  for (auto one = coming_.begin(); one != coming_.end();) {
    if (pool()->has_code(one->code_name)) model_->compiled(one->problem, one->configuration);
    one = pool()->is_ahead(one->code_name) ? std::next(one) : coming_.erase(one);
  }
}

bool SharedSizes::keep_compiling(std::size_t most) {
  constexpr std::size_t at_once = 2, spare = 4;
  note_compiled();
  const std::size_t wanted = std::min(pool()->compilers() + spare, coming_.size() + most);
  for (std::size_t passed = 0; coming_.size() < wanted && passed < begun_;) {
    const std::size_t problem = model_->turn();
    const auto found = model_->to_compile(problem, std::min(at_once, wanted - coming_.size()));
    for (const search::Configuration& configuration : found) compile(problem, configuration);
    passed = found.empty() ? passed + 1 : 0;
  }
  return !coming_.empty();
}

std::vector<search::Configuration> SharedSizes::choose(std::size_t problem, const Choice& choice) {
  const SessionResult& known = members_.at(problem).tuning->session().result();
  // The session tries the default configuration by itself, so a place is kept for it.
  const std::size_t own = known.default_exists && !known.default_trial ? 1 : 0;
  const std::size_t most = choice.most - std::min(choice.most, own), least = std::min(most, choice.least);
  note_compiled();
  auto chosen = model_->to_measure(problem, most, least, choice.worth);
  if (chosen.size() >= least) return chosen;
  // Where compilers are at work, something will be there at the next visit.
  if (!known.trials.empty() && !coming_.empty()) return chosen;
  // At first nothing is compiled. Then as many configurations are chosen as are compiled at once.
  const std::size_t enough = known.trials.empty() ? std::clamp(pool()->compilers(), least, most) : least;
  if (chosen.size() >= enough) return chosen;
  for (search::Configuration& one : model_->to_compile(problem, enough - chosen.size()))
    chosen.push_back(std::move(one));
  return chosen;
}

std::size_t SharedSizes::visit(std::size_t problem, std::vector<search::Configuration> configurations,
                               const Session::Meanwhile& meanwhile) {
  Member& member = members_.at(problem);
  Session& session = member.tuning->session();
  const std::size_t before = session.result().trials.size();
  member.given->give(std::move(configurations));
  session.visit(meanwhile);
  member.given->clear();
  return session.result().trials.size() - before;
}

void SharedSizes::wait(double seconds) {
  pool()->attend(static_cast<int>(seconds * 1e3), {});
}

}  // namespace warptune::tuner
