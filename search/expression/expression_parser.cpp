// Parses by recursive descent: each function reads one level of precedence and appends its bytecode.
#include "search/expression/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace warptune::search {

namespace {

using Code = Instruction::Code;

// The limit is deep enough for any formula, and shallow enough that "((((…" cannot exhaust the stack of a small thread.
constexpr int max_depth = 200;

class DepthGuard {
 public:
  DepthGuard(int& depth, std::size_t column) : depth_(depth) {
    if (depth_ >= max_depth) throw ExpressionError(fmt::format("nested more than {} deep", max_depth), column);
    ++depth_;
  }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

struct Function {
  std::string_view name;
  Op op;
  int least;
  int most;
};

constexpr int any_number = 1 << 20;
constexpr std::array<Function, 9> functions{{
    {"min", Op::minimum, 2, any_number},
    {"max", Op::maximum, 2, any_number},
    {"abs", Op::absolute, 1, 1},
    {"ceil", Op::ceiling, 1, 1},
    {"floor", Op::floor, 1, 1},
    {"log2", Op::log2, 1, 1},
    {"ceildiv", Op::ceildiv, 2, 2},
    {"is_pow2", Op::is_pow2, 1, 1},
    {"round_up", Op::round_up, 2, 2},
}};

const Function& find_function(const Token& name) {
  for (const Function& function : functions)
    if (function.name == name.spelling) return function;
  throw ExpressionError(
      fmt::format("unknown function '{}'; there are min max abs ceil floor log2 ceildiv is_pow2 round_up",
                  name.spelling),
      name.column);
}

// > and >= are < and <= with the operands flipped.
std::optional<Op> comparison_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal:
      return Op::equal;
    case TokenKind::not_equal:
      return Op::not_equal;
    case TokenKind::less:
    case TokenKind::greater:
      return Op::less;
    case TokenKind::less_equal:
    case TokenKind::greater_equal:
      return Op::less_equal;
    default:
      return std::nullopt;
  }
}

bool is_flipped(TokenKind kind) {
  return kind == TokenKind::greater || kind == TokenKind::greater_equal;
}

std::optional<Op> product_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::star:
      return Op::multiply;
    case TokenKind::slash:
      return Op::divide;
    case TokenKind::slash_slash:
      return Op::floor_divide;
    case TokenKind::percent:
      return Op::modulo;
    default:
      return std::nullopt;
  }
}

std::string unescape(const Token& token) {
  std::string text;
  for (std::size_t i = 0; i < token.spelling.size(); ++i) {
    char c = token.spelling[i];
    if (c == '\\') {
      c = token.spelling[++i];
      if (c == 'n')
        c = '\n';
      else if (c == 't')
        c = '\t';
      else if (c != '\\' && c != '\'' && c != '"')
        throw ExpressionError(R"(a string knows the escapes \\ \' \" \n \t)", token.column + i);
    }
    text += c;
  }
  return text;
}

int stack_effect(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::constant:
    case Code::name:
      return 1;
    case Code::contains:
      return -static_cast<int>(instruction.operand);
    case Code::unary:
    case Code::join_and:
    case Code::join_or:
    case Code::join_choice:
      return 0;
    default:
      return -1;
  }
}

// Returns the highest stack on the straight path through the code. A jump never leads to a higher stack than falling
// through does.
std::size_t deepest_stack(const std::vector<Instruction>& code) {
  int depth = 0;
  int deepest = 0;
  for (const Instruction& instruction : code) {
    depth += stack_effect(instruction);
    deepest = std::max(deepest, depth);
  }
  return static_cast<std::size_t>(deepest);
}

}  // namespace

ExpressionParser::ExpressionParser(std::string_view text) : lexer_(text) {
  program_.text = text;
  // There is about one token for every three characters. This guess spares most texts the growing.
  program_.code.reserve(text.size() / 3 + 4);
  program_.constants.reserve(4);
  program_.names.reserve(4);
}

Expression::Program ExpressionParser::parse() {
  advance();
  parse_choice();
  if (token_.kind != TokenKind::end)
    throw ExpressionError(fmt::format("expected an operator or the end, found {}", describe(token_)), token_.column);
  program_.stack_size = deepest_stack(program_.code);
  return std::move(program_);
}

