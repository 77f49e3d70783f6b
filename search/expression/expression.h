// Defines the one expression language of the project, for constraints, launch geometry, shapes and metrics.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/error.h"
#include "search/value.h"

namespace warptune::search {

// An ExpressionError reports a text that is no expression (parsing), or one whose values do not fit (evaluation:
// division by zero, integer overflow, a string where a number belongs, an unknown name). `column` counts from 1 within
// the text.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, std::size_t column)
      : Error(ErrorKind::expression, message), column_(column) {}
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

// An Expression is an immutable parsed expression. It is cheap to copy and safe to evaluate from many threads.
//
//   literals     12  0x1F  2.5  1e-3  'text' "text"  true false True False
//   arithmetic   + - * / // % **     Python's meaning: / is true division, // floors, % takes the divisor's sign
//   comparison   == != < <= > >=     chained as in Python: 32 <= x*y <= 1024;  in [..], not in [..]
//   logic        and or not && || !  the operand is returned, as in Python
//   choice       a if c else b
//   functions    min max abs ceil floor log2 ceildiv is_pow2 round_up
//
// Integers are 64-bit and overflow is an error.
class Expression {
 public:
  // A Lookup returns the value of a name, or nullptr if there is none.
  using Lookup = std::function<const Value*(std::string_view)>;

  // Throws ExpressionError.
  static Expression parse(std::string_view text);
  // Returns an expression that is always `value`.
  static Expression constant(Value value);

  const std::string& text() const;
  // Returns the free names, each once, in order of appearance.
  const std::vector<std::string>& names() const;

  // Throws ExpressionError.
  Value evaluate(const Lookup& lookup) const;
  Value evaluate(const NamedValues& values) const;

  // The parsed form is private to search/.
  struct Program;
  const Program& program() const { return *program_; }

 private:
  explicit Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

// Returns whether a value is true as Python sees it: false, 0, 0.0 and the empty string are false.
bool truth(const Value& value);
// Returns the value as an integer; a double must be whole. Otherwise it throws std::invalid_argument that quotes the
// value.
std::int64_t to_integer(const Value& value);
// Returns the value as a double. Throws std::invalid_argument for a string.
double to_double(const Value& value);

}  // namespace warptune::search
