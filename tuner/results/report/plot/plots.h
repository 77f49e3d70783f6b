// Plots a session in the terminal: how its best fell, how its times are distributed, two parameters against each other.
// All are pure functions of the session's trials; the page (results/report/page) has the same and more.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "db/records.h"

namespace warptune::tuner {

// A Canvas draws in characters. With Unicode every character is two by four dots (Braille patterns), else one dot is
// one asterisk. Rejected: sixels and the like, which few terminals and no log file show.
class Canvas {
 public:
  // The size is in characters.
  Canvas(std::size_t columns, std::size_t rows, bool unicode);

  // Return the size in dots, which are counted from the left and from the top.
  std::size_t width() const { return columns_ * dots_across_; }
  std::size_t height() const { return rows_ * dots_down_; }
  // Draws one dot; dots outside are left out.
  void dot(std::size_t x, std::size_t y);
  // Draws a line straight across or straight down, both ends included.
  void line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1);

  // Returns the lines from the top, without spaces at their ends.
  std::vector<std::string> lines() const;

 private:
  std::string character(std::size_t column, std::size_t row) const;

  std::size_t columns_, rows_;
  std::size_t dots_across_, dots_down_;
  std::vector<bool> dots_;
};

struct PlotStyle {
  std::size_t width = 80;  // characters a line
  bool unicode = true;
};

// Holds what is drawn: the primary objective of the correct trials, in recording order.
struct PlottedSession {
  struct Point {
    std::size_t place = 0;  // among all trials, from 1
    double value = 0;       // as users know it (db/objective_value.h)
    const db::StoredTrial* trial = nullptr;
  };
  std::vector<Point> points;
  std::size_t trials = 0;
  bool maximised = false;
  std::function<std::string(double)> text;  // "1.28 ms", "812 GFLOP/s"

  bool better(double a, double b) const { return maximised ? a > b : a < b; }
};

// Returns what is drawn of a session. It refers to the trials, which must stay. Scales are logarithmic, and values of
// zero are left out; if a value is below zero, they are linear.
PlottedSession plotted(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials);

// Each plot ends with a newline, and is empty where there is nothing to draw.
std::string convergence_plot(const PlottedSession& session, const PlotStyle& style);
std::string histogram_plot(const PlottedSession& session, const PlotStyle& style);
// Shows, for each pair of values of two parameters, the best over all other parameters. Throws std::invalid_argument,
// with the names there are, for a parameter that no trial has.
std::string heat_map_plot(const PlottedSession& session, const std::string& across, const std::string& down,
                          const PlotStyle& style);

// Returns the parameters of which more than one value was right; those come first whose best differs most between
// values.
std::vector<std::string> telling_parameters(const PlottedSession& session);

}  // namespace warptune::tuner
