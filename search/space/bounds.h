// Bounds what computations can come to while a parameter runs through a range. This is interval arithmetic (Moore
// 1966), so that one look rules out a whole range of values that a constraint forbids. This header is private to
// search/.
//
// Rejected: solving constraints for a parameter symbolically, which would need a rule for every shape of constraint.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/space/graph.h"

namespace warptune::search {

// Every result that is no fault lies in low … high. A result of which nothing is known, such as a string, lies
// anywhere.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool whole = false;  // integers and truth values only

  static Bounds of(Scalar value);
  bool always_false() const { return low == 0 && high == 0; }
  bool always_true() const { return low > 0 || high < 0; }
};

// Returns the smallest bounds that contain both.
Bounds hull(const Bounds& a, const Bounds& b);

// Returns the bounds of a node whose operands lie within these. Operands that its kind does not have may be anything.
Bounds bounds_of(const Node& node, const Bounds& a, const Bounds& b, const Bounds& c);

// Blocks holds a wide domain that is halved again and again, with the bounds of every part.
class Blocks {
 public:
  // Smaller domains are tried value by value, as the smallest parts are.
  static constexpr std::size_t least_values = 256, smallest = 32;

  // `values` is indexed by choice.
  Blocks(const Scalar* values, std::span<const std::uint32_t> choices);

  // Calls `visit(first, last)` for ranges of positions in `choices`, ascending, that together hold every value that
  // `ruled_out(bounds)` does not rule out. Returns how many parts were looked at.
  template <class RuledOut, class Visit>
  std::size_t search(const RuledOut& ruled_out, const Visit& visit) const {
    return search(0, 0, size_, ruled_out, visit);
  }
  const Bounds& all() const { return bounds_.front(); }
  std::size_t bytes() const { return bounds_.capacity() * sizeof(Bounds); }

 private:
  void measure(std::size_t part, const Scalar* values, std::span<const std::uint32_t> choices);
  template <class RuledOut, class Visit>
  std::size_t search(std::size_t part, std::size_t first, std::size_t last, const RuledOut& ruled_out,
                     const Visit& visit) const {
    if (ruled_out(bounds_[part])) return 1;
    if (last - first <= smallest) {
      visit(first, last);
      return 1;
    }
    const std::size_t middle = (first + last) / 2;
    return 1 + search(2 * part + 1, first, middle, ruled_out, visit) +
           search(2 * part + 2, middle, last, ruled_out, visit);
  }

  std::size_t size_;
  std::vector<Bounds> bounds_;  // the halves of part i are 2i + 1 and 2i + 2
};

}  // namespace warptune::search
