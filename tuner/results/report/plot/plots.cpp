// Composes Braille patterns (from U+2800 on) or asterisks from dots, and scales, labels and draws the plots.
#include "tuner/results/report/plot/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "db/objective_value.h"
#include "db/settled.h"
#include "search/spelling.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

// This is the bit of each dot in a Braille pattern, by row and column: dots 1 to 3 and 7 are the left ones.
constexpr std::array<std::array<unsigned, 2>, 4> braille_bits{{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

std::string utf8_braille(unsigned pattern) {
  const unsigned code = 0x2800 + pattern;
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace

Canvas::Canvas(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns),
      rows_(rows),
      dots_across_(unicode ? 2 : 1),
      dots_down_(unicode ? 4 : 1),
      dots_(width() * height()) {}

void Canvas::dot(std::size_t x, std::size_t y) {
  if (x < width() && y < height()) dots_[y * width() + x] = true;
}

void Canvas::line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1) {
  for (std::size_t x = std::min(x0, x1); x <= std::max(x0, x1); ++x)
    for (std::size_t y = std::min(y0, y1); y <= std::max(y0, y1); ++y) dot(x, y);
}

std::string Canvas::character(std::size_t column, std::size_t row) const {
  unsigned pattern = 0;
  for (std::size_t y = 0; y < dots_down_; ++y)
    for (std::size_t x = 0; x < dots_across_; ++x)
      if (dots_[(row * dots_down_ + y) * width() + column * dots_across_ + x]) pattern |= braille_bits[y][x];
  if (pattern == 0) return " ";
  return dots_across_ == 1 ? "*" : utf8_braille(pattern);
}

std::vector<std::string> Canvas::lines() const {
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::string line;
    for (std::size_t column = 0; column < columns_; ++column) line += character(column, row);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

constexpr std::size_t label_width = 9;  // "1,234 ms" and a space
constexpr std::size_t plot_rows = 12;

// Holds what stands before each line, as wide as the longest. A unit that would take too much of a plot's room stands
// in its title.
struct Labels {
  std::vector<std::string> texts;
  std::size_t width = label_width;
  std::string unit;  // " (name)", or nothing
};

// Says where values lie between the least and the greatest: by their logarithms, unless one is below zero.
struct Scale {
  double low = 1, high = 1;

  double share(double value) const {
    if (!(high > low)) return 0;
    return low > 0 ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  double value(double share) const { return low > 0 ? low * std::pow(high / low, share) : low + share * (high - low); }
};

Scale scale_of(const std::vector<PlottedSession::Point>& points) {
  const auto [least, greatest] = std::ranges::minmax(points, {}, &PlottedSession::Point::value);
  return {least.value, greatest.value};
}

std::size_t at(double share, std::size_t size) {
  return std::min(size - 1, static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(size)));
}

// Returns the points at which the best changed.
std::vector<PlottedSession::Point> improvements(const PlottedSession& session) {
  std::vector<PlottedSession::Point> steps;
  for (const PlottedSession::Point& point : session.points)
    if (steps.empty() || session.better(point.value, steps.back().value)) steps.push_back(point);
  return steps;
}

// Returns the columns that a text of UTF-8 takes, where no character is wide.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t taken = columns_of(text);
  return std::string(width > taken ? width - taken : 0, ' ') + text;
}

Labels labels_of(const PlottedSession& session, const std::vector<double>& values, std::size_t width) {
  Labels labels;
  const auto measure = [&] {
    labels.width = label_width;
    for (const std::string& text : labels.texts) labels.width = std::max(labels.width, columns_of(text));
  };
  for (const double value : values) labels.texts.push_back(session.text(value));
  measure();
  if (labels.width == label_width || labels.width <= width / 4) return labels;
  const std::string& first = labels.texts.front();
  if (const std::size_t space = first.find(' '); space != std::string::npos)
    labels.unit = " (" + first.substr(space + 1) + ")";
  for (std::string& text : labels.texts) text = text.substr(0, text.find(' '));
  measure();
  return labels;
}

// Returns a character that is darker for a larger share: 0 is the worst, 1 the best.
std::string shade(double share, bool unicode) {
  static constexpr const char* dark[] = {" ", "░", "▒", "▓", "█"};
  static constexpr const char* plain[] = {" ", ".", "+", "#", "@"};
  return (unicode ? dark : plain)[at(share, 5)];
}

using Value = search::Value;
bool goes_before(const Value& a, const Value& b) {
  const auto number = [](const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1.0 : 0.0;
    return HUGE_VAL;  // texts after numbers
  };
  const double x = number(a), y = number(b);
  return x != y ? x < y : search::to_text(a) < search::to_text(b);
}

std::vector<Value> values_of(const PlottedSession& session, const std::string& name) {
  std::vector<Value> values;
  for (const PlottedSession::Point& point : session.points)
    if (const Value* value = search::find_value(point.trial->values, name)) values.push_back(*value);
  std::ranges::sort(values, goes_before);
  const auto same = [](const Value& a, const Value& b) { return search::to_text(a) == search::to_text(b); };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

// `bests_of` returns the best of all trials with the same values of two parameters, by the texts of these.
using Bests = std::map<std::pair<std::string, std::string>, double>;
Bests bests_of(const PlottedSession& session, const std::string& across, const std::string& down) {
  Bests bests;
  for (const PlottedSession::Point& point : session.points) {
    const Value* x = search::find_value(point.trial->values, across);
    const Value* y = search::find_value(point.trial->values, down);
    if (!x || !y) continue;
    const auto [best, added] = bests.try_emplace({search::to_text(*x), search::to_text(*y)}, point.value);
    if (!added && session.better(point.value, best->second)) best->second = point.value;
  }
  return bests;
}

void require_parameter(const PlottedSession& session, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, value] : session.points.front().trial->values) names.push_back(known);
  if (std::ranges::find(names, name) == names.end())
    throw std::invalid_argument(fmt::format("the session has no parameter '{}'{}; it has {}", name,
                                            search::did_you_mean(name, names), fmt::join(names, ", ")));
}

Scale scale_of(const Bests& bests) {
  const auto [least, greatest] = std::ranges::minmax_element(bests, {}, &Bests::value_type::second);
  return {least->second, greatest->second};
}

std::string histogram_bar(std::size_t count, std::size_t most, std::size_t width, bool unicode) {
  const std::size_t length = count == 0 ? 0 : std::max<std::size_t>(1, count * width / most);
  std::string bar;
  for (std::size_t i = 0; i < length; ++i) bar += unicode ? "█" : "#";
  return bar;
}

std::string heat_row(const std::string& down, const std::vector<Value>& columns, const Bests& bests,
                     const PlottedSession& session, std::size_t cell, bool texts, const PlotStyle& style) {
  const Scale scale = scale_of(bests);
  std::string line;
  for (const Value& column : columns) {
    const auto best = bests.find({search::to_text(column), down});
    if (best == bests.end()) {
      line += padded("-", cell);
      continue;
    }
    const double share = scale.share(best->second);
    const std::string mark = shade(session.maximised ? share : 1 - share, style.unicode);
    line += padded(texts ? fmt::format("{}{} {}", mark, mark, session.text(best->second)) : mark + mark, cell);
  }
  return line;
}

}  // namespace

