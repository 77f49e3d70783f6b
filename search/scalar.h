// Defines the value that an expression computes with, which is a Value without ownership, and Python's arithmetic on
// it. This header is private to search/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "search/value.h"

namespace warptune::search {

// A Fault says why an operation has no result.
enum class Fault : std::int64_t {
  overflow,
  division_by_zero,
  not_a_number,
  not_comparable,
  not_an_integer,
  log_of_nonpositive,
  no_real_power,
  out_of_integer_range,
};
std::string_view to_string(Fault fault);

// A Scalar has 16 bytes and is trivially copyable, so that the search can copy states as plain memory. `text` points
// into a Value or an expression's constants, which must outlive the scalar. A fault is a value too: the search
// evaluates both sides of `x == 0 or y % x == 0`, and a fault only counts where the result depends on it.
struct Scalar {
  enum class Kind : std::uint32_t { integer, boolean, real, text, fault };

  union {
    std::int64_t integer;
    double real;
    const std::string* text;
  };
  Kind kind;

  static Scalar of(std::int64_t number) { return {.integer = number, .kind = Kind::integer}; }
  static Scalar of(bool flag) { return {.integer = flag, .kind = Kind::boolean}; }
  static Scalar of(double number) { return {.real = number, .kind = Kind::real}; }
  static Scalar of(Fault fault) { return {.integer = static_cast<std::int64_t>(fault), .kind = Kind::fault}; }
  static Scalar borrow(const Value& value);

  bool is_fault() const { return kind == Kind::fault; }
  bool is_whole() const { return kind <= Kind::boolean; }
  bool is_number() const { return kind <= Kind::real; }
  bool truth() const {
    if (kind <= Kind::boolean) return integer != 0;
    return kind == Kind::real ? real != 0 : !text->empty();
  }
  Fault fault() const { return static_cast<Fault>(integer); }
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  Value to_value() const;  // must not be a fault
};

// An Op is one step of what an expression computes. The operations up to `either` have two operands, those from
// `negate` on have one.
enum class Op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  minimum,
  maximum,
  ceildiv,
  round_up,
  either,  // `in [..]` over computed items: true if one side is true; a fault on either side counts
  negate,
  plus,
  logical_not,
  absolute,
  ceiling,
  floor,
  log2,
  is_pow2,
};

// Applies an operation to its operands, and never throws. If an operand is a fault, the result is that fault. The
// second form is for operations that have one operand.
Scalar apply(Op op, Scalar a, Scalar b);
Scalar apply(Op op, Scalar a);

// Holds the integer fast paths, which are inlined into the search's inner loop. Everything else goes through `apply`.
inline Scalar apply_fast(Op op, Scalar a, Scalar b) {
  if (a.kind != Scalar::Kind::integer || b.kind != Scalar::Kind::integer) return apply(op, a, b);
  std::int64_t result;
  switch (op) {
    case Op::add:
      if (__builtin_add_overflow(a.integer, b.integer, &result)) break;
      return Scalar::of(result);
    case Op::subtract:
      if (__builtin_sub_overflow(a.integer, b.integer, &result)) break;
      return Scalar::of(result);
    case Op::multiply:
      if (__builtin_mul_overflow(a.integer, b.integer, &result)) break;
      return Scalar::of(result);
    // C++ and Python agree where neither operand is negative.
    case Op::floor_divide:
      if (a.integer < 0 || b.integer <= 0) break;
      return Scalar::of(a.integer / b.integer);
    case Op::modulo:
      if (a.integer < 0 || b.integer <= 0) break;
      return Scalar::of(a.integer % b.integer);
    case Op::equal:
      return Scalar::of(a.integer == b.integer);
    case Op::not_equal:
      return Scalar::of(a.integer != b.integer);
    case Op::less:
      return Scalar::of(a.integer < b.integer);
    case Op::less_equal:
      return Scalar::of(a.integer <= b.integer);
    default:
      break;
  }
  return apply(op, a, b);
}

}  // namespace warptune::search
