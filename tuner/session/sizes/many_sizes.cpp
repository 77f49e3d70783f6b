// Takes the sizes' turns, and plans the next turn while the devices work on the current one.
#include "tuner/session/sizes/many_sizes.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "tuner/session/finals.h"

namespace warptune::tuner {

namespace {

constexpr double most_finals_s = 2;         // of one size, where there is no such budget
constexpr double worth_a_trial = 0.002;     // expected improvement
constexpr std::size_t enough_to_think = 6;  // in flight: the devices are busy for as long as a thought takes

}  // namespace

ManySizes::ManySizes(const TuneRequest& request, const std::vector<Problem>& problems,
                     const std::vector<search::NamedValues>& complete, db::Store& store, const std::atomic<bool>& stop,
                     SizesListener listener)
    : request_(request),
      problems_(problems),
      store_(store),
      stop_(stop),
      listener_(std::move(listener)),
      shared_(complete, request.seed),
      plan_(shared_.order(), request.budget),
      tunings_(problems.size()) {}

ManySizes::~ManySizes() = default;

double ManySizes::left_s() const {
  if (!request_.budget.seconds) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *request_.started;
  return *request_.budget.seconds - passed.count();
}

double ManySizes::for_finals_s() const {
  if (request_.finals == 0 || !request_.budget.seconds) return 0;
  const double share = *request_.budget.seconds * finals_share;
  return std::min(share, request_.finals_seconds.value_or(share));
}

bool ManySizes::has_time() const {
  return !stop_.load() && left_s() > for_finals_s();
}

// Returns the tuning of a size, which is made at the first call. The budget is that of all sizes, and so is the time
// that has passed: a session ends its turn when that is over.
Tuning& ManySizes::tuning_of(std::size_t size) {
  auto& tuning = tunings_[size];
  if (tuning) return *tuning;
  TuneRequest request = request_;
  request.sizes = problems_[size].sizes;
  // The command's variants hold for every line of sizes; a line's own variants override them.
  request.variants.insert(request.variants.end(), problems_[size].variants.begin(), problems_[size].variants.end());
  if (request.budget.seconds) request.finals_seconds = for_finals_s();
  shared_.join(size, request);
  tuning = std::make_unique<Tuning>(std::move(request), store_, stop_,
                                    listener_.observer ? listener_.observer(size) : nullptr);
  shared_.begin(size, *tuning);
  return *tuning;
}

// Returns how many configurations may be compiled ahead: never more than there are trials to spend.
std::size_t ManySizes::may_compile() const {
  return request_.budget.trials ? plan_.trials_left() : std::numeric_limits<std::size_t>::max() / 2;
}

std::optional<ManySizes::Turn> ManySizes::next_turn() {
  const auto visit = plan_.next();
  if (!visit) return std::nullopt;
  tuning_of(visit->size);
  return Turn{*visit, shared_.choose(visit->size, {visit->most, visit->least, worth_a_trial})};
}

// Makes the other sizes' tunings while a device is opened. That takes a second or more, in which nothing else can be
// done.
void ManySizes::open_others() {
  for (const std::size_t size : shared_.order()) {
    if (shared_.pool()->opened() || !has_time() || request_.budget.trials) return;
    if (tunings_[size]) continue;
    tuning_of(size);
    shared_.wait(0);
    shared_.keep_compiling(may_compile());
  }
}

// Takes a turn. While the devices work on it, the compilers get work and the next turn is planned. Returns false if it
// was interrupted.
bool ManySizes::take(Turn turn, std::optional<Turn>& next) {
  Tuning& tuning = *tunings_[turn.visit.size];
  if (!plan_.reached(turn.visit.size) && listener_.began) listener_.began(turn.visit.size, tuning);
  if (listener_.turned) listener_.turned(turn.visit.size, tuning);
  bool planned = false;
  const auto meanwhile = [&](std::size_t in_flight) {
    if (!has_time()) return;
    shared_.keep_compiling(may_compile());
    open_others();
    if (planned || in_flight > enough_to_think) return;
    next = next_turn();
    planned = true;
  };
  const std::size_t trials = shared_.visit(turn.visit.size, std::move(turn.configurations), meanwhile);
  plan_.done(turn.visit, trials);
  times_.trials += trials;
  ++times_.visits;
  passed_ = trials > 0 ? 0 : passed_ + 1;
  interrupted_ |= tuning.session().result().interrupted;
  return !interrupted_;
}

// Waits for the compilers if there was nothing to measure in a whole round. Returns false if the compilers have nothing
// left to do either.
bool ManySizes::rest() {
  if (passed_ < tunings_.size()) return true;
  passed_ = 0;
  if (!shared_.keep_compiling(may_compile())) return false;
  shared_.wait(0.05);
  return true;
}

void ManySizes::search() {
  std::optional<Turn> next = next_turn();
  while (next) {
    Turn turn = std::move(*next);
    next.reset();
    const bool pointless = turn.configurations.empty() && plan_.reached(turn.visit.size);
    if (pointless) {
      plan_.done(turn.visit, 0);
      ++passed_;
      shared_.keep_compiling(may_compile());
    } else {
      if (!take(std::move(turn), next)) return;
    }
    if (!rest()) return;
    if (!next && has_time()) next = next_turn();
    if (!has_time()) return;
  }
}

bool ManySizes::run() {
  const auto begin = std::chrono::steady_clock::now();
  const auto passed_s = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  try {
    search();
  } catch (...) {
    for (std::size_t size = 0; size < tunings_.size(); ++size) {
      try {
        if (tunings_[size]) conclude(size, 0);
      } catch (const std::exception&) {
        // The first error is the one to tell.
      }
    }
    throw;
  }
  if (const auto& first = tunings_[shared_.order().front()]) times_.setup_s = first->session().result().setup_s;
  const double searched_s = passed_s();
  times_.search_s = std::max(0.0, searched_s - times_.setup_s);
  conclude();
  times_.finals_s = passed_s() - searched_s;
  return !interrupted_;
}

// Concludes all sessions. What one of them leaves of its share of the time is the others'.
void ManySizes::conclude() {
  std::size_t left = 0;
  for (std::size_t size = 0; size < tunings_.size(); ++size) left += tunings_[size] && plan_.reached(size);
  for (const std::size_t size : shared_.order()) {
    if (!tunings_[size]) continue;
    double finals_s = 0;
    if (plan_.reached(size) && request_.finals > 0 && !interrupted_ && !stop_.load()) {
      finals_s = request_.budget.seconds ? left_s() / static_cast<double>(left)
                                         : request_.finals_seconds.value_or(most_finals_s);
      --left;
    }
    conclude(size, std::max(0.0, finals_s));
  }
  interrupted_ |= stop_.load();
}

void ManySizes::conclude(std::size_t size, double finals_s) {
  Tuning& tuning = *tunings_[size];
  tuning.session().conclude(finals_s);
  if (listener_.concluded) listener_.concluded(size, tuning, plan_.reached(size));
}

}  // namespace warptune::tuner
