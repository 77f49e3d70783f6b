// Rewrites the expressions of c_expression.h, and writes them in the language of manifests.
#include "tuner/kernel/draft/expressions/c_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tuner/kernel/draft/expressions/c_rounding.h"
#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

CExpression folded(const std::string& sign, std::int64_t a, std::int64_t b, const CExpression& otherwise) {
  constexpr std::int64_t large = std::int64_t{1} << 31;
  const bool small = std::abs(a) < large && std::abs(b) < large;
  if (sign == "+" && small) return CExpression::integer(a + b);
  if (sign == "-" && small) return CExpression::integer(a - b);
  if (sign == "*" && small) return CExpression::integer(a * b);
  if (sign == "/" && b != 0) return CExpression::integer(a / b);
  if (sign == "%" && b != 0) return CExpression::integer(a % b);
  if (sign == "<<" && a >= 0 && a < large && b >= 0 && b < 32) return CExpression::integer(a << b);
  if (sign == ">>" && a >= 0 && b >= 0 && b < 63) return CExpression::integer(a >> b);
  if (sign == "==") return CExpression::integer(a == b);
  if (sign == "!=") return CExpression::integer(a != b);
  if (sign == ">") return CExpression::integer(a > b);
  if (sign == "<") return CExpression::integer(a < b);
  return otherwise;
}

// Simplifies a cast to an integer. The cast quotient of two whole numbers becomes an integer division.
CExpression truncated(const CExpression& cast) {
  const CExpression& inner = cast.parts.front();
  if (!is_real(inner)) return inner;
  const CExpression whole = as_integer(inner);
  if (!is_real(whole)) return whole;
  if (inner.kind == Kind::real) return CExpression::integer(static_cast<std::int64_t>(std::stod(inner.text)));
  if (!inner.is(Kind::binary, "/")) return cast;
  const CExpression left = as_integer(inner.parts[0]), right = as_integer(inner.parts[1]);
  return is_real(left) || is_real(right) ? cast : simplified(CExpression::binary("/", left, right));
}

CExpression simplified_binary(CExpression result) {
  const CExpression left = result.parts[0], right = result.parts[1];
  if (left.is_integer() && right.is_integer()) return folded(result.text, left.value, right.value, result);
  if (result.text == "*" && left.is_integer() && left.value == 1) return right;
  if ((result.text == "*" || result.text == "/") && right.is_integer() && right.value == 1) return left;
  if ((result.text == "+" || result.text == "-") && right.is_integer() && right.value == 0) return left;
  if (result.text == "+" && left.is_integer() && left.value == 0) return right;
  return with_rounding(std::move(result));
}

int precedence(const std::string& sign) {
  if (sign == "or") return 1;
  if (sign == "and") return 2;
  if (sign == "*" || sign == "/" || sign == "%") return 5;
  return sign == "+" || sign == "-" ? 4 : 3;
}

std::optional<std::string> text_of(const CExpression& expression, int around);

// Returns whether the name is a plain identifier. "block.x", "Pack::size" and the "?" of an unknown value are not.
bool is_identifier(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '#'; });
}

std::optional<std::string> call_text(const CExpression& expression) {
  std::string name = expression.text;
  const bool two = expression.parts.size() == 2;
  if (two && is_division_upwards(name)) name = "ceildiv";
  if (name == "ceilf") name = "ceil";
  if (!(two && (name == "ceildiv" || name == "min" || name == "max")) && name != "ceil") return std::nullopt;
  std::string text;
  for (const CExpression& part : expression.parts) {
    const auto inner = text_of(part, 0);
    if (!inner) return std::nullopt;
    text += (text.empty() ? "" : ", ") + *inner;
  }
  return name + '(' + text + ')';
}

std::optional<std::string> binary_text(const CExpression& expression, int around) {
  const auto power = [&](const char* sign) -> std::optional<std::string> {
    if (!expression.parts[1].is_integer() || expression.parts[1].value > 40) return std::nullopt;
    const auto left = text_of(expression.parts[0], 5);
    if (!left) return std::nullopt;
    return fmt::format("({} {} {})", *left, sign, std::int64_t{1} << expression.parts[1].value);
  };
  if (expression.text == "<<") return power("*");
  if (expression.text == ">>") return power("//");
  const int own = precedence(expression.text);
  const auto left = text_of(expression.parts[0], own), right = text_of(expression.parts[1], own + 1);
  if (!left || !right) return std::nullopt;
  const std::string sign = expression.text == "/" && !is_real(expression) ? "//" : expression.text;
  const std::string text = *left + ' ' + sign + ' ' + *right;
  return own < around ? '(' + text + ')' : text;
}

