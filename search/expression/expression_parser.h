// Translates the text of an expression into bytecode. This header is private to search/.
#pragma once

#include <string_view>

#include "search/expression/expression_lexer.h"
#include "search/expression/expression_program.h"

namespace warptune::search {

// An ExpressionParser is a recursive-descent parser that writes the bytecode as it reads, without a tree in between.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text);
  // Throws ExpressionError.
  Expression::Program parse();

 private:
  using Code = Instruction::Code;

  void parse_choice();
  void parse_or();
  void parse_and();
  void parse_not();
  void parse_comparison();
  void parse_sum();
  void parse_product();
  void parse_unary();
  void parse_power();
  void parse_primary();
  void parse_name();
  void parse_call(const Token& name);
  void parse_items(bool negated, std::size_t column);
  bool comparison_follows() const;

  void advance() { token_ = lexer_.next(); }
  bool take(TokenKind kind);
  void expect(TokenKind kind, std::string_view what);
  std::size_t emit(Code code, Op op, std::size_t operand, std::size_t column);
  void emit_constant(Value value, std::size_t column);
  void land(std::size_t jump);  // lets a jump end here
  std::size_t here() const { return program_.code.size(); }

  Lexer lexer_;
  Token token_;
  Expression::Program program_;
  int depth_ = 0;
};

}  // namespace warptune::search
