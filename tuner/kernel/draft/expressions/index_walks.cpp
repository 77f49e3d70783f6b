// Multiplies the step of each variable by the passes of the loop around it.
#include "tuner/kernel/draft/expressions/index_walks.h"

#include <algorithm>
#include <vector>

#include "tuner/kernel/draft/expressions/statements.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

struct Loop {
  std::size_t header = 0, begin = 0,
              end = 0;   // its bracket, and the code that is repeated; with the header's last part, if it is a `for`
  std::string variable;  // empty: not understood
  CExpression step;
};

class WalkReader {
 public:
  WalkReader(TokenSpan body, const std::map<std::string, CExpression>& definitions)
      : body_(body), definitions_(definitions) {
    for (std::size_t at = 0; at < body_.size(); ++at)
      if (is(at, "for") || is(at, "while") || is(at, "do")) read_loop(at);
  }

  std::map<std::string, Result> run() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].kind != SourceToken::Kind::word || (at > 0 && (is(at - 1, ".") || is(at - 1, "->")))) continue;
      const Result step = step_at(at);
      if (step) add(body_[at].text, at, *step);
    }
    return std::move(walks_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  TokenSpan until(std::size_t at, std::initializer_list<std::string_view> signs) const {
    return tokens_until(body_, at, signs);
  }

  void read_loop(std::size_t at) {
    Loop loop{.header = at + 1, .begin = at + 1};
    if (is(at + 1, "(")) {
      const std::size_t close = closing(body_, at + 1);
      if (close >= body_.size()) return;
      loop.begin = close + 1;
      if (is(at, "for")) read_header(at + 2, close, loop);
      loop.end = behind_statement(body_, close + 1);
    } else {
      loop.end = behind_statement(body_, at + 1);
    }
    loops_.push_back(std::move(loop));
  }

  // Reads a loop's variable and its step from a header such as int k = 0; k < n; ++k, or k += STEP.
  void read_header(std::size_t begin, std::size_t close, Loop& loop) const {
    const TokenSpan first = until(begin, {";"});
    const std::size_t last = begin + first.size() + 1 + until(begin + first.size() + 1, {";"}).size() + 1;
    const auto equals = std::ranges::find_if(first, [](const SourceToken& token) { return token.is("="); });
    if (equals == first.end() || equals == first.begin() || last >= close) return;
    loop.begin = last;
    const std::string& name = (equals - 1)->text;
    for (std::size_t at = last; at < close; ++at)
      if (is(at, name))
        if (const Result step = step_at(at)) loop.variable = name, loop.step = *step;
  }

  // Returns the step of the variable at `at`: i++, ++i, i += step, i = i + step. It returns nothing where i stays.
  // (*p += 1 leaves p where it is.)
  Result step_at(std::size_t at) const {
    if (is(at + 1, "+") && is(at + 2, "+")) return CExpression::integer(1);
    if (at > 1 && is(at - 1, "+") && is(at - 2, "+")) return CExpression::integer(1);
    if (at > 0 && is(at - 1, "*") && !(at > 1 && is(at - 2, ")"))) return std::nullopt;
    if (is(at + 1, "+") && is(at + 2, "="))
      return parse_c(until(at + 3, {";", ",", ")"})).value_or(CExpression::name("?"));
    if (is(at + 1, "=") && is(at + 2, body_[at].text) && is(at + 3, "+") && !of(at).empty())
      return parse_c(until(at + 4, {";", ",", ")"})).value_or(CExpression::name("?"));
    return std::nullopt;
  }

  bool is_reset_in(const Loop& loop, const std::string& name) const {
    for (std::size_t at = std::max<std::size_t>(loop.begin, 1); at + 1 < std::min(loop.end, body_.size()); ++at)
      if (is(at, name) && is(at + 1, "=") && !is(at + 2, name) && !is(at - 1, ".") && !is(at - 1, "->") &&
          (!is(at - 1, "*") || at < 2 || body_[at - 2].kind == SourceToken::Kind::word))
        return true;
    return false;
  }

  // Returns the loops around the variable at `at`, the innermost first. It leaves out loops that give the variable a
  // value, and those around them.
  std::vector<const Loop*> of(std::size_t at) const {
    std::vector<const Loop*> around;
    for (const Loop& loop : loops_)
      if (loop.begin <= at && at < loop.end) around.push_back(&loop);
    std::ranges::sort(around, {}, [](const Loop* loop) { return loop->end - loop->begin; });
    const auto reset =
        std::ranges::find_if(around, [&](const Loop* loop) { return is_reset_in(*loop, body_[at].text); });
    around.erase(reset, around.end());
    return around;
  }

  CExpression opened(const CExpression& expression) const {
    return simplified(replaced(
        expression,
        [&](const std::string& name) -> Result {
          const auto definition = definitions_.find(name);
          return definition == definitions_.end() ? Result() : definition->second;
        },
        4));
  }

  // Returns what a step in each pass adds up to, in terms of the loop's variable, which has steps of its own.
  Result in_loop(const Loop& loop, const CExpression& step) const {
    if (loop.variable.empty() || names_in(step).contains(loop.variable) || names_in(step).contains("?")) return {};
    std::vector<CExpression> factors = factors_of(step);
    if (!(loop.step.is_integer() && loop.step.value == 1)) {
      factors = factors_of(opened(step));
      for (const CExpression& own : factors_of(opened(loop.step))) {
        const auto same = std::ranges::find(factors, own);
        if (same == factors.end()) return {};
        factors.erase(same);
      }
    }
    factors.insert(factors.begin(), CExpression::name(loop.variable));
    return product_of(factors);
  }

  void add(const std::string& name, std::size_t at, const CExpression& step) {
    const std::vector<const Loop*> around = of(at);
    if (!around.empty() && around.front()->variable == name) return;
    Result offset;
    if (around.size() == 1) offset = in_loop(*around.front(), step);
    if (around.empty() && !names_in(step).contains("?")) offset = step;
    const auto known = walks_.find(name);
    if (known == walks_.end())
      walks_.emplace(name, offset);
    else if (known->second && offset)
      known->second = CExpression::binary("+", *known->second, *offset);
    else
      known->second = {};
  }

  const TokenSpan body_;
  const std::map<std::string, CExpression>& definitions_;
  std::vector<Loop> loops_;
  std::map<std::string, Result> walks_;
};

}  // namespace

std::map<std::string, Result> walks_of(TokenSpan body, const std::map<std::string, CExpression>& definitions) {
  return WalkReader(body, definitions).run();
}

}  // namespace warptune::tuner::draft