std::optional<std::string> text_of(const CExpression& expression, int around) {
  switch (expression.kind) {
    case Kind::integer:
      return std::to_string(expression.value);
    case Kind::real:
      return expression.text;
    case Kind::name:
      if (!is_identifier(expression.text)) return std::nullopt;
      return expression.text;
    case Kind::call:
      return call_text(expression);
    case Kind::unary: {
      if (expression.text == "&" || expression.text == "int") return std::nullopt;
      const auto inner = text_of(expression.parts.front(), expression.text == "float" ? around : 6);
      if (!inner || expression.text == "float") return inner;
      return expression.text == "!" ? "(not " + *inner + ")" : "(-" + *inner + ")";
    }
    case Kind::binary:
      return binary_text(expression, around);
    case Kind::conditional: {
      const auto condition = text_of(expression.parts[0], 0), yes = text_of(expression.parts[1], 1),
                 no = text_of(expression.parts[2], 1);
      if (!condition || !yes || !no) return std::nullopt;
      return fmt::format("({} if {} else {})", *yes, *condition, *no);
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_real(const CExpression& expression) {
  if (expression.kind == Kind::real || expression.is(Kind::unary, "float")) return true;
  if (expression.kind == Kind::binary || expression.kind == Kind::unary)
    return std::ranges::any_of(expression.parts, is_real);
  return false;
}

CExpression as_integer(const CExpression& expression) {
  if (expression.is(Kind::unary, "float")) return as_integer(expression.parts.front());
  if (expression.kind == Kind::real) {
    const double value = std::stod(expression.text);
    if (value == static_cast<double>(static_cast<std::int64_t>(value)))
      return CExpression::integer(static_cast<std::int64_t>(value));
  }
  if (expression.is(Kind::binary, "*")) {
    const CExpression left = as_integer(expression.parts[0]), right = as_integer(expression.parts[1]);
    if (left.is_integer() && left.value == 1) return right;
    if (right.is_integer() && right.value == 1) return left;
    return CExpression::binary("*", left, right);
  }
  return expression;
}

CExpression replaced(const CExpression& expression, const Replacement& replace, int depth) {
  if (expression.kind == Kind::name && depth > 0) {
    const auto other = replace(expression.text);
    if (!other || (other->kind == Kind::name && other->text == expression.text)) return expression;
    return replaced(*other, replace, depth - 1);
  }
  CExpression result = expression;
  for (CExpression& part : result.parts) part = replaced(part, replace, depth);
  return result;
}

CExpression simplified(const CExpression& expression) {
  CExpression result = expression;
  for (CExpression& part : result.parts) part = simplified(part);
  if (result.kind == Kind::binary) return simplified_binary(result);
  if (result.is(Kind::unary, "-") && result.parts.front().is_integer())
    return CExpression::integer(-result.parts.front().value);
  if (result.is(Kind::unary, "int")) return truncated(result);
  if (result.kind == Kind::conditional && result.parts[0].is_integer())
    return CExpression(result.parts[result.parts[0].value != 0 ? 1 : 2]);
  const bool ceiling = result.kind == Kind::call && (result.text == "ceil" || result.text == "ceilf");
  if (ceiling && result.parts.size() == 1) {
    const CExpression& inner = result.parts.front();
    if (inner.is(Kind::unary, "float"))
      return is_real(inner.parts.front()) ? simplified(CExpression{Kind::call, "ceil", 0, inner.parts}) : inner;
    if (inner.is(Kind::binary, "/") && is_real(inner))
      return {Kind::call, "ceildiv", 0, {as_integer(inner.parts[0]), as_integer(inner.parts[1])}};
    if (!is_real(inner)) return inner;
  }
  return with_rounding(std::move(result));
}

std::set<std::string> names_in(const CExpression& expression) {
  std::set<std::string> names;
  if (expression.kind == Kind::name) names.insert(expression.text);
  for (const CExpression& part : expression.parts) names.merge(names_in(part));
  return names;
}

std::vector<CExpression> terms_of(const CExpression& expression) {
  if (!expression.is(Kind::binary, "+") && !expression.is(Kind::binary, "-")) return {expression};
  std::vector<CExpression> terms = terms_of(expression.parts[0]);
  for (const CExpression& term : terms_of(expression.parts[1])) {
    if (expression.text == "+")
      terms.push_back(term);
    else if (term.is(Kind::unary, "-"))
      terms.push_back(term.parts.front());
    else
      terms.push_back({Kind::unary, "-", 0, {term}});
  }
  return terms;
}

std::vector<CExpression> factors_of(const CExpression& expression) {
  if (!expression.is(Kind::binary, "*")) return {expression};
  std::vector<CExpression> factors = factors_of(expression.parts[0]);
  for (CExpression& factor : factors_of(expression.parts[1])) factors.push_back(std::move(factor));
  return factors;
}

CExpression product_of(const std::vector<CExpression>& factors) {
  if (factors.empty()) return CExpression::integer(1);
  CExpression product = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) product = CExpression::binary("*", product, factors[i]);
  return product;
}

std::optional<std::string> manifest_text(const CExpression& expression) {
  return text_of(expression, 0);
}

std::int64_t bytes_of_type(const std::string& type) {
  const auto known = element_of(type);
  return known ? static_cast<std::int64_t>(size_bytes(known->type)) * known->count : 0;
}

}  // namespace warptune::tuner::draft
