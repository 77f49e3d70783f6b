// Represents the arithmetic of sources (grids, sizes of memory, indices, bounds) as far as a manifest can express it.
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

// Parses tokens. Returns std::nullopt if they are more than an expression of numbers, names, calls and operators. A
// cast to a floating type becomes the unary operator "float", and a cast of a real number to an integer becomes "int".
// Other casts are dropped. A member of a type is a name with its scope, such as "Pack::size".
std::optional<CExpression> parse_c(TokenSpan tokens);

// Returns how many tokens a list such as `<int, 4>` at this place has, if ( or :: follows it. Returns 0 for what may be
// a comparison.
std::size_t template_list(TokenSpan tokens, std::size_t at);
// Splits the tokens at the commas that are in no brackets and in no such list.
std::vector<TokenSpan> split_arguments(TokenSpan tokens);

// Replaces names, and then the names in their replacements, up to `depth` times. `replace` returns std::nullopt for a
// name that stays.
using Replacement = std::function<std::optional<CExpression>(const std::string& name)>;
CExpression replaced(const CExpression& expression, const Replacement& replace, int depth = 16);

// Returns whether the value may have a fraction, as far as the expression itself says it.
bool is_real(const CExpression& expression);
// Turns a real number, or a cast to one, into the integer that it stands for, also in a product. Returns any other
// expression as it is.
CExpression as_integer(const CExpression& expression);

// Folds constants, and writes (a + b - 1) / b as ceildiv(a, b).
CExpression simplified(const CExpression& expression);

std::set<std::string> names_in(const CExpression& expression);
// These return the terms of a sum and the factors of a product. A subtracted term is the unary operator "-".
std::vector<CExpression> terms_of(const CExpression& expression);
std::vector<CExpression> factors_of(const CExpression& expression);
CExpression product_of(const std::vector<CExpression>& factors);

// Returns the expression in the language of manifests, or std::nullopt where that language cannot express a part.
std::optional<std::string> manifest_text(const CExpression& expression);

// Returns the size in bytes of a C type that manifests have too, and 0 for any other type.
std::int64_t bytes_of_type(const std::string& type);

}  // namespace warptune::tuner::draft
