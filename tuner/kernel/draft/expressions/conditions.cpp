// Finds the operands of comparisons, and the ends of the statements that conditions control.
#include "tuner/kernel/draft/expressions/conditions.h"

#include <algorithm>
#include <array>

#include "tuner/kernel/draft/expressions/statements.h"

namespace warptune::tuner::draft {

namespace {

// ComparisonReader finds the operands of each comparison by the signs and brackets around it.
class ComparisonReader {
 public:
  explicit ComparisonReader(TokenSpan body) : body_(body) {}

  std::set<std::string> run() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].text.ends_with("_cast") && is(at + 1, "<")) {
        while (at < body_.size() && !is(at, ">")) ++at;
      } else if (is_comparison(at)) {
        take_left(at);
        take_right(at);
      } else if (is_minimum(at)) {
        take(at + 2, closing(body_, at + 1));
      }
    }
    return std::move(names_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  bool is_comparison(std::size_t at) const {
    if (is(at, "==") || (is(at, "!") && is(at + 1, "="))) return true;
    for (const char* sign : {"<", ">"})  // no shift
      if (is(at, sign) && !is(at + 1, sign) && (at == 0 || !is(at - 1, sign))) return true;
    return false;
  }

  bool is_minimum(std::size_t at) const {
    static constexpr std::array<std::string_view, 8> functions = {"min",  "max",  "fminf", "fmaxf",
                                                                  "umin", "umax", "clamp", "assert"};
    return is(at + 1, "(") && std::ranges::find(functions, std::string_view(body_[at].text)) != functions.end();
  }

  bool ends_operand(std::size_t at) const {
    static constexpr std::array<std::string_view, 10> signs = {";", "{", "}", "&&", "||", "?", ":", ",", "=", "return"};
    return std::ranges::find(signs, std::string_view(body_[at].text)) != signs.end();
  }

  void take_left(std::size_t sign) {
    std::size_t begin = sign;
    for (int depth = 0; begin > 0; --begin) {
      depth += is(begin - 1, ")") - is(begin - 1, "(");
      if (depth < 0 || (depth == 0 && ends_operand(begin - 1))) break;
    }
    take(begin, sign);
  }

  void take_right(std::size_t sign) {
    const std::size_t begin = is(sign + 1, "=") ? sign + 2 : sign + 1;
    std::size_t end = begin;
    for (int depth = 0; end < body_.size(); ++end) {
      depth += is(end, "(") - is(end, ")");
      if (depth < 0 || (depth == 0 && ends_operand(end))) break;
    }
    take(begin, end);
  }

  void take(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < std::min(end, body_.size()); ++at) {
      if (is(at, "[")) at = closing(body_, at);
      if (at >= body_.size() || body_[at].kind != SourceToken::Kind::word) continue;
      const bool member = is(at + 1, ".") && at + 2 < body_.size();
      names_.insert(member ? body_[at].text + "." + body_[at + 2].text : body_[at].text);
      if (member) at += 2;
    }
  }

  const TokenSpan body_;
  std::set<std::string> names_;
};

bool leaves(TokenSpan body, std::size_t at) {
  if (at < body.size() && body[at].is("{")) ++at;
  return at < body.size() && (body[at].is("return") || body[at].is("continue"));
}

// Returns the end of the block that this place is in.
std::size_t end_of_block(TokenSpan body, std::size_t at) {
  for (; at < body.size() && !body[at].is("}"); ++at)
    if (body[at].is("{")) at = closing(body, at);
  return std::min(at, body.size());
}

}  // namespace

std::set<std::string> compared_names(TokenSpan body) {
  return ComparisonReader(body).run();
}

Places data_conditions(TokenSpan body, const std::function<bool(const SourceToken&)>& is_data) {
  Places places;
  for (std::size_t at = 0; at + 1 < body.size(); ++at) {
    if (!body[at].is("if") || !body[at + 1].is("(")) continue;
    const std::size_t close = closing(body, at + 1);
    if (close >= body.size() || std::ranges::none_of(body.subspan(at + 2, close - at - 2), is_data)) continue;
    const std::size_t end = behind_statement(body, close + 1);
    const bool has_else = behind_statement(body, at) > end;
    if (leaves(body, close + 1))
      places.emplace_back(end, end_of_block(body, end));
    else if (!has_else)
      places.emplace_back(close + 1, end);
  }
  return places;
}

}  // namespace warptune::tuner::draft
