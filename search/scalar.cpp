// Implements Python's arithmetic and comparisons on scalars, in which a fault is a result and not an exception.
#include "search/scalar.h"

#include <cmath>
#include <compare>
#include <limits>

namespace warptune::search {

namespace {

using Kind = Scalar::Kind;

constexpr double two_to_63 = 0x1p63;

std::partial_ordering compare_mixed(std::int64_t whole, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= two_to_63) return std::partial_ordering::less;
  if (real < -two_to_63) return std::partial_ordering::greater;
  // The comparison is exact, as in Python: the integer is never rounded to a double.
  const double below = std::floor(real);
  const auto order = whole <=> static_cast<std::int64_t>(below);
  if (order != 0) return order;
  return below < real ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

// Both must be numbers.
std::partial_ordering compare_numbers(Scalar a, Scalar b) {
  if (a.is_whole() && b.is_whole()) return a.integer <=> b.integer;
  if (a.is_whole()) return compare_mixed(a.integer, b.real);
  if (b.is_whole()) return 0 <=> compare_mixed(b.integer, a.real);
  return a.real <=> b.real;
}

bool equal(Scalar a, Scalar b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind == Kind::text && b.kind == Kind::text) return *a.text == *b.text;
  return false;
}

Scalar less(Scalar a, Scalar b, bool or_equal) {
  std::partial_ordering order = std::partial_ordering::unordered;
  if (a.is_number() && b.is_number()) {
    order = compare_numbers(a, b);
  } else if (a.kind == Kind::text && b.kind == Kind::text) {
    order = a.text->compare(*b.text) <=> 0;
  } else {
    return Scalar::of(Fault::not_comparable);
  }
  return Scalar::of(order < 0 || (or_equal && order == 0));
}

// Returns the smaller or the larger operand. Of equal operands it returns the first, as Python's min and max do.
Scalar extreme(Scalar a, Scalar b, bool smallest) {
  const Scalar replaces = smallest ? less(b, a, false) : less(a, b, false);
  if (replaces.is_fault()) return replaces;
  return replaces.truth() ? b : a;
}

Scalar add(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? Scalar::of(Fault::overflow) : Scalar::of(sum);
}

Scalar subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference;
  return __builtin_sub_overflow(a, b, &difference) ? Scalar::of(Fault::overflow) : Scalar::of(difference);
}

Scalar multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? Scalar::of(Fault::overflow) : Scalar::of(product);
}

// C++ truncates towards zero, Python floors. The caller has excluded b == 0 and the one quotient that overflows.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

bool quotient_overflows(std::int64_t a, std::int64_t b) {
  return b == -1 && a == std::numeric_limits<std::int64_t>::min();
}

Scalar whole_floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return Scalar::of(Fault::division_by_zero);
  if (quotient_overflows(a, b)) return Scalar::of(Fault::overflow);
  return Scalar::of(floor_quotient(a, b));
}

Scalar whole_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return Scalar::of(Fault::division_by_zero);
  if (b == -1) return Scalar::of(std::int64_t{0});  // a % -1 traps on x86 for the smallest integer
  const std::int64_t remainder = a % b;
  return Scalar::of(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
}

Scalar whole_ceildiv(std::int64_t a, std::int64_t b) {
  if (b == 0) return Scalar::of(Fault::division_by_zero);
  if (quotient_overflows(a, b)) return Scalar::of(Fault::overflow);
  return Scalar::of(floor_quotient(a, b) + (a % b != 0));
}

Scalar real_modulo(double a, double b) {
  if (b == 0) return Scalar::of(Fault::division_by_zero);
  double remainder = std::fmod(a, b);
  if (remainder == 0) return Scalar::of(std::copysign(0.0, b));
  if ((remainder < 0) != (b < 0)) remainder += b;
  return Scalar::of(remainder);
}

// Divides through the remainder, as Python does, so that a == (a // b) * b + a % b holds as well as doubles allow:
// floor(a / b) alone gives 1 // 0.1 == 10 where Python gives 9.
Scalar real_floor_divide(double a, double b) {
  const Scalar remainder = real_modulo(a, b);
  if (remainder.is_fault()) return remainder;
  const double quotient = (a - remainder.real) / b;
  if (quotient == 0) return Scalar::of(std::copysign(0.0, a / b));
  const double floored = std::floor(quotient);
  return Scalar::of(quotient - floored > 0.5 ? floored + 1 : floored);
}

Scalar divide(Scalar a, Scalar b) {
  if (b.as_real() == 0) return Scalar::of(Fault::division_by_zero);
  if (!a.is_whole() || !b.is_whole()) return Scalar::of(a.as_real() / b.as_real());
  // 64-bit integers are exact in a long double (x87): the quotient is rounded from the exact operands.
  return Scalar::of(static_cast<double>(static_cast<long double>(a.integer) / static_cast<long double>(b.integer)));
}

Scalar whole_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (;;) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return Scalar::of(Fault::overflow);
    exponent >>= 1;
    if (exponent == 0) return Scalar::of(result);
    if (__builtin_mul_overflow(base, base, &base)) return Scalar::of(Fault::overflow);
  }
}

Scalar real_power(double base, double exponent) {
  if (base == 0 && exponent < 0) return Scalar::of(Fault::division_by_zero);
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent))
    return Scalar::of(Fault::no_real_power);
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) return Scalar::of(Fault::overflow);
  return Scalar::of(result);
}

