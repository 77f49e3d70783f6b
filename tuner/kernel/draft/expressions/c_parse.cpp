// Parses expressions from tokens by operator precedence.
#include <algorithm>
#include <array>
#include <charconv>

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

bool is_type_word(std::string_view word) {
  static constexpr std::array<std::string_view, 22> words = {
      "int",      "unsigned", "long",     "short",  "char",    "float",   "double",   "size_t",
      "const",    "signed",   "bool",     "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
      "uint32_t", "int64_t",  "uint64_t", "uint",   "half",    "__half"};
  return std::ranges::find(words, word) != words.end();
}

class CParser {
 public:
  explicit CParser(TokenSpan tokens) : tokens_(tokens) {}

  std::optional<CExpression> run() {
    auto result = conditional();
    return result && at_ == tokens_.size() ? result : std::nullopt;
  }

 private:
  using Result = std::optional<CExpression>;

  bool is(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(text);
  }
  bool take(std::string_view text) { return is(text) && ++at_; }

  Result conditional() {
    Result condition = level(0);
    if (!condition || !take("?")) return condition;
    Result yes = conditional();
    if (!yes || !take(":")) return std::nullopt;
    Result no = conditional();
    if (!no) return std::nullopt;
    return CExpression{Kind::conditional, "?", 0, {*condition, *yes, *no}};
  }

  // Returns the operator of this precedence level that stands here, and how many tokens it has: 0 if there is none.
  std::pair<std::string, std::size_t> sign_at(std::size_t which) const {
    const auto doubled = [&](std::string_view sign) { return is(sign) && is(sign, 1) && !is("=", 2); };
    switch (which) {
      case 0:
        return is("||") ? std::pair("or", 1u) : std::pair("", 0u);
      case 1:
        return is("&&") ? std::pair("and", 1u) : std::pair("", 0u);
      case 2:
        if (is("==")) return {"==", 1};
        if (is("!") && is("=", 1)) return {"!=", 2};
        if ((is("<") || is(">")) && is("=", 1)) return {is("<") ? "<=" : ">=", 2};
        if ((is("<") || is(">")) && !is(tokens_[at_].text, 1)) return {tokens_[at_].text, 1};
        return {"", 0};
      case 3:
        return doubled("<") ? std::pair("<<", 2u) : doubled(">") ? std::pair(">>", 2u) : std::pair("", 0u);
      case 4:
        return (is("+") || is("-")) && !is("=", 1) ? std::pair(tokens_[at_].text, 1u) : std::pair(std::string(), 0u);
      default:
        return (is("*") || is("/") || is("%")) && !is("=", 1) ? std::pair(tokens_[at_].text, 1u)
                                                              : std::pair(std::string(), 0u);
    }
  }

  Result level(std::size_t which) {
    if (which > 5) return unary();
    Result left = level(which + 1);
    while (left && at_ < tokens_.size()) {
      const auto [sign, count] = sign_at(which);
      if (count == 0) break;
      at_ += count;
      const Result right = level(which + 1);
      if (!right) return std::nullopt;
      left = CExpression::binary(sign, *left, *right);
    }
    return left;
  }

  Result unary() {
    if (take("+")) return unary();
    for (const char* sign : {"-", "!", "&"})
      if (take(sign)) {
        Result inner = unary();
        if (!inner) return std::nullopt;
        return CExpression{Kind::unary, sign, 0, {*inner}};
      }
    if (is("(") && at_ + 1 < tokens_.size() && is_type_word(tokens_[at_ + 1].text)) return cast();
    return postfix();
  }

  // Applies a cast. A cast to an integer is kept only where a fraction may be lost.
  static Result of_type(bool floating, Result inner) {
    if (!inner || (!floating && !is_real(*inner))) return inner;
    return CExpression{Kind::unary, floating ? "float" : "int", 0, {*inner}};
  }

  Result cast() {
    const std::size_t close = closing(tokens_.subspan(at_), 0) + at_;
    if (close >= tokens_.size()) return std::nullopt;
    const TokenSpan type = tokens_.subspan(at_, close - at_);
    at_ = close + 1;
    return of_type(contains_word(type, "float") || contains_word(type, "double"), unary());
  }

  Result postfix() {
    Result result = primary();
    while (result && at_ < tokens_.size()) {
      if ((is(".") || is("->")) && result->kind == Kind::name && at_ + 1 < tokens_.size()) {
        result->text += tokens_[at_].text + tokens_[at_ + 1].text;
        at_ += 2;
      } else if (is("[")) {
        const std::size_t close = closing(tokens_.subspan(at_), 0) + at_;
        if (close >= tokens_.size()) return std::nullopt;
        result = CExpression{Kind::call, "[]", 0, {*result}};
        at_ = close + 1;
      } else {
        break;
      }
    }
    return result;
  }

