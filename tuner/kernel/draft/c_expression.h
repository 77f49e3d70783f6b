// The arithmetic that sources hold, as far as a manifest can say it: grids, sizes of memory, indices, bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct CExpression {
  enum class Kind { integer, real, name, call, unary, binary, conditional };
  Kind kind = Kind::integer;
  std::string text;  // a name ("n", "blockIdx.x"), a function, an operator, a real number's digits
  std::int64_t value = 0;
  std::vector<CExpression> parts = {};

  bool is(Kind other, std::string_view with) const { return kind == other && text == with; }
  bool is_integer() const { return kind == Kind::integer; }
  bool operator==(const CExpression&) const = default;
  static CExpression integer(std::int64_t value) { return {Kind::integer, "", value}; }
  static CExpression name(std::string name) { return {Kind::name, std::move(name)}; }
  static CExpression binary(std::string sign, CExpression left, CExpression right) {
    return {Kind::binary, std::move(sign), 0, {std::move(left), std::move(right)}};
  }
};

// Nothing if the tokens are more than an expression of numbers, names, calls and operators. A cast to a floating type
// is the unary operator "float", and one of a real number to an integer "int"; other casts are gone. A member of a type
// is a name with its scope, as "Pack::size".
std::optional<CExpression> parse_c(TokenSpan tokens);

// How many tokens `<int, 4>` at this place has, where ( or :: follows; 0 for what may be a comparison.
std::size_t template_list(TokenSpan tokens, std::size_t at);
// Parts between commas that are in no brackets and no such list.
std::vector<TokenSpan> split_arguments(TokenSpan tokens);

// Replaces names, again and again in what they are replaced by. `replace` gives nothing for a name that stays.
using Replacement = std::function<std::optional<CExpression>(const std::string& name)>;
CExpression replaced(const CExpression& expression, const Replacement& replace, int depth = 16);

// Whether its value may have a fraction, as far as the expression itself says it.
bool is_real(const CExpression& expression);
// A real number or a cast to one as the integer that it stands for.
CExpression as_integer(const CExpression& expression);

// Constants folded, and (a + b - 1) / b as ceildiv(a, b).
CExpression simplified(const CExpression& expression);

std::set<std::string> names_in(const CExpression& expression);
// The terms of a sum (of which a subtracted one is the unary operator "-") and the factors of a product.
std::vector<CExpression> terms_of(const CExpression& expression);
std::vector<CExpression> factors_of(const CExpression& expression);
CExpression product_of(const std::vector<CExpression>& factors);

// In the language of manifests; nothing where it has no word for a part.
std::optional<std::string> manifest_text(const CExpression& expression);

// Bytes of a type that both have, 0 for others.
std::int64_t bytes_of_type(const std::string& type);

}  // namespace warptune::tuner::draft
