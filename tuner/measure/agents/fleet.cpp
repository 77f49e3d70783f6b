// Distributes configurations over this machine's workers and the agents, and collects the trials.
#include "tuner/measure/agents/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/kernel/content_hash.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::agents {

namespace {

// The number of lost agents after which a configuration is suspected to be the reason. It then runs on this machine.
constexpr int most_losses = 2;

// Compares how full two places are: of 3 jobs in 4 places and 5 in 8 the second is emptier.
bool is_fuller(std::size_t jobs, std::size_t capacity, std::size_t other_jobs, std::size_t other_capacity) {
  return jobs * other_capacity > other_jobs * capacity;
}

bool is_ready(const AgentConnection& connection) {
  return connection.gone().empty() && connection.state() == AgentConnection::State::ready;
}

}  // namespace

Offer offer_of(const workers::Setup& setup, const DeviceInfo& device, const CompilerFacts& compiler) {
  workers::Setup theirs = setup;
  // These settings belong to this machine. An agent's caches and folders come from its own options, and no other
  // machine learns who may write to a cache.
  theirs.options.cache = {};
  theirs.options.backend.library_directories.clear();
  theirs.options.backend.cuda_include_directories.clear();
  json begin = {{"do", "begin"},
                {"setup", workers::to_json(theirs)},
                {"device", workers::to_json(device)},
                {"compiler", compiler.version},
                {"source", content_hash(compiler.preprocessed)},
                {"cached", !setup.options.cache.folder.empty()},
                {"shared", !setup.options.cache.shared.url.empty()}};
  return {setup.place.root, std::move(begin), 2 * workers::setup_limit_s(setup)};
}

Fleet::Fleet(const search::SearchSpace& space, std::unique_ptr<workers::WorkerPool> local, Coordinator& coordinator,
             Offer offer, FleetOptions options)
    : space_(space), local_(std::move(local)), coordinator_(coordinator), offer_(std::move(offer)), options_(options) {
  attend(0);
}

Fleet::~Fleet() {
  for (const auto& connection : coordinator_.connections()) {
    connection->end_session();
    connection->exchange();
  }
}

std::size_t Fleet::capacity() const {
  if (options_.lookahead > 0) return options_.lookahead;
  std::size_t sum = local_->capacity();
  for (const auto& connection : coordinator_.connections())
    if (is_ready(*connection)) sum += connection->capacity();
  return sum;
}

// Queues an evaluation. Finalists and the like are compared with each other, so they are measured on this machine.
void Fleet::submit(const Evaluation& evaluation) {
  require_fitting(space_, evaluation.configuration);
  if (evaluation.purpose != Purpose::trial) {
    ++local_jobs_;
    return local_->submit(evaluation);
  }
  const JobId id = coordinator_.next_job();
  jobs_.emplace(id, Job{evaluation, workers::to_json(space_.values(evaluation.configuration))});
  waiting_.push_back(id);
  hand_out();
}

search::Trial Fleet::next() {
  require_in_flight(in_flight());
  for (;;) {
    attend(0);
    if (!finished_.empty()) {
      search::Trial trial = std::move(finished_.front());
      finished_.pop_front();
      return trial;
    }
    if (local_jobs_ > 0 && (local_->has_finished() || stopped())) {
      --local_jobs_;
      return local_->next();
    }
    if (stopped()) return abandoned();
    attend(200);
  }
}

search::Trial Fleet::abandoned() {
  const auto oldest = jobs_.begin();
  search::Trial trial;
  trial.configuration = oldest->second.evaluation.configuration;
  trial.outcome = search::Outcome::crash;
  trial.message = "interrupted";
  std::erase(waiting_, oldest->first);
  std::erase(to_measure_, oldest->first);
  jobs_.erase(oldest);
  return trial;
}

bool Fleet::wait(double seconds) {
  const Deadline deadline = Deadline::in_s(seconds);
  for (;;) {
    attend(0);
    if (!in_flight() || has_finished() || stopped()) return true;
    if (deadline.has_passed()) return false;
    attend(deadline.left_ms(200));
  }
}

void Fleet::race_against(const Rivals& rivals) {
  rivals_ = rivals;
  local_->race_against(rivals);
  for (const auto& connection : coordinator_.connections())
    if (is_ready(*connection)) connection->race_against(rivals);
}

// Drops the jobs of agents, too, even those that have begun: asking an agent which ones it has begun would take as long
// as waiting for them.
std::size_t Fleet::cancel() {
  jobs_.clear();
  waiting_.clear();
  to_measure_.clear();
  for (const auto& connection : coordinator_.connections())
    if (is_ready(*connection)) connection->forget_all();
  local_jobs_ = local_->cancel();
  return local_jobs_ + finished_.size();
}

void Fleet::attend(int timeout_ms) {
  polled_.clear();
  coordinator_.add_to(polled_);
  local_->attend(has_finished() ? 0 : timeout_ms, polled_);
  coordinator_.serve(*this);
  offer_to_newcomers();
  hand_out();
}

void Fleet::offer_to_newcomers() {
  for (const auto& connection : coordinator_.connections())
    if (connection->gone().empty() && connection->state() == AgentConnection::State::resting) connection->offer(offer_);
}