bool ExpressionParser::take(TokenKind kind) {
  if (token_.kind != kind) return false;
  advance();
  return true;
}

void ExpressionParser::expect(TokenKind kind, std::string_view what) {
  if (!take(kind)) throw ExpressionError(fmt::format("expected {}, found {}", what, describe(token_)), token_.column);
}

std::size_t ExpressionParser::emit(Code code, Op op, std::size_t operand, std::size_t column) {
  program_.code.push_back({code, op, static_cast<std::uint32_t>(operand), static_cast<std::uint32_t>(column)});
  return program_.code.size() - 1;
}

void ExpressionParser::emit_constant(Value value, std::size_t column) {
  emit(Code::constant, Op::add, program_.constants.size(), column);
  program_.constants.push_back(std::move(value));
}

void ExpressionParser::land(std::size_t jump) {
  program_.code[jump].operand = static_cast<std::uint32_t>(here() - jump - 1);
}

// `a if c else b` is read as a, c, b and runs as c, a or b: the code of a and c changes places.
void ExpressionParser::parse_choice() {
  const DepthGuard guard(depth_, token_.column);
  const std::size_t start = here();
  parse_or();
  if (token_.kind != TokenKind::choice_if) return;
  const std::size_t column = token_.column;
  advance();
  const std::size_t condition = here();
  parse_or();
  expect(TokenKind::choice_else, "'else'");
  const std::size_t length = condition - start;
  emit(Code::branch, Op::add, length + 1, column);
  const auto code = program_.code.begin();
  std::rotate(code + static_cast<std::ptrdiff_t>(start), code + static_cast<std::ptrdiff_t>(condition),
              program_.code.end());
  const std::size_t jump = emit(Code::jump, Op::add, 0, column);
  parse_choice();
  land(jump);
  emit(Code::join_choice, Op::add, 0, column);
}

void ExpressionParser::parse_or() {
  parse_and();
  while (token_.kind == TokenKind::logical_or) {
    const std::size_t jump = emit(Code::or_else, Op::add, 0, token_.column);
    advance();
    parse_and();
    land(jump);
    emit(Code::join_or, Op::add, 0, token_.column);
  }
}

void ExpressionParser::parse_and() {
  parse_not();
  while (token_.kind == TokenKind::logical_and) {
    const std::size_t jump = emit(Code::and_then, Op::add, 0, token_.column);
    advance();
    parse_not();
    land(jump);
    emit(Code::join_and, Op::add, 0, token_.column);
  }
}

void ExpressionParser::parse_not() {
  if (token_.kind != TokenKind::logical_not) return parse_comparison();
  const DepthGuard guard(depth_, token_.column);
  const std::size_t column = token_.column;
  advance();
  parse_not();
  emit(Code::unary, Op::logical_not, 0, column);
}

bool ExpressionParser::comparison_follows() const {
  return comparison_op(token_.kind) || token_.kind == TokenKind::in || token_.kind == TokenKind::logical_not;
}

// a < b < c compares b twice but computes it once; all the jumps of a chain lead to its end.
void ExpressionParser::parse_comparison() {
  parse_sum();
  std::vector<std::size_t> jumps;
  while (comparison_follows()) {
    const Token symbol = token_;
    advance();
    const bool negated = symbol.kind == TokenKind::logical_not;
    if (negated && token_.kind != TokenKind::in)
      throw ExpressionError(fmt::format("expected 'in' after 'not', found {}", describe(token_)), token_.column);
    if (negated || symbol.kind == TokenKind::in) {
      if (negated) advance();
      parse_items(negated, symbol.column);
      break;
    }
    parse_sum();
    const Op op = *comparison_op(symbol.kind);
    const bool flipped = is_flipped(symbol.kind);
    if (comparison_follows()) {
      jumps.push_back(emit(flipped ? Code::chain_flip : Code::chain, op, 0, symbol.column));
    } else {
      emit(flipped ? Code::flipped : Code::binary, op, 0, symbol.column);
    }
  }
  for (std::size_t jump : jumps) land(jump);
  for (std::size_t i = 0; i < jumps.size(); ++i) emit(Code::join_and, Op::add, 0, token_.column);
}

