// Keeps a queue of jobs for each state, and lets jobs with the same code share one compile.
#include "tuner/measure/workers/jobs.h"

namespace warptune::tuner::workers {

bool JobBoard::add(const Evaluation& evaluation, search::NamedValues values, std::string code_name) {
  Job job{evaluation, std::move(values), {}, {}, 0};
  job.trial.configuration = evaluation.configuration;
  job.code_name = std::move(code_name);
  const std::string* known = codes_.find(job.code_name);
  const auto coming = ahead_.find(job.code_name);
  ++last_;
  if (known) {
    job.code = *known;
    to_measure_.push_back(last_);
  } else if (coming != ahead_.end()) {
    coming->second.push_back(last_);
  } else {
    to_compile_.push_back(last_);
  }
  jobs_.emplace(last_, std::move(job));
  return known != nullptr;
}

void JobBoard::add_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                         std::string code_name) {
  if (has_code(code_name) || !ahead_.emplace(code_name, std::vector<JobId>()).second) return;
  jobs_.emplace(++last_, Job{{}, std::move(values), {}, {}, 0, std::move(constants), true, std::move(code_name)});
  to_compile_ahead_.push_back(last_);
}

// Ends a job that was compiled ahead. If it has failed, the jobs that wait for its code compile it themselves and
// report why.
bool JobBoard::end_ahead(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !found->second.ahead) return false;
  const std::string name = found->second.code_name;
  const std::vector<JobId> waiting = std::move(ahead_.at(name));
  ahead_.erase(name);
  jobs_.erase(found);
  const std::string* code = codes_.find(name);
  for (const JobId other : waiting) {
    if (!find(other)) continue;
    if (!code)
      to_compile_.push_back(other);
    else
      compiled(other, *code);
  }
  return true;
}

Job* JobBoard::find(JobId id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::optional<JobId> JobBoard::take_for_compiling() {
  std::deque<JobId>& line = to_compile_.empty() ? to_compile_ahead_ : to_compile_;
  if (line.empty()) return std::nullopt;
  const JobId id = line.front();
  line.pop_front();
  return id;
}

std::optional<JobId> JobBoard::take_for_measuring(bool finalists) {
  constexpr std::size_t oldest_every = 4;
  auto found = std::ranges::find_if(to_measure_, [&](JobId id) { return finalists || is_trial(id); });
  if (found == to_measure_.end()) return std::nullopt;
  // A job that a worker had already comes first.
  if (!in_order_ && is_trial(*found) && !jobs_.at(*found).retried) {
    const auto age = [&](JobId id) { return is_trial(id) ? id : 0; };
    const auto oldest = [&](JobId id) { return is_trial(id) ? id : last_ + 1; };
    found = turns_++ % oldest_every == 0 ? std::ranges::min_element(to_measure_, {}, oldest)
                                         : std::ranges::max_element(to_measure_, {}, age);
  }
  const JobId id = *found;
  to_measure_.erase(found);
  return id;
}

void JobBoard::compiled(JobId id, std::string code) {
  if (const std::string& name = jobs_.at(id).code_name; !name.empty()) codes_.keep(name, code);
  if (end_ahead(id)) return;
  jobs_.at(id).code = std::move(code);
  // With `in_order`, jobs stay in the order of submission as far as possible, so that one device measures repeatably.
  to_measure_.insert(in_order_ ? std::ranges::upper_bound(to_measure_, id) : to_measure_.end(), id);
}

void JobBoard::finish(JobId id) {
  finished_.push_back(id);
}

void JobBoard::fail(JobId id, search::Outcome outcome, std::string message) {
  if (end_ahead(id)) return;
  search::Trial& trial = jobs_.at(id).trial;
  trial.outcome = outcome;
  trial.message = std::move(message);
  finish(id);
}

void JobBoard::compile_again(JobId id) {
  (jobs_.at(id).ahead ? to_compile_ahead_ : to_compile_).push_front(id);
}

void JobBoard::measure_again(JobId id) {
  jobs_.at(id).retried = true;
  to_measure_.push_front(id);
}

bool JobBoard::has_finished() const {
  return !finished_.empty() && is_finished(next_out());
}

std::optional<search::Trial> JobBoard::take_finished() {
  if (!has_finished()) return std::nullopt;
  const JobId id = next_out();
  finished_.erase(std::ranges::find(finished_, id));
  search::Trial trial = std::move(jobs_.at(id).trial);
  jobs_.erase(id);
  return trial;
}

std::size_t JobBoard::cancel(const std::set<JobId>& begun) {
  to_compile_.clear();
  to_measure_.clear();
  std::erase_if(jobs_, [&](const auto& job) {
    return !job.second.ahead && !begun.contains(job.first) && !is_finished(job.first);
  });
  return jobs_.size() - ahead_.size();
}

search::Configuration JobBoard::drop_oldest() {
  const auto oldest = std::ranges::find_if(jobs_, [](const auto& job) { return !job.second.ahead; });
  search::Configuration configuration = std::move(oldest->second.trial.configuration);
  for (std::deque<JobId>* line : {&to_compile_, &to_measure_, &finished_}) std::erase(*line, oldest->first);
  jobs_.erase(oldest);
  return configuration;
}

}  // namespace warptune::tuner::workers
