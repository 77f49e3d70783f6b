// Composes Braille patterns (from U+2800 on) or asterisks from the dots.
#include "tuner/results/report/plot/canvas.h"

#include <algorithm>
#include <array>

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

}  // namespace warptune::tuner
