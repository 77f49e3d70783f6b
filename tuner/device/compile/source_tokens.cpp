// Implements the lexer. It does translation phases 1 to 3 of C++ [lex.phases], as far as they matter to directives.
#include "tuner/device/compile/source_tokens.h"

#include <algorithm>
#include <cctype>

#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool continues_word(char c) {
  return begins_word(c) || std::isdigit(static_cast<unsigned char>(c));
}

// Holds lines as the preprocessor joins them, with the trigraphs that matter to directives replaced.
struct Spliced {
  std::string text;
  std::vector<std::size_t> joins;  // where newlines are gone, ascending
};

Spliced spliced(std::string_view source) {
  Spliced result;
  result.text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool trigraph = source.substr(i, 3) == "?\?/";
    if (source[i] == '\\' || trigraph) {
      const std::size_t end = source.find_first_not_of(" \t\r", i + (trigraph ? 3 : 1));
      if (end != std::string_view::npos && source[end] == '\n') {
        result.joins.push_back(result.text.size());
        i = end;
        continue;
      }
    }
    const bool hash = source.substr(i, 3) == "?\?=";
    result.text += hash ? '#' : source[i];
    if (hash) i += 2;
  }
  return result;
}

class SourceLexer {
 public:
  explicit SourceLexer(std::string_view source) : spliced_(spliced(source)), source_(spliced_.text) {}

  std::vector<SourceToken> run() {
    while (skip_blanks()) {
      const std::size_t begin = at_;
      const int line = line_;
      const SourceToken::Kind kind = advance();
      const std::string_view text = source_.substr(begin, at_ - begin);
      tokens_.push_back({kind, std::string(text == "%:" ? "#" : text == "%:%:" ? "##" : text), line, first_});
      first_ = false;
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  bool at(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void skip(std::size_t count) {
    for (; count > 0 && at_ < source_.size(); --count) {
      line_ += source_[at_++] == '\n';
      for (; joined_ < spliced_.joins.size() && spliced_.joins[joined_] <= at_; ++joined_) ++line_;
    }
  }

  void skip_to(std::string_view end) {
    const std::size_t found = source_.find(end, at_);
    skip(found == std::string_view::npos ? source_.size() - at_ : found + end.size() - at_);
  }

  // Moves to the next token. Returns false at the end.
  bool skip_blanks() {
    while (at_ < source_.size()) {
      if (peek() == '\n') {
        first_ = true;
        skip(1);
      } else if (std::isspace(static_cast<unsigned char>(peek()))) {
        skip(1);
      } else if (at("//")) {
        skip(std::min(source_.find('\n', at_), source_.size()) - at_);
      } else if (at("/*")) {
        skip(2);
        skip_to("*/");
      } else {
        return true;
      }
    }
    return false;
  }

  SourceToken::Kind advance() {
    if (begins_word(peek())) return word();
    if (std::isdigit(static_cast<unsigned char>(peek())) ||
        (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
      return number();
    if (peek() == '"' || peek() == '\'') return quoted(peek());
    for (const std::string_view sign : {"%:%:", "%:", "->", "::", "##", "&&", "||", "=="})
      if (at(sign)) {
        skip(sign.size());
        return SourceToken::Kind::sign;
      }
    skip(1);
    return SourceToken::Kind::sign;
  }

  SourceToken::Kind word() {
    const std::size_t begin = at_;
    while (continues_word(peek())) skip(1);
    const std::string_view prefix = source_.substr(begin, at_ - begin);
    if (peek() != '"' && peek() != '\'') return SourceToken::Kind::word;
    if (peek() == '"' && prefix.back() == 'R' && prefix.size() <= 3) return raw();
    constexpr std::string_view encodings[] = {"u8", "u", "U", "L"};
    if (std::ranges::find(encodings, prefix) == std::end(encodings)) return SourceToken::Kind::word;
    return quoted(peek());
  }

  SourceToken::Kind raw() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return quoted('"');
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_to(end);
    return SourceToken::Kind::text;
  }

  SourceToken::Kind quoted(char quote) {
    skip(1);
    while (at_ < source_.size() && peek() != quote && peek() != '\n') skip(peek() == '\\' ? 2 : 1);
    if (peek() == quote) skip(1);
    return SourceToken::Kind::text;
  }

  // Reads a preprocessing number: 1e+5f, 0x1p-3, 1'000.
  SourceToken::Kind number() {
    skip(1);
    for (;;) {
      const char c = peek(), before = source_[at_ - 1];
      const bool exponent = (c == '+' || c == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
      if (!continues_word(c) && c != '.' && !exponent && !(c == '\'' && continues_word(peek(1)))) break;
      skip(1);
    }
    return SourceToken::Kind::number;
  }

  const Spliced spliced_;
  const std::string_view source_;
  std::size_t at_ = 0, joined_ = 0;
  int line_ = 1;
  bool first_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view source) {
  return SourceLexer(without_byte_order_mark(source)).run();
}

}  // namespace warptune::tuner
