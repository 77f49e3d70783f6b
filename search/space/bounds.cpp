// Computes the bounds of operations by interval arithmetic, and those of the parts of a domain.
#include "search/space/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warptune::search {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// All integers up to here are doubles. Of a larger one it is only known that it is larger.
constexpr double exact_limit = 0x1p53;

constexpr Bounds anything{};
constexpr Bounds a_truth{0, 1, true};

Bounds truth(bool value) {
  return value ? Bounds{1, 1, true} : Bounds{0, 0, true};
}

bool is_point(const Bounds& a) {
  return a.low == a.high;
}

// Rounding to the nearest is monotone, so ends that are computed in the same way as the values contain the values.
Bounds made(double low, double high, bool whole) {
  if (std::isnan(low) || std::isnan(high)) return anything;
  if (!whole) return {low, high, false};
  if (low < -exact_limit) low = -infinite;
  if (high > exact_limit) high = infinite;
  return {std::min(low, exact_limit), std::max(high, -exact_limit), true};
}

Bounds between(std::array<double, 4> ends, bool whole) {
  if (std::ranges::any_of(ends, [](double end) { return std::isnan(end); })) return anything;
  const auto [low, high] = std::ranges::minmax(ends);
  return made(low, high, whole);
}

// Returns the floored quotient of ends that are whole and at most `exact_limit`, or infinite.
double floor_quotient(double a, double b) {
  if (std::isinf(b)) return std::isinf(a) ? std::nan("") : ((a < 0) == (b < 0) ? 0.0 : -1.0);
  if (std::isinf(a)) return (a < 0) == (b < 0) ? infinite : -infinite;
  const auto dividend = static_cast<std::int64_t>(a), divisor = static_cast<std::int64_t>(b);
  const std::int64_t quotient = dividend / divisor;
  const bool inexact = dividend % divisor != 0;
  return static_cast<double>(quotient - (inexact && (dividend < 0) != (divisor < 0) ? 1 : 0));
}

bool may_be_zero(const Bounds& a) {
  return a.low <= 0 && a.high >= 0;
}

Bounds floor_divide(const Bounds& a, const Bounds& b) {
  if (!a.whole || !b.whole || may_be_zero(b)) return anything;
  return between({floor_quotient(a.low, b.low), floor_quotient(a.low, b.high), floor_quotient(a.high, b.low),
                  floor_quotient(a.high, b.high)},
                 true);
}

Bounds negate(const Bounds& a) {
  return {-a.high, -a.low, a.whole};
}

Bounds ceil_divide(const Bounds& a, const Bounds& b) {
  return negate(floor_divide(negate(a), b));
}

// Where all quotients are the same number, the remainder of a falls as b grows. Otherwise it lies between 0 and b.
Bounds modulo(const Bounds& a, const Bounds& b) {
  if (b.low > 0 && a.whole && b.whole && a.low >= 0) {
    const double fewest = floor_quotient(a.low, b.high), most = floor_quotient(a.high, b.low);
    if (fewest == most && std::isfinite(fewest))
      return made(std::max(0.0, a.low - fewest * b.high), std::min(b.high, a.high - fewest * b.low), true);
  }
  const bool whole = a.whole && b.whole;
  if (!whole && (std::isinf(a.low) || std::isinf(a.high))) return anything;  // inf % b is no number
  if (b.low > 0) return made(0, b.high, whole);
  return b.high < 0 ? made(b.low, 0, whole) : anything;
}

double whole_power(double base, double exponent) {
  double result = 1;
  for (; exponent > 0 && result <= exact_limit; --exponent) result *= base;
  return result;
}

Bounds power(const Bounds& a, const Bounds& b) {
  constexpr double most = 64;  // the largest exponent: 2 to that power is beyond all integers
  if (!a.whole || !b.whole || a.low < 1 || b.low < 0) return anything;
  if (b.high > most && a.high > 1) return made(whole_power(a.low, std::min(b.low, most)), infinite, true);
  return made(whole_power(a.low, b.low), whole_power(a.high, std::min(b.high, most)), true);
}

Bounds equal(const Bounds& a, const Bounds& b) {
  if (a.high < b.low || b.high < a.low) return truth(false);
  return is_point(a) && is_point(b) && std::isfinite(a.low) ? truth(true) : a_truth;
}

// A result that is unbounded on both sides may be no number at all, which no comparison orders.
bool may_be_nan(const Bounds& a) {
  return !a.whole && std::isinf(a.low) && std::isinf(a.high);
}

Bounds less(const Bounds& a, const Bounds& b) {
  if (may_be_nan(a) || may_be_nan(b)) return a_truth;
  if (a.high < b.low) return truth(true);
  return a.low >= b.high ? truth(false) : a_truth;
}

