// Draws in characters. With Unicode every character is two by four dots (Braille patterns), else one dot is one
// asterisk. Rejected: sixels and the like, which few terminals and no log file show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner {

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

}  // namespace warptune::tuner
