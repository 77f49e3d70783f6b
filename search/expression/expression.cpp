// Evaluates expressions: runs their bytecode on a stack machine.
#include "search/expression/expression.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "search/expression/expression_parser.h"
#include "search/expression/expression_program.h"

namespace warptune::search {

namespace {

using Code = Instruction::Code;

// Runs a program once.
class Machine {
 public:
  Machine(const Expression::Program& program, const Expression::Lookup& lookup) : program_(program), lookup_(lookup) {
    if (program.stack_size > small_.size()) large_.resize(program.stack_size);
    top_ = large_.empty() ? small_.data() : large_.data();
  }

  Scalar run() {
    const std::vector<Instruction>& code = program_.code;
    for (std::size_t at = 0; at < code.size(); ++at) at += step(code[at]);
    return pop();
  }

 private:
  // Carries an instruction out and returns how many instructions to skip.
  std::size_t step(const Instruction& instruction);
  void push(Scalar value) { *top_++ = value; }
  Scalar pop() { return *--top_; }
  void push_checked(Scalar value, const Instruction& instruction);
  Scalar look_up(const Instruction& instruction) const;
  void contains(const Instruction& instruction);
  std::size_t chain(const Instruction& instruction);

  const Expression::Program& program_;
  const Expression::Lookup& lookup_;
  std::array<Scalar, 32> small_;
  std::vector<Scalar> large_;
  Scalar* top_;
};

void Machine::push_checked(Scalar value, const Instruction& instruction) {
  if (value.is_fault()) throw ExpressionError(std::string(to_string(value.fault())), instruction.column);
  push(value);
}

Scalar Machine::look_up(const Instruction& instruction) const {
  const std::string& name = program_.names[instruction.operand];
  const Value* value = lookup_(name);
  if (value == nullptr) throw ExpressionError(fmt::format("unknown name '{}'", name), instruction.column);
  return Scalar::borrow(*value);
}

void Machine::contains(const Instruction& instruction) {
  top_ -= instruction.operand;
  const Scalar wanted = pop();
  bool found = false;
  for (std::uint32_t i = 0; i < instruction.operand; ++i) found |= apply(Op::equal, wanted, top_[i + 1]).truth();
  push(Scalar::of(found));
}

std::size_t Machine::chain(const Instruction& instruction) {
  const Scalar b = pop();
  const Scalar a = pop();
  const bool flipped = instruction.code == Code::chain_flip;
  push_checked(flipped ? apply(instruction.op, b, a) : apply(instruction.op, a, b), instruction);
  if (!top_[-1].truth()) return instruction.operand;
  top_[-1] = b;
  return 0;
}

std::size_t Machine::step(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::constant:
      push(Scalar::borrow(program_.constants[instruction.operand]));
      return 0;
    case Code::name:
      push(look_up(instruction));
      return 0;
    case Code::unary:
      push_checked(apply(instruction.op, pop()), instruction);
      return 0;
    case Code::binary:
    case Code::flipped: {
      const Scalar b = pop();
      const Scalar a = pop();
      const bool flipped = instruction.code == Code::flipped;
      push_checked(flipped ? apply(instruction.op, b, a) : apply(instruction.op, a, b), instruction);
      return 0;
    }
    case Code::contains:
      contains(instruction);
      return 0;
    case Code::chain:
    case Code::chain_flip:
      return chain(instruction);
    case Code::and_then:
    case Code::or_else:
      if (top_[-1].truth() == (instruction.code == Code::or_else)) return instruction.operand;
      pop();
      return 0;
    case Code::branch:
      return pop().truth() ? 0 : instruction.operand;
    case Code::jump:
      return instruction.operand;
    case Code::join_and:
    case Code::join_or:
    case Code::join_choice:
      return 0;
  }
  return 0;
}

}  // namespace

Expression Expression::parse(std::string_view text) {
  return Expression(std::make_shared<const Program>(ExpressionParser(text).parse()));
}

Expression Expression::constant(Value value) {
  Program program;
  program.text = to_text(value);
  program.code.push_back({.code = Code::constant});
  program.constants.push_back(std::move(value));
  program.stack_size = 1;
  return Expression(std::make_shared<const Program>(std::move(program)));
}

const std::string& Expression::text() const {
  return program_->text;
}

const std::vector<std::string>& Expression::names() const {
  return program_->names;
}

Value Expression::evaluate(const Lookup& lookup) const {
  return Machine(*program_, lookup).run().to_value();
}

Value Expression::evaluate(const NamedValues& values) const {
  return evaluate([&values](std::string_view name) { return find_value(values, name); });
}

bool truth(const Value& value) {
  return Scalar::borrow(value).truth();
}

std::int64_t to_integer(const Value& value) {
  const Scalar scalar = Scalar::borrow(value);
  if (scalar.is_whole()) return scalar.integer;
  const Scalar whole = scalar.is_number() ? apply(Op::floor, scalar) : Scalar::of(Fault::not_an_integer);
  if (whole.is_fault() || static_cast<double>(whole.integer) != scalar.real)
    throw std::invalid_argument(fmt::format("'{}' is not a whole number of 64 bits", to_text(value)));
  return whole.integer;
}

double to_double(const Value& value) {
  const Scalar scalar = Scalar::borrow(value);
  if (!scalar.is_number()) throw std::invalid_argument(fmt::format("'{}' is not a number", to_text(value)));
  return scalar.as_real();
}

}  // namespace warptune::search
