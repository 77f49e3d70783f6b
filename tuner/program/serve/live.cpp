// Makes notes of what a session tells, and events of notes.
#include "tuner/program/serve/live.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/program/serve/html.h"
#include "tuner/results/report/session_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::serve {

namespace {

std::string event_of(const LiveNote& note) {
  const Json json = {{"title", note.title},
                     {"session", json_or_null(note.reference)},
                     {"phase", note.phase},
                     {"detail", note.detail},
                     {"best", note.best},
                     {"trials", note.trials},
                     {"failed", note.failed},
                     {"elapsed_s", note.elapsed_s},
                     {"limit_s", json_or_null(note.limit_s)}};
  // The event is one line, since a line's end would end it.
  return "event: note\ndata: " + json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

}  // namespace

void LiveState::leave(LiveNote note) {
  auto latest = std::make_shared<const LiveNote>(std::move(note));
  const std::lock_guard lock(mutex_);
  note_.swap(latest);  // the old one is freed after the lock is released
  ++count_;
}

std::shared_ptr<const LiveNote> LiveState::now() const {
  const std::lock_guard lock(mutex_);
  return note_;
}

std::string LiveState::news(std::uint64_t& seen) {
  std::shared_ptr<const LiveNote> latest;
  {
    const std::lock_guard lock(mutex_);
    if (seen == count_) return {};
    seen = count_;
    latest = note_;
  }
  return event_of(*latest);
}

void LiveObserver::set_tuning(const KernelTemplate& kernel, std::string title, db::SessionId session,
                              const std::optional<double>& limit_s) {
  kernel_ = &kernel;
  note_.title = std::move(title);
  note_.reference = std::to_string(session);
  note_.limit_s = limit_s;
  state_.leave(note_);
}

void LiveObserver::finish(const SessionResult& result) {
  note_.phase = "finished";
  note_.detail = result.reason;
  note_.elapsed_s = result.elapsed_s;
  note_.trials = result.trials.size();
  if (result.winner && result.winner->time_ms) note_.best = duration_text(*result.winner->time_ms);
  state_.leave(note_);
  kernel_ = nullptr;
}

void LiveObserver::on_setup(const std::string& step) {
  next_.on_setup(step);
  note_.phase = step.empty() ? "search" : "set-up";
  note_.detail = step;
  state_.leave(note_);
}

void LiveObserver::update(const SessionProgress& progress) {
  note_.trials = progress.resumed + progress.done;
  note_.failed = progress.failed;
  note_.elapsed_s = progress.elapsed_s;
  if (progress.best)
    note_.best = kernel_ ? figures(*progress.best, *kernel_) : duration_text(progress.best->measurement->median_ms);
  state_.leave(note_);
}

void LiveObserver::on_resumed(const SessionProgress& progress) {
  next_.on_resumed(progress);
  update(progress);
}

void LiveObserver::on_trial(const search::Trial& trial, const SessionProgress& progress) {
  next_.on_trial(trial, progress);
  update(progress);
}

void LiveObserver::on_wait(const SessionProgress& progress) {
  next_.on_wait(progress);
  update(progress);
}

void LiveObserver::on_default_failed(const search::Trial& trial) {
  next_.on_default_failed(trial);
}

bool LiveObserver::on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) {
  note_.detail = "20 configurations in a row failed";
  update(progress);
  return next_.on_nothing_correct(progress, latest);
}

void LiveObserver::on_finals(std::size_t rounds, std::size_t candidates) {
  next_.on_finals(rounds, candidates);
  note_.phase = "finals";
  note_.detail = fmt::format("round {}, {} candidates", rounds, candidates);
  state_.leave(note_);
}

std::string live_page(const LiveNote& note) {
  const auto place = [](const char* name, const std::string& text) {
    return element("dd", {{"data-live", name}}, text.empty() ? "–" : text);
  };
  const Html rows = element("dt", "Phase") + place("phase", note.phase) + element("dt", "Best") +
                    place("best", note.best) + element("dt", "Trials") + place("trials", std::to_string(note.trials)) +
                    element("dt", "Time") + place("time", fmt::format("{:.0f} s", note.elapsed_s));
  const Html content =
      element("dl", {{"class", "facts live"}, {"id", "live"}, {"aria-live", "off"}}, rows) +
      element("p", {{"id", "live-state"}, {"role", "status"}, {"class", "quiet"}}, "Connecting …") +
      element("iframe", {{"id", "live-report"}, {"title", "Report of the running session"}, {"hidden", ""}}, {});
  return page({note.title.empty() ? "Live" : note.title, "Live", true}, content);
}

}  // namespace warptune::tuner::serve
