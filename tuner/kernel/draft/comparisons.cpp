// Finds the operands of each comparison by the signs and brackets around it.
#include "tuner/kernel/draft/comparisons.h"

#include <algorithm>
#include <array>

namespace warptune::tuner::draft {

namespace {

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

}  // namespace

std::set<std::string> compared_names(TokenSpan body) {
  return ComparisonReader(body).run();
}

}  // namespace warptune::tuner::draft
