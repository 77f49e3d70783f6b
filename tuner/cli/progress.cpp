#include "tuner/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/context.h"
#include "tuner/report/session_report.h"

namespace warptune::tuner::cli {

namespace {

constexpr double quiet_seconds = 10;  // between plain lines without an improvement
constexpr double redraw_seconds = 0.1;

}  // namespace

void Progress::on_resumed(const SessionProgress& progress) {
  interactive_ = interactive();
  if (progress.best) best_ = progress.best->objectives.front();
  if (progress.resumed > 0) say(fmt::format("resuming: {} trials are in the store already", progress.resumed));
}

std::string Progress::status(const SessionProgress& progress) const {
  std::string text = fmt::format("{} done", progress.done);
  if (limits_.trials) text += fmt::format(" of {}", *limits_.trials);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (progress.best)
    text += ", best " +
            (kernel_ ? figures(*progress.best, *kernel_) : duration_text(progress.best->measurement->median_ms));
  if (limits_.seconds) text += fmt::format(", {:.0f} s left", std::max(0.0, *limits_.seconds - progress.elapsed_s));
  return text;
}

void Progress::on_trial(const search::Trial&, const SessionProgress& progress) {
  const std::optional<double> best = progress.best ? std::optional(progress.best->objectives.front()) : std::nullopt;
  const bool improved = best != best_;
  best_ = best;
  const double since = progress.elapsed_s - last_line_s_;
  if (interactive_) {
    if (!improved && since < redraw_seconds) return;
    show_status(status(progress));
    line_open_ = true;
  } else {
    if (!improved && since < quiet_seconds) return;
    say(fmt::format("{:7.1f} s  {}", progress.elapsed_s, status(progress)));
  }
  last_line_s_ = progress.elapsed_s;
}

void Progress::on_finals(std::size_t rounds, std::size_t candidates) {
  const std::string text = fmt::format("finals: round {}, {} candidates", rounds, candidates);
  if (interactive_) {
    show_status(text);
    line_open_ = true;
  } else if (rounds == 1) {
    say(text);
  }
}

void Progress::finish() {
  if (line_open_) end_status();
  line_open_ = false;
}

}  // namespace warptune::tuner::cli
