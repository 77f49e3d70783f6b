// Reads numbers, words, strings and symbols, independently of the locale.
#include "search/expression/expression_lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "search/expression/expression.h"

namespace warptune::search {

namespace {

// The functions of <cctype> are not used, because they depend on the locale and are undefined for negative characters.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::array<std::pair<std::string_view, TokenKind>, 10> keywords{{
    {"and", TokenKind::logical_and},
    {"or", TokenKind::logical_or},
    {"not", TokenKind::logical_not},
    {"in", TokenKind::in},
    {"if", TokenKind::choice_if},
    {"else", TokenKind::choice_else},
    {"True", TokenKind::yes},
    {"true", TokenKind::yes},
    {"False", TokenKind::no},
    {"false", TokenKind::no},
}};

// The longest symbols come first, so that `**` is not read as two `*`.
constexpr std::array<std::pair<std::string_view, TokenKind>, 21> symbols{{
    {"**", TokenKind::star_star},   {"//", TokenKind::slash_slash},  {"==", TokenKind::equal},
    {"!=", TokenKind::not_equal},   {"<=", TokenKind::less_equal},   {">=", TokenKind::greater_equal},
    {"&&", TokenKind::logical_and}, {"||", TokenKind::logical_or},   {"*", TokenKind::star},
    {"%", TokenKind::percent},      {"+", TokenKind::plus},          {"-", TokenKind::minus},
    {"/", TokenKind::slash},        {"<", TokenKind::less},          {">", TokenKind::greater},
    {"!", TokenKind::bang},         {"(", TokenKind::open_paren},    {")", TokenKind::close_paren},
    {"[", TokenKind::open_bracket}, {"]", TokenKind::close_bracket}, {",", TokenKind::comma},
}};

const char* hint_for(char c) {
  switch (c) {
    case '=':
      return "; equality is '=='";
    case '&':
      return "; the logical and is 'and' or '&&'";
    case '|':
      return "; the logical or is 'or' or '||'";
    case '^':
      return "; powers are written '**'";
    default:
      return "";
  }
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the expression";
  if (token.kind == TokenKind::text) return fmt::format("the string '{}'", token.spelling);
  return fmt::format("'{}'", token.spelling);
}

Token Lexer::next() {
  while (is_space(peek())) ++at_;
  Token token;
  token.column = at_ + 1;
  if (at_ >= text_.size()) return token;
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number(token);
  if (is_word(c)) return word(token);
  if (c == '\'' || c == '"') return quoted(token);
  return symbol(token);
}

Token Lexer::number(Token token) {
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal(token);
  const char* first = text_.data() + at_;
  const char* last = text_.data() + text_.size();
  std::size_t length = 0;
  while (is_digit(peek(length))) ++length;
  const char after = peek(length);
  const bool is_real = after == '.' || after == 'e' || after == 'E';
  const auto parsed = is_real ? std::from_chars(first, last, token.real) : std::from_chars(first, last, token.integer);
  if (parsed.ec == std::errc::result_out_of_range)
    throw ExpressionError(is_real ? "the number does not fit a double" : "the integer does not fit 64 bits",
                          token.column);
  if (!is_real && length > 1 && *first == '0')
    throw ExpressionError("an integer does not start with 0 (octal is not supported)", token.column);
  token.kind = is_real ? TokenKind::real : TokenKind::integer;
  at_ = parsed.ptr - text_.data();
  if (is_word(peek())) throw ExpressionError("the number runs into a name", at_ + 1);
  token.spelling = text_.substr(token.column - 1, at_ + 1 - token.column);
  return token;
}

Token Lexer::hexadecimal(Token token) {
  const auto parsed = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), token.integer, 16);
  if (parsed.ec == std::errc::result_out_of_range)
    throw ExpressionError("the integer does not fit 64 bits", token.column);
  // from_chars would take a sign after the 0x.
  if (parsed.ec != std::errc() || peek(2) == '-') throw ExpressionError("0x needs hexadecimal digits", token.column);
  token.kind = TokenKind::integer;
  at_ = parsed.ptr - text_.data();
  if (is_word(peek())) throw ExpressionError("the number runs into a name", at_ + 1);
  token.spelling = text_.substr(token.column - 1, at_ + 1 - token.column);
  return token;
}

Token Lexer::quoted(Token token) {
  const char quote = text_[at_++];
  const std::size_t begin = at_;
  while (peek() != quote) {
    at_ += peek() == '\\' ? 2 : 1;
    if (at_ >= text_.size()) throw ExpressionError("the string is not closed", token.column);
  }
  token.kind = TokenKind::text;
  token.spelling = text_.substr(begin, at_ - begin);
  ++at_;
  return token;
}

Token Lexer::word(Token token) {
  std::size_t length = 0;
  // A name may have parts with dots between them, the first of which says what it is of: "counter.dram_bytes".
  while (is_word(peek(length)) || (peek(length) == '.' && is_word(peek(length + 1)) && !is_digit(peek(length + 1))))
    ++length;
  token.kind = TokenKind::name;
  token.spelling = text_.substr(at_, length);
  at_ += length;
  for (const auto& [spelling, kind] : keywords)
    if (token.spelling == spelling) token.kind = kind;
  return token;
}

Token Lexer::symbol(Token token) {
  for (const auto& [spelling, kind] : symbols) {
    if (!text_.substr(at_).starts_with(spelling)) continue;
    token.kind = kind;
    token.spelling = text_.substr(at_, spelling.size());
    at_ += spelling.size();
    return token;
  }
  const unsigned char c = static_cast<unsigned char>(peek());
  if (c < 0x20 || c > 0x7e) throw ExpressionError(fmt::format("unexpected byte 0x{:02x}", c), token.column);
  throw ExpressionError(fmt::format("unexpected '{}'{}", peek(), hint_for(peek())), token.column);
}

}  // namespace warptune::search