void ExpressionParser::parse_items(bool negated, std::size_t column) {
  const bool bracket = token_.kind == TokenKind::open_bracket;
  if (!bracket && token_.kind != TokenKind::open_paren)
    throw ExpressionError(fmt::format("expected a list '[…]' after 'in', found {}", describe(token_)), token_.column);
  const TokenKind close = bracket ? TokenKind::close_bracket : TokenKind::close_paren;
  advance();
  std::size_t count = 0;
  while (token_.kind != close) {
    parse_choice();
    ++count;
    if (!take(TokenKind::comma)) break;
  }
  expect(close, bracket ? "',' or ']'" : "',' or ')'");
  emit(Code::contains, Op::equal, count, column);
  if (negated) emit(Code::unary, Op::logical_not, 0, column);
  if (comparison_follows()) throw ExpressionError("a comparison cannot follow a list", token_.column);
}

void ExpressionParser::parse_sum() {
  parse_product();
  while (token_.kind == TokenKind::plus || token_.kind == TokenKind::minus) {
    const Op op = token_.kind == TokenKind::plus ? Op::add : Op::subtract;
    const std::size_t column = token_.column;
    advance();
    parse_product();
    emit(Code::binary, op, 0, column);
  }
}

void ExpressionParser::parse_product() {
  parse_unary();
  while (const std::optional<Op> op = product_op(token_.kind)) {
    const std::size_t column = token_.column;
    advance();
    parse_unary();
    emit(Code::binary, *op, 0, column);
  }
}

void ExpressionParser::parse_unary() {
  const DepthGuard guard(depth_, token_.column);
  const Token sign = token_;
  switch (sign.kind) {
    case TokenKind::minus:
    case TokenKind::plus:
    case TokenKind::bang:
      break;
    default:
      return parse_power();
  }
  advance();
  parse_unary();
  const Op op = sign.kind == TokenKind::minus ? Op::negate : sign.kind == TokenKind::plus ? Op::plus : Op::logical_not;
  emit(Code::unary, op, 0, sign.column);
}

// `**` binds tighter than a sign on its left and looser than one on its right: -2 ** -1 is -(2 ** (-1)).
void ExpressionParser::parse_power() {
  parse_primary();
  if (token_.kind != TokenKind::star_star) return;
  const std::size_t column = token_.column;
  advance();
  parse_unary();
  emit(Code::binary, Op::power, 0, column);
}

void ExpressionParser::parse_primary() {
  const Token token = token_;
  switch (token.kind) {
    case TokenKind::integer:
      emit_constant(token.integer, token.column);
      break;
    case TokenKind::real:
      emit_constant(token.real, token.column);
      break;
    case TokenKind::text:
      emit_constant(unescape(token), token.column);
      break;
    case TokenKind::yes:
      emit_constant(true, token.column);
      break;
    case TokenKind::no:
      emit_constant(false, token.column);
      break;
    case TokenKind::name:
      return parse_name();
    case TokenKind::open_paren:
      advance();
      parse_choice();
      return expect(TokenKind::close_paren, "')'");
    default:
      throw ExpressionError(fmt::format("expected a value, found {}", describe(token)), token.column);
  }
  advance();
}

void ExpressionParser::parse_name() {
  const Token name = token_;
  advance();
  if (token_.kind == TokenKind::open_paren) return parse_call(name);
  std::vector<std::string>& names = program_.names;
  const auto found = std::find(names.begin(), names.end(), name.spelling);
  emit(Code::name, Op::add, static_cast<std::size_t>(found - names.begin()), name.column);
  if (found == names.end()) names.emplace_back(name.spelling);
}

void ExpressionParser::parse_call(const Token& name) {
  const Function& function = find_function(name);
  advance();
  int count = 0;
  while (token_.kind != TokenKind::close_paren) {
    parse_choice();
    if (++count > 1 && function.most > 1) emit(Code::binary, function.op, 0, name.column);
    if (!take(TokenKind::comma)) break;
  }
  expect(TokenKind::close_paren, "',' or ')'");
  if (count < function.least || count > function.most)
    throw ExpressionError(
        fmt::format("{} takes {}{} argument{}, not {}", function.name, function.most == any_number ? "at least " : "",
                    function.least, function.least == 1 ? "" : "s", count),
        name.column);
  if (function.most == 1) emit(Code::unary, function.op, 0, name.column);
}

}  // namespace warptune::search
