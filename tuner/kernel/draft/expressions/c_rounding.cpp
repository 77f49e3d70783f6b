// Matches the terms of expressions to find divisions that round up.
#include "tuner/kernel/draft/expressions/c_rounding.h"

#include <algorithm>

#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool same(const CExpression& a, const CExpression& b) {
  const auto left = manifest_text(a), right = manifest_text(b);
  return left && right && *left == *right;
}

CExpression divided_upwards(const CExpression& whole, const CExpression& divisor) {
  return CExpression{Kind::call, "ceildiv", 0, {whole, divisor}};
}

Result sum_of(const std::vector<CExpression>& terms) {
  Result sum;
  for (const CExpression& term : terms) {
    const bool negative = term.is(Kind::unary, "-");
    if (!sum)
      sum = term;
    else
      sum = CExpression::binary(negative ? "-" : "+", *sum, negative ? term.parts.front() : term);
  }
  return sum;
}

// Returns ceildiv(a, b) for the numerator a + b - 1 and the divisor b, and std::nullopt for other numerators.
Result rounded_up(const CExpression& numerator, const CExpression& divisor) {
  std::vector<CExpression> terms;
  std::int64_t constant = 0;
  bool has_divisor = divisor.is_integer();
  for (const CExpression& term : terms_of(numerator)) {
    const bool negative = term.is(Kind::unary, "-");
    const CExpression& inner = negative ? term.parts.front() : term;
    if (inner.is_integer())
      constant += negative ? -inner.value : inner.value;
    else if (!negative && !has_divisor && same(inner, divisor))
      has_divisor = true;
    else
      terms.push_back(term);
  }
  if (has_divisor && !divisor.is_integer() && terms.empty())
    return divided_upwards(CExpression::integer(constant + 1), divisor);
  if (!has_divisor || constant != (divisor.is_integer() ? divisor.value - 1 : -1)) return std::nullopt;
  const Result rest = sum_of(terms);
  return rest ? Result(divided_upwards(*rest, divisor)) : std::nullopt;
}

// Returns the remainder a % b that a condition tests: a % b, a % b != 0 or a % b > 0. Flips `negated` for a % b == 0
// and for each `!`.
Result remainder_of(const CExpression& condition, bool& negated) {
  const auto is_remainder = [](const CExpression& any) { return any.is(Kind::binary, "%"); };
  if (is_remainder(condition)) return condition;
  if (condition.is(Kind::unary, "!")) {
    negated = !negated;
    return remainder_of(condition.parts.front(), negated);
  }
  const bool compares =
      condition.is(Kind::binary, "!=") || condition.is(Kind::binary, "==") || condition.is(Kind::binary, ">");
  if (!compares || !is_remainder(condition.parts[0]) || !condition.parts[1].is_integer() ||
      condition.parts[1].value != 0)
    return std::nullopt;
  if (condition.text == "==") negated = !negated;
  return condition.parts[0];
}

bool is_number(const CExpression& expression, std::int64_t value) {
  return expression.is_integer() && expression.value == value;
}

bool is_quotient(const CExpression& expression, const CExpression& remainder) {
  return expression.is(Kind::binary, "/") && same(expression.parts[0], remainder.parts[0]) &&
         same(expression.parts[1], remainder.parts[1]);
}

// Returns whether the expression's value is 1 where the quotient has a remainder, and 0 elsewhere.
bool counts_rest(const CExpression& expression, const CExpression& quotient) {
  bool negated = false;
  const bool chooses = expression.kind == Kind::conditional;
  const Result rest = remainder_of(chooses ? expression.parts[0] : expression, negated);
  if (!rest || !is_quotient(quotient, *rest)) return false;
  if (!chooses) return !negated && !expression.is(Kind::binary, "%");
  return is_number(expression.parts[negated ? 2 : 1], 1) && is_number(expression.parts[negated ? 1 : 2], 0);
}

Result rounded_by_condition(const CExpression& expression) {
  bool negated = false;
  const Result rest = remainder_of(expression.parts[0], negated);
  if (!rest) return std::nullopt;
  const CExpression& more = expression.parts[negated ? 2 : 1];
  const CExpression& less = expression.parts[negated ? 1 : 2];
  const bool one_more = (more.is(Kind::binary, "+") && ((same(more.parts[0], less) && is_number(more.parts[1], 1)) ||
                                                        (same(more.parts[1], less) && is_number(more.parts[0], 1)))) ||
                        same(more, divided_upwards(rest->parts[0], rest->parts[1]));
  if (!one_more || !is_quotient(less, *rest)) return std::nullopt;
  return divided_upwards(rest->parts[0], rest->parts[1]);
}

Result rounded_sum(const CExpression& sum) {
  const CExpression &left = sum.parts[0], &right = sum.parts[1];
  if (is_number(right, 1) && left.is(Kind::binary, "/") && !is_real(left))
    return rounded_up(CExpression::binary("+", left.parts[0], left.parts[1]), left.parts[1]);
  for (const auto& [quotient, rest] : {std::pair(left, right), std::pair(right, left)})
    if (quotient.is(Kind::binary, "/") && !is_real(quotient) && counts_rest(rest, quotient))
      return divided_upwards(quotient.parts[0], quotient.parts[1]);
  return std::nullopt;
}

}  // namespace

CExpression with_rounding(CExpression expression) {
  Result rounded;
  if (expression.is(Kind::binary, "/") && !is_real(expression)) {
    const CExpression &left = expression.parts[0], &right = expression.parts[1];
    if (left.kind == Kind::call && left.parts.size() == 2 && is_rounding_up(left.text) && same(left.parts[1], right))
      return divided_upwards(left.parts[0], right);
    rounded = rounded_up(left, right);
  } else if (expression.is(Kind::binary, "+")) {
    rounded = rounded_sum(expression);
  } else if (expression.kind == Kind::conditional) {
    rounded = rounded_by_condition(expression);
  } else if (expression.kind == Kind::call && expression.parts.size() == 2 && is_division_upwards(expression.text)) {
    expression.text = "ceildiv";
  }
  return rounded ? *rounded : expression;
}

Result without_rounding(const CExpression& numerator, std::int64_t divisor) {
  std::vector<CExpression> terms = terms_of(numerator);
  const auto take = [&](std::int64_t number) {
    const auto found = std::ranges::find_if(terms, [&](const CExpression& term) {
      const CExpression known = simplified(term);
      return known.is_integer() && known.value == number;
    });
    if (found == terms.end()) return false;
    terms.erase(found);
    return true;
  };
  if (!take(divisor - 1) && !(take(divisor) && take(-1))) return std::nullopt;
  return sum_of(terms);
}

bool is_division(const CExpression& expression) {
  return expression.is(CExpression::Kind::binary, "/") || expression.is(CExpression::Kind::binary, "%") ||
         (expression.kind == CExpression::Kind::call && expression.parts.size() == 2 &&
          is_division_upwards(expression.text));
}

}  // namespace warptune::tuner::draft