  Result primary() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const SourceToken& token = tokens_[at_];
    if (token.kind == SourceToken::Kind::number) return ++at_, number(token.text);
    if (take("(")) {
      Result inner = conditional();
      return inner && take(")") ? inner : std::nullopt;
    }
    if (take("::")) return primary();
    if (token.kind != SourceToken::Kind::word) return std::nullopt;
    if (token.is("sizeof")) return size_of();
    if (token.is("static_cast")) return static_cast_of();
    return named();
  }

  // Reads a name or a call: n, min<int>(a, b), Pack::size, Traits<float>::size. A call loses its scope. A constant
  // keeps its scope, because another type may have another constant of that name.
  Result named() {
    std::string scope, name = tokens_[at_++].text;
    for (;;) {
      const std::size_t values = template_list(tokens_, at_);
      const bool is_scope = is("::", values) && at_ + values + 1 < tokens_.size();
      if (!is_scope && (values == 0 || !is("(", values))) break;
      if (is_scope) scope += name + text_of_tokens(tokens_.subspan(at_, values)) + "::";
      at_ += values;
      if (!is_scope) break;
      name = tokens_[at_ + 1].text;
      at_ += 2;
    }
    if (name == "warpSize") return CExpression::integer(32);  // on every device so far
    return is("(") ? call(name) : Result(CExpression::name(scope + name));
  }

  Result call(const std::string& name) {
    const std::size_t close = closing(tokens_.subspan(at_), 0) + at_;
    if (close >= tokens_.size()) return std::nullopt;
    CExpression result{Kind::call, name};
    for (const TokenSpan part : split_arguments(tokens_.subspan(at_ + 1, close - at_ - 1))) {
      Result argument = CParser(part).run();
      result.parts.push_back(argument ? *argument : CExpression{Kind::call, "?"});
    }
    at_ = close + 1;
    if (is_type_word(name) && result.parts.size() == 1)
      return of_type(name == "float" || name == "double", result.parts.front());
    return result;
  }

  Result size_of() {
    ++at_;
    if (!is("(")) return std::nullopt;
    const std::size_t close = closing(tokens_.subspan(at_), 0) + at_;
    if (close >= tokens_.size()) return std::nullopt;
    const std::string type = text_of_tokens(tokens_.subspan(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    if (const std::int64_t bytes = bytes_of_type(type)) return CExpression::integer(bytes);
    return CExpression::name("sizeof(" + type + ")");
  }

  Result static_cast_of() {
    std::size_t at = at_;
    while (at < tokens_.size() && !tokens_[at].is("(")) ++at;
    const TokenSpan type = tokens_.subspan(at_, at - at_);
    at_ = at;
    return of_type(contains_word(type, "float") || contains_word(type, "double"), primary());
  }

  static Result number(std::string text) {
    std::erase(text, '\'');
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (!hexadecimal && text.find_first_of(".eEfF") != std::string::npos) {
      while (!text.empty() && std::string_view("fFlL").find(text.back()) != std::string_view::npos) text.pop_back();
      if (text.ends_with('.')) text += '0';
      if (text.starts_with('.')) text = '0' + text;
      if (const std::size_t place = text.find(".e"); place != std::string::npos) text.insert(place + 1, "0");
      return CExpression{Kind::real, text};
    }
    std::int64_t value = 0;
    const char* begin = text.data() + (hexadecimal ? 2 : 0);
    const auto [rest, error] = std::from_chars(begin, text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc()) return std::nullopt;
    return CExpression::integer(value);
  }

  const TokenSpan tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t template_list(TokenSpan tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t end = at; end < tokens.size(); ++end) {
    const SourceToken& token = tokens[end];
    if (end == at && !token.is("<")) return 0;
    depth += token.is("<") - token.is(">");
    const bool is_followed = end + 1 < tokens.size() && (tokens[end + 1].is("(") || tokens[end + 1].is("::"));
    if (depth == 0) return is_followed ? end + 1 - at : 0;
    if (token.kind == SourceToken::Kind::sign && std::string_view("<>,*::").find(token.text) == std::string_view::npos)
      return 0;
  }
  return 0;
}

std::vector<TokenSpan> split_arguments(TokenSpan tokens) {
  std::vector<TokenSpan> parts;
  if (tokens.empty()) return parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (at > begin) at += template_list(tokens, at);
    if (tokens[at].is("(") || tokens[at].is("[") || tokens[at].is("{"))
      at = std::min(closing(tokens, at), tokens.size());
    if (at >= tokens.size() || !tokens[at].is(",")) continue;
    parts.push_back(tokens.subspan(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(tokens.subspan(begin));
  return parts;
}

std::optional<CExpression> parse_c(TokenSpan tokens) {
  // No grid or index is that long in practice. The limit keeps the tree small enough to be walked.
  constexpr std::size_t most = 500;
  return tokens.size() > most ? std::nullopt : CParser(tokens).run();
}

}  // namespace warptune::tuner::draft