Scalar power(Scalar base, Scalar exponent) {
  if (base.is_whole() && exponent.is_whole() && exponent.integer >= 0)
    return whole_power(base.integer, exponent.integer);
  return real_power(base.as_real(), exponent.as_real());
}

Scalar whole_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::subtract:
      return subtract(a, b);
    case Op::multiply:
      return multiply(a, b);
    case Op::floor_divide:
      return whole_floor_divide(a, b);
    case Op::modulo:
      return whole_modulo(a, b);
    case Op::ceildiv:
      return whole_ceildiv(a, b);
    default:
      break;
  }
  const Scalar steps = whole_ceildiv(a, b);  // round_up
  return steps.is_fault() ? steps : multiply(steps.integer, b);
}

Scalar real_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return Scalar::of(a + b);
    case Op::subtract:
      return Scalar::of(a - b);
    case Op::multiply:
      return Scalar::of(a * b);
    case Op::floor_divide:
      return real_floor_divide(a, b);
    case Op::modulo:
      return real_modulo(a, b);
    default:
      break;
  }
  const Scalar steps = real_floor_divide(-a, b);  // ceildiv(a, b) is -(-a // b)
  if (steps.is_fault()) return steps;
  return Scalar::of(op == Op::ceildiv ? -steps.real : -steps.real * b);
}

Scalar to_whole(double number) {
  if (!(number >= -two_to_63 && number < two_to_63)) return Scalar::of(Fault::out_of_integer_range);
  return Scalar::of(static_cast<std::int64_t>(number));
}

Scalar negate(Scalar a) {
  if (a.kind == Kind::real) return Scalar::of(-a.real);
  return subtract(0, a.integer);
}

Scalar absolute(Scalar a) {
  if (a.kind == Kind::real) return Scalar::of(std::fabs(a.real));
  return a.integer < 0 ? negate(a) : Scalar::of(a.integer);
}

Scalar is_pow2(Scalar a) {
  if (a.kind == Kind::real) {
    if (a.real != std::floor(a.real)) return Scalar::of(Fault::not_an_integer);
    a = to_whole(a.real);
    if (a.is_fault()) return a;
  }
  return Scalar::of(a.integer > 0 && (a.integer & (a.integer - 1)) == 0);
}

Scalar log2(Scalar a) {
  const double number = a.as_real();
  return number > 0 ? Scalar::of(std::log2(number)) : Scalar::of(Fault::log_of_nonpositive);
}

}  // namespace

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::overflow:
      return "the result does not fit (integers are 64-bit)";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::not_a_number:
      return "a number is needed here, not a string";
    case Fault::not_comparable:
      return "a string cannot be ordered against a number";
    case Fault::not_an_integer:
      return "a whole number is needed here";
    case Fault::log_of_nonpositive:
      return "log2 needs a number above zero";
    case Fault::no_real_power:
      return "a negative number to a fractional power is not real";
    case Fault::out_of_integer_range:
      return "the number is outside the 64-bit integers";
  }
  return "?";
}

Scalar Scalar::borrow(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return of(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return of(*number);
  if (const double* number = std::get_if<double>(&value)) return of(*number);
  return {.text = &std::get<std::string>(value), .kind = Kind::text};
}

Value Scalar::to_value() const {
  switch (kind) {
    case Kind::boolean:
      return integer != 0;
    case Kind::real:
      return real;
    case Kind::text:
      return *text;
    default:
      return integer;
  }
}

Scalar apply(Op op, Scalar a, Scalar b) {
  if (a.is_fault()) return a;
  if (b.is_fault()) return b;
  switch (op) {
    case Op::equal:
      return Scalar::of(equal(a, b));
    case Op::not_equal:
      return Scalar::of(!equal(a, b));
    case Op::less:
      return less(a, b, false);
    case Op::less_equal:
      return less(a, b, true);
    case Op::minimum:
      return extreme(a, b, true);
    case Op::maximum:
      return extreme(a, b, false);
    case Op::either:
      return Scalar::of(a.truth() || b.truth());
    default:
      break;
  }
  if (!a.is_number() || !b.is_number()) return Scalar::of(Fault::not_a_number);
  if (op == Op::divide) return divide(a, b);
  if (op == Op::power) return power(a, b);
  if (a.is_whole() && b.is_whole()) return whole_arithmetic(op, a.integer, b.integer);
  return real_arithmetic(op, a.as_real(), b.as_real());
}

Scalar apply(Op op, Scalar a) {
  if (a.is_fault()) return a;
  if (op == Op::logical_not) return Scalar::of(!a.truth());
  if (!a.is_number()) return Scalar::of(Fault::not_a_number);
  switch (op) {
    case Op::negate:
      return negate(a);
    case Op::absolute:
      return absolute(a);
    case Op::ceiling:
      return a.is_whole() ? Scalar::of(a.integer) : to_whole(std::ceil(a.real));
    case Op::floor:
      return a.is_whole() ? Scalar::of(a.integer) : to_whole(std::floor(a.real));
    case Op::log2:
      return log2(a);
    case Op::is_pow2:
      return is_pow2(a);
    default:
      return a.is_whole() ? Scalar::of(a.integer) : a;  // plus: +true is 1
  }
}

}  // namespace warptune::search