PlottedSession plotted(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials) {
  PlottedSession drawn;
  drawn.trials = trials.size();
  drawn.maximised = db::is_maximised(session);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].trial.correct() || trials[i].trial.objectives.empty()) continue;
    const double value = db::objective_value(trials[i].trial.objectives.front(), drawn.maximised);
    if (std::isfinite(value)) drawn.points.push_back({i + 1, value, &trials[i]});
  }
  const auto below_zero = [](const PlottedSession::Point& point) { return point.value < 0; };
  if (std::ranges::none_of(drawn.points, below_zero))
    std::erase_if(drawn.points, [](const PlottedSession::Point& point) { return point.value == 0; });
  drawn.text = [unit = db::first_objective(session.objective)](double value) {
    return unit == "time" ? duration_text(value) : three_digits(value) + ' ' + unit;
  };
  return drawn;
}

std::string convergence_plot(const PlottedSession& session, const PlotStyle& style) {
  const auto steps = improvements(session);
  if (steps.empty()) return "";
  const Scale scale = scale_of(steps);
  std::vector<double> figures;
  for (std::size_t row = 0; row < plot_rows; ++row)
    figures.push_back(scale.value(1 - static_cast<double>(row) / static_cast<double>(plot_rows - 1)));
  const Labels labels = labels_of(session, figures, style.width);
  Canvas canvas(std::max<std::size_t>(20, style.width) - labels.width - 1, plot_rows, style.unicode);
  const auto x = [&](std::size_t place) {
    return (place - 1) * (canvas.width() - 1) / std::max<std::size_t>(1, session.trials - 1);
  };
  const auto y = [&](double value) { return canvas.height() - 1 - at(scale.share(value), canvas.height()); };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    const std::size_t end = last ? canvas.width() - 1 : x(steps[i + 1].place);
    canvas.line(x(steps[i].place), y(steps[i].value), end, y(steps[i].value));
    if (!last) canvas.line(end, y(steps[i].value), end, y(steps[i + 1].value));
  }
  std::string text = wrapped_text("Best so far over trials" + labels.unit, style.width, 0) + '\n';
  const std::vector<std::string> lines = canvas.lines();
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const bool labelled = row == 0 || row + 1 == lines.size() || row == lines.size() / 2;
    text += padded(labelled ? labels.texts[row] : "", labels.width) + (style.unicode ? "│" : "|") + lines[row] + '\n';
  }
  const std::string end = std::to_string(session.trials);
  return text + std::string(labels.width + 1, ' ') + '1' +
         padded(end, std::max<std::size_t>(20, style.width) - labels.width - 2) + '\n';
}

