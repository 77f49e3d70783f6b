// Makes the lines of a running session, and leaves out what they have no room for.
#include "tuner/program/cli/terminal/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

using Phase = DisplayState::Phase;

std::string cut(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end) {
    if ((text[end] & 0xc0) == 0x80) continue;
    if (shown++ == width) break;
  }
  return std::string(text.substr(0, end));
}

// Returns "43 s", "12:05" or "1:00:05".
std::string clock_text(double seconds) {
  const auto whole = std::llround(std::max(0.0, seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string rate_text(double per_second) {
  if (per_second >= 10) return fmt::format("{:.0f}/s", per_second);
  if (per_second >= 1) return fmt::format("{:.1f}/s", per_second);
  return fmt::format("{:.1f}/min", per_second * 60);
}

double rate(const DisplayState& state) {
  constexpr double too_soon_s = 0.5;
  return state.searching_s < too_soon_s ? 0 : static_cast<double>(state.done) / state.searching_s;
}

// Returns the seconds until the sooner of the known ends; nothing if no end is known.
std::optional<double> left_s(const DisplayState& state) {
  std::optional<double> left;
  if (state.most_seconds) left = *state.most_seconds - state.elapsed_s;
  if (state.most_trials && state.done > 0 && rate(state) > 0) {
    const auto trials = static_cast<double>(*state.most_trials) - static_cast<double>(state.done);
    left = std::min(left.value_or(trials / rate(state)), trials / rate(state));
  }
  return left;
}

// Returns the parts of a line in the order of their weight. A part that the line has no room for is left out.
std::vector<std::string> search_parts(const DisplayState& state) {
  std::vector<std::string> parts{fmt::format("{} done", state.done)};
  if (state.most_trials) parts.back() += fmt::format(" of {}", *state.most_trials);
  if (const auto left = left_s(state)) parts.push_back(clock_text(*left) + " left");
  if (state.failed > 0) parts.push_back(fmt::format("{} failed", state.failed));
  if (rate(state) > 0) parts.push_back(rate_text(rate(state)));
  return parts;
}

std::vector<std::string> parts(const DisplayState& state) {
  switch (state.phase) {
    case Phase::setup:
      return {"set-up: " + state.step, clock_text(state.step_s)};
    case Phase::finals:
      return {fmt::format("finals: round {}", state.round), fmt::format("{} candidates", state.candidates)};
    case Phase::search:
      break;
  }
  return search_parts(state);
}

std::string joined(const std::vector<std::string>& parts, const std::string& first, std::size_t width) {
  std::string line = first + parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (text_width(line) + 2 + text_width(parts[i]) <= width) line += ", " + parts[i];
  return line;
}

std::string size_text(const DisplayState& state) {
  return state.sizes == 0 ? "" : fmt::format("size {} of {}: ", state.size, state.sizes);
}

// Returns the line of the set-up. A step that is too long keeps its seconds, and its text is cut.
std::string setup_line(const DisplayState& state, std::size_t width) {
  const std::string end = ", " + clock_text(state.step_s), step = size_text(state) + "set-up: " + state.step;
  if (text_width(step) + end.size() <= width) return step + end;
  constexpr std::string_view dots = "...";
  return cut(step, width - std::min(width, end.size() + dots.size())) + std::string(dots) + end;
}

}  // namespace

std::string sparkline(const std::vector<double>& costs, std::size_t columns, bool unicode) {
  static constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> ascii{"_", ".", "-", "~", "=", "+", "*", "#"};
  if (costs.empty() || columns == 0) return {};
  const double low = std::ranges::min(costs), high = std::ranges::max(costs);
  // Maximised metrics are negative costs, of which no logarithm can be taken.
  const auto height = [&](double cost) {
    if (high <= low) return 0.0;
    return low > 0 ? std::log(cost / low) / std::log(high / low) : (cost - low) / (high - low);
  };
  const std::size_t shown = std::min(columns, costs.size());
  std::string line;
  for (std::size_t i = 0; i < shown; ++i) {
    const double cost = costs[(i + 1) * costs.size() / shown - 1];
    const auto level = static_cast<std::size_t>(std::clamp(std::ceil(height(cost) * 7), 0.0, 7.0));
    line += unicode ? blocks[level] : ascii[level];
  }
  return line;
}

std::vector<std::string> display_lines(const DisplayState& state, const DisplayStyle& style) {
  if (state.phase == Phase::setup) return {cut(setup_line(state, style.width), style.width)};
  std::vector<std::string> lines{cut(joined(parts(state), size_text(state), style.width), style.width)};
  if (state.best.empty()) return lines;
  std::string best = cut("best " + state.best, style.width);
  constexpr std::size_t gap = 2, least = 4, most = 32;
  const std::size_t room = style.width - std::min(style.width, text_width(best) + gap);
  if (room >= least) best += std::string(gap, ' ') + sparkline(state.bests, std::min(room, most), style.unicode);
  lines.push_back(std::move(best));
  return lines;
}

std::string plain_line(const DisplayState& state) {
  constexpr std::size_t no_limit = static_cast<std::size_t>(-1) / 2;
  std::string line = fmt::format("{:7.1f} s  ", state.elapsed_s);
  if (state.phase == Phase::setup) return line + setup_line(state, no_limit);
  line += joined(parts(state), size_text(state), no_limit);
  if (state.phase == Phase::search && !state.best.empty()) line += ", best " + state.best;
  return line;
}

}  // namespace warptune::tuner::cli
