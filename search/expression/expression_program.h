// Defines the bytecode of an Expression, which is postfix instructions for a stack machine. This header is private to
// search/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/expression/expression.h"
#include "search/scalar.h"

namespace warptune::search {

// Jumps are forward and relative, so that a piece of code can be moved as it is (`a if c else b` is written in
// another order than it runs). The closing `join_…` do nothing at run time: they tell who reads the code
// symbolically (the search space's graph) where the parts of a construct end.
struct Instruction {
  enum class Code : std::uint8_t {
    constant,    // push constants[operand]
    name,        // push the value of names[operand]
    unary,       // pop a, push op(a)
    binary,      // pop b, a, push op(a, b)
    flipped,     // pop b, a, push op(b, a): > and >=
    contains,    // pop `operand` items and x, push whether x equals one
    and_then,    // if the top is false jump, else pop it
    or_else,     // if the top is true jump, else pop it
    chain,       // a < b of a < b < c: pop b, a; if the comparison is false push that and jump, else push b
    chain_flip,  // the same with > and >=
    branch,      // pop c; if false jump to the other branch
    jump,        // end of the first branch
    join_and,
    join_or,
    join_choice,
  };

  Code code;
  Op op = Op::add;
  std::uint32_t operand = 0;  // an index, a count, or how many instructions a jump skips
  std::uint32_t column = 1;
};

struct Expression::Program {
  std::string text;
  std::vector<Instruction> code;
  std::vector<Value> constants;
  std::vector<std::string> names;
  std::size_t stack_size = 0;  // the most values that are ever on the stack
};

}  // namespace warptune::search
