// Splits an expression's text into tokens. This header is private to search/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::search {

enum class TokenKind : std::uint8_t {
  end,
  integer,
  real,
  text,
  name,
  plus,
  minus,
  star,
  slash,
  slash_slash,
  percent,
  star_star,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_not,
  bang,
  in,
  choice_if,
  choice_else,
  yes,
  no,
  open_paren,
  close_paren,
  open_bracket,
  close_bracket,
  comma,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t column = 1;
  std::string_view spelling;  // as written; that of a string is without the quotes, with the escapes still in it
  std::int64_t integer = 0;
  double real = 0;
};

// Returns what a token is called in messages, such as "the end of the expression" or "')'".
std::string describe(const Token& token);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  // Throws ExpressionError.
  Token next();

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Token number(Token token);
  Token hexadecimal(Token token);
  Token quoted(Token token);
  Token word(Token token);
  Token symbol(Token token);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace warptune::search