Bounds less_equal(const Bounds& a, const Bounds& b) {
  if (may_be_nan(a) || may_be_nan(b)) return a_truth;
  if (a.high <= b.low) return truth(true);
  return a.low > b.high ? truth(false) : a_truth;
}

Bounds opposite(const Bounds& a) {
  if (a.always_false()) return truth(true);
  return a.always_true() ? truth(false) : a_truth;
}

Bounds binary(Op op, const Bounds& a, const Bounds& b) {
  const bool whole = a.whole && b.whole;
  switch (op) {
    case Op::add:
      return made(a.low + b.low, a.high + b.high, whole);
    case Op::subtract:
      return made(a.low - b.high, a.high - b.low, whole);
    case Op::multiply:
      return between({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, whole);
    case Op::divide:
      if (may_be_zero(b)) return anything;
      return between({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}, false);
    case Op::floor_divide:
      return floor_divide(a, b);
    case Op::modulo:
      return modulo(a, b);
    case Op::power:
      return power(a, b);
    case Op::equal:
      return equal(a, b);
    case Op::not_equal:
      return opposite(equal(a, b));
    case Op::less:
      return less(a, b);
    case Op::less_equal:
      return less_equal(a, b);
    case Op::minimum:
      if (may_be_nan(a) || may_be_nan(b)) return anything;
      return {std::min(a.low, b.low), std::min(a.high, b.high), whole};
    case Op::maximum:
      if (may_be_nan(a) || may_be_nan(b)) return anything;
      return {std::max(a.low, b.low), std::max(a.high, b.high), whole};
    case Op::ceildiv:
      return ceil_divide(a, b);
    case Op::round_up:
      return binary(Op::multiply, ceil_divide(a, b), b);
    case Op::either:
      if (a.always_true() || b.always_true()) return truth(true);
      return a.always_false() && b.always_false() ? truth(false) : a_truth;
    default:
      return anything;
  }
}

Bounds absolute(const Bounds& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return negate(a);
  return {0, std::max(-a.low, a.high), a.whole};
}

bool holds_power_of_two(const Bounds& a) {
  if (a.high < 1) return false;
  const double next = std::exp2(std::ceil(std::log2(std::max(1.0, a.low))));
  return std::isinf(a.high) || next <= a.high;
}

Bounds unary(Op op, const Bounds& a) {
  switch (op) {
    case Op::plus:
      return a;
    case Op::negate:
      return negate(a);
    case Op::logical_not:
      return opposite(a);
    case Op::absolute:
      return absolute(a);
    case Op::ceiling:
      return a.whole ? a : made(std::ceil(a.low), std::ceil(a.high), true);
    case Op::floor:
      return a.whole ? a : made(std::floor(a.low), std::floor(a.high), true);
    case Op::is_pow2:
      return a.whole && !holds_power_of_two(a) ? truth(false) : a_truth;
    default:
      return anything;
  }
}

}  // namespace

Bounds Bounds::of(Scalar value) {
  if (!value.is_number()) return anything;
  const double number = value.as_real();
  return made(number, number, value.is_whole());
}

Bounds hull(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.whole && b.whole};
}

Bounds bounds_of(const Node& node, const Bounds& a, const Bounds& b, const Bounds& c) {
  switch (node.kind) {
    case Node::Kind::unary:
      return unary(node.op, a);
    case Node::Kind::binary:
      return binary(node.op, a, b);
    case Node::Kind::both:
      if (a.always_false()) return truth(false);
      return a.always_true() ? b : hull(truth(false), b);
    case Node::Kind::any:
      if (a.always_true()) return a;
      return a.always_false() ? b : hull(a, b);
    case Node::Kind::choice:
      if (a.always_true()) return b;
      return a.always_false() ? c : hull(b, c);
    default:
      return anything;
  }
}

Blocks::Blocks(const Scalar* values, std::span<const std::uint32_t> choices) : size_(choices.size()) {
  measure(0, values, choices);
}

void Blocks::measure(std::size_t part, const Scalar* values, std::span<const std::uint32_t> choices) {
  if (part >= bounds_.size()) bounds_.resize(part + 1);
  if (choices.size() <= smallest) {
    Bounds bounds = Bounds::of(values[choices.front()]);
    for (std::uint32_t choice : choices) bounds = hull(bounds, Bounds::of(values[choice]));
    bounds_[part] = bounds;
    return;
  }
  const std::size_t middle = choices.size() / 2;
  measure(2 * part + 1, values, choices.first(middle));
  measure(2 * part + 2, values, choices.subspan(middle));
  bounds_[part] = hull(bounds_[2 * part + 1], bounds_[2 * part + 2]);
}

}  // namespace warptune::search