std::string histogram_plot(const PlottedSession& session, const PlotStyle& style) {
  if (session.points.size() < 2) return "";
  const Scale scale = scale_of(session.points);
  if (!(scale.high > scale.low)) return "";
  std::vector<std::size_t> counts(plot_rows);
  for (const PlottedSession::Point& point : session.points) ++counts[at(scale.share(point.value), counts.size())];
  const std::size_t most = *std::ranges::max_element(counts);
  const std::size_t numbers = std::to_string(most).size() + 1;
  std::vector<double> figures;
  for (std::size_t row = 0; row < counts.size(); ++row)
    figures.push_back(scale.value(static_cast<double>(row) / static_cast<double>(counts.size())));
  const Labels labels = labels_of(session, figures, style.width);
  const std::size_t room = std::max<std::size_t>(30, style.width) - labels.width - 1 - numbers;
  std::string text =
      wrapped_text("Correct trials, from each line's figure to the next" + labels.unit, style.width, 0) + '\n';
  for (std::size_t row = 0; row < counts.size(); ++row)
    text += fmt::format("{}{}{} {}\n", padded(labels.texts[row], labels.width), style.unicode ? "│" : "|",
                        histogram_bar(counts[row], most, room, style.unicode), counts[row]);
  return text;
}

std::vector<std::string> telling_parameters(const PlottedSession& session) {
  std::vector<std::pair<double, std::string>> spreads;
  if (session.points.empty()) return {};
  const Scale scale = scale_of(session.points);
  for (const auto& [name, first] : session.points.front().trial->values) {
    std::vector<double> shares;
    for (const auto& [pair, best] : bests_of(session, name, name)) shares.push_back(scale.share(best));
    if (shares.size() < 2) continue;
    const auto [least, greatest] = std::ranges::minmax(shares);
    spreads.emplace_back(greatest - least, name);
  }
  std::ranges::stable_sort(spreads, std::greater{}, &std::pair<double, std::string>::first);
  std::vector<std::string> names;
  for (auto& [spread, name] : spreads) names.push_back(std::move(name));
  return names;
}

std::string heat_map_plot(const PlottedSession& session, const std::string& across, const std::string& down,
                          const PlotStyle& style) {
  if (session.points.empty()) return "";
  require_parameter(session, across);
  require_parameter(session, down);
  const std::vector<Value> columns = values_of(session, across), rows = values_of(session, down);
  const Bests bests = bests_of(session, across, down);
  std::size_t label = 0, heading = 0;
  for (const Value& row : rows) label = std::max(label, columns_of(search::to_text(row)));
  for (const Value& column : columns) heading = std::max(heading, columns_of(search::to_text(column)));
  std::size_t figure = label_width;
  for (const auto& [pair, best] : bests) figure = std::max(figure, columns_of(session.text(best)));
  const std::size_t wide = std::max<std::size_t>(figure + 4, heading + 1),
                    narrow = std::max<std::size_t>(3, heading + 1);
  const std::size_t cell = label + columns.size() * wide <= style.width ? wide : narrow;
  std::string text =
      wrapped_text(fmt::format("Best of each pair: {} across, {} down; the darker, the better", across, down),
                   style.width, 0) +
      '\n';
  text += std::string(label, ' ');
  for (const Value& column : columns) text += padded(search::to_text(column), cell);
  text += '\n';
  for (const Value& row : rows)
    text += padded(search::to_text(row), label) +
            heat_row(search::to_text(row), columns, bests, session, cell, cell == wide, style) + '\n';
  return text;
}

}  // namespace warptune::tuner
