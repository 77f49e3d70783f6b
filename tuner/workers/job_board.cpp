// See job_board.h.
#include "tuner/workers/job_board.h"

namespace warptune::tuner::workers {

void JobBoard::add(const Evaluation& evaluation, search::NamedValues values) {
  Job job{evaluation, std::move(values), {}, {}, 0};
  job.trial.configuration = evaluation.configuration;
  jobs_.emplace(++last_, std::move(job));
  to_compile_.push_back(last_);
}

Job* JobBoard::find(JobId id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::optional<JobId> JobBoard::take_for_compiling() {
  if (to_compile_.empty()) return std::nullopt;
  const JobId id = to_compile_.front();
  to_compile_.pop_front();
  return id;
}

std::optional<JobId> JobBoard::take_for_measuring(bool finalists) {
  const auto suits = [&](JobId id) { return finalists || jobs_.at(id).evaluation.purpose == Purpose::trial; };
  const auto found = std::ranges::find_if(to_measure_, suits);
  if (found == to_measure_.end()) return std::nullopt;
  const JobId id = *found;
  to_measure_.erase(found);
  return id;
}

void JobBoard::compiled(JobId id, std::string code) {
  jobs_.at(id).code = std::move(code);
  // In order of submission as far as possible, so that one device measures repeatably.
  to_measure_.insert(in_order_ ? std::ranges::upper_bound(to_measure_, id) : to_measure_.end(), id);
}

void JobBoard::finish(JobId id) {
  finished_.push_back(id);
}

void JobBoard::fail(JobId id, search::Outcome outcome, std::string message) {
  search::Trial& trial = jobs_.at(id).trial;
  trial.outcome = outcome;
  trial.message = std::move(message);
  finish(id);
}

void JobBoard::compile_again(JobId id) {
  to_compile_.push_front(id);
}

void JobBoard::measure_again(JobId id) {
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
  std::erase_if(jobs_, [&](const auto& job) { return !begun.contains(job.first) && !is_finished(job.first); });
  return jobs_.size();
}

search::Configuration JobBoard::drop_oldest() {
  const auto oldest = jobs_.begin();
  search::Configuration configuration = std::move(oldest->second.trial.configuration);
  for (std::deque<JobId>* line : {&to_compile_, &to_measure_, &finished_}) std::erase(*line, oldest->first);
  jobs_.erase(oldest);
  return configuration;
}

}  // namespace warptune::tuner::workers