bool Fleet::local_has_room(const AgentConnection* other) const {
  if (local_jobs_ >= local_->capacity()) return false;
  return !other || !is_fuller(local_jobs_, local_->capacity(), other->jobs().size(), other->capacity());
}

AgentConnection* Fleet::measurer_with_room() const {
  AgentConnection* best = nullptr;
  for (const auto& connection : coordinator_.connections()) {
    if (!is_ready(*connection) || !connection->measures() || connection->jobs().size() >= connection->capacity())
      continue;
    if (!best || is_fuller(best->jobs().size(), best->capacity(), connection->jobs().size(), connection->capacity()))
      best = connection.get();
  }
  return best;
}

// Hands out jobs, first to machines that measure. If they have no room, the agents that do not measure compile the next
// ones ahead.
void Fleet::hand_out() {
  while (!to_measure_.empty() || !waiting_.empty()) {
    AgentConnection* const connection = measurer_with_room();
    const bool here = local_has_room(connection);
    if (!connection && !here) break;
    std::deque<JobId>& line = to_measure_.empty() ? waiting_ : to_measure_;
    const JobId id = line.front();
    line.pop_front();
    if (!here) {
      connection->evaluate(id, jobs_.at(id).values, rivals_);
      continue;
    }
    local_->submit(jobs_.at(id).evaluation);
    ++local_jobs_;
    jobs_.erase(id);
  }
  for (const auto& connection : coordinator_.connections()) {
    if (!is_ready(*connection) || connection->measures()) continue;
    while (!waiting_.empty() && connection->jobs().size() < connection->capacity()) {
      connection->evaluate(waiting_.front(), jobs_.at(waiting_.front()).values, rivals_);
      waiting_.pop_front();
    }
  }
}

void Fleet::on_answer(AgentConnection& connection, const json& answer) {
  if (answer.contains("job")) return finish(connection, answer);
  if (answer.contains("ready")) {
    ++joined_;
    devices_ += connection.devices();
    if (connection.introduce())
      coordinator_.say(
          fmt::format("agent {} joins: {}", connection.name(), workers::text_from_json(answer.at("what"))));
  }
  if (answer.contains("unfit")) {
    const bool had_part = connection.capacity() > 0;
    if (connection.introduce() || had_part)
      coordinator_.say(fmt::format("agent {} takes no {}part: {}", connection.name(), had_part ? "more " : "",
                                   workers::text_from_json(answer.at("unfit"))));
    on_gone(connection);
  }
}

void Fleet::finish(AgentConnection& connection, const json& answer) {
  const JobId id = answer.at("job").get<JobId>();
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return connection.done(id);
  const auto trial = verdict(connection, answer);
  connection.done(id);
  if (!trial) {
    found->second.compiled = true;
    to_measure_.push_back(id);
    return;
  }
  finished_.push_back(*trial);
  finished_.back().configuration = std::move(found->second.evaluation.configuration);
  ++trials_;
  jobs_.erase(found);
}

// Returns the trial of an answer; nothing if the configuration still has to be measured. An agent that only compiles
// gives a trial only where the code or the constraints are at fault, since other failures may be that machine's own.
std::optional<search::Trial> Fleet::verdict(const AgentConnection& connection, const json& answer) {
  if (!answer.contains("trial")) return std::nullopt;
  search::Trial trial;
  workers::read_trial(answer.at("trial"), Purpose::trial, trial);
  answer.at("device_uuid").get_to(trial.device_uuid);
  const bool refused =
      trial.outcome == search::Outcome::compile_error || trial.outcome == search::Outcome::constraint_violation;
  if (!connection.measures() && !refused) return std::nullopt;
  return trial;
}

void Fleet::on_gone(AgentConnection& connection) {
  if (!connection.gone().empty() && connection.state() == AgentConnection::State::greeting) return;
  if (!connection.gone().empty()) {
    const bool had_part = connection.state() == AgentConnection::State::ready;
    lost_ += had_part;
    const std::string again = connection.jobs().empty() ? ""
                                                        : fmt::format("; its {} configurations are tried elsewhere",
                                                                      connection.jobs().size());
    coordinator_.say(fmt::format("agent {} is gone: {}{}", connection.name(), connection.gone(), again));
  }
  // The jobs go in front of those that are waiting, the oldest first.
  const std::set<JobId> jobs = connection.take_jobs();
  for (auto id = jobs.rbegin(); id != jobs.rend(); ++id) ask_again(*id);
}

// Queues a lost job again. After the second loss it goes to this machine, where workers can tell what the configuration
// does to its process.
void Fleet::ask_again(JobId id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  if (++found->second.losses < most_losses) {
    (found->second.compiled ? to_measure_ : waiting_).push_front(id);
    return;
  }
  local_->submit(found->second.evaluation);
  ++local_jobs_;
  jobs_.erase(found);
}

std::string Fleet::notes() const {
  if (joined_ == 0) return {};
  std::string text = fmt::format("{} agent{} with {} device{} gave {} trials", joined_, joined_ == 1 ? "" : "s",
                                 devices_, devices_ == 1 ? "" : "s", trials_);
  if (lost_ > 0) text += fmt::format(", {} {} lost", lost_, lost_ == 1 ? "was" : "were");
  return text;
}

}  // namespace warptune::tuner::agents
