// Counts the values of a kernel's index: by its bounds, by its longest stride, by the blocks and threads it is made of.
#include <algorithm>

#include "tuner/kernel/draft/expressions/body_analysis.h"
#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;
using Factors = std::vector<CExpression>;

// Returns the expression in terms of sizes, or nothing if one of its names is not made of sizes.
Result in_sizes(const CExpression& expression, const BodyAnalysis& body, const SizeOf& size, int depth) {
  if (depth == 0) return std::nullopt;
  // A product with gridDim.x is as long as the axis: gridDim.x * TILE is the width where ceildiv(width, TILE) blocks
  // are launched.
  if (expression.is(Kind::binary, "*"))
    for (const CExpression& factor : expression.parts)
      if (factor.kind == Kind::name && factor.text.starts_with("gridDim.")) return size("axis" + factor.text.substr(7));
  bool known = true;
  const auto replace = [&](const std::string& name) -> Result {
    const bool built_in = name.find('.') != std::string::npos;
    if (const Result other = built_in ? Result() : size(name)) return other;
    const auto definition = body.definitions.find(name);
    // A variable that has a bound goes through values, and is no size itself.
    if (built_in || definition == body.definitions.end() || body.bounds.contains(name)) {
      known = false;
      return std::nullopt;
    }
    const Result inner = in_sizes(definition->second, body, size, depth - 1);
    known &= inner.has_value();
    return inner;
  };
  CExpression result = simplified(replaced(expression, replace, 1));
  if (!known || !manifest_text(result)) return std::nullopt;
  return result;
}

// Returns n for the bounds n - 1 and n - 2 * R: the elements that are left out at the borders exist all the same.
CExpression without_borders(const CExpression& bound) {
  const std::vector<CExpression> terms = terms_of(bound);
  if (terms.size() < 2 || names_in(terms.front()).empty()) return bound;
  for (std::size_t i = 1; i < terms.size(); ++i)
    if (!terms[i].is(Kind::unary, "-")) return bound;
  return terms.front();
}

Result count_of_name(const std::string& name, const BodyAnalysis& body, const SizeOf& size, int depth) {
  const auto bounds = body.bounds.find(name);
  if (bounds != body.bounds.end())
    for (const CExpression& bound : bounds->second) {
      Result known = in_sizes(bound, body, size, depth);
      if (!known) known = in_sizes(without_borders(bound), body, size, depth);  // n - k, where k varies
      if (known && (!names_in(*known).empty() || bounds->second.size() == 1)) return without_borders(*known);
    }
  const auto definition = body.definitions.find(name);
  // Where a loop begins says nothing of where it ends.
  const bool begins =
      bounds != body.bounds.end() && definition != body.definitions.end() && definition->second.is_integer();
  if (definition != body.definitions.end() && !begins) return count_of(definition->second, body, size, depth - 1);
  return std::nullopt;
}

// Returns the term with the longest stride of sizes, as (what it is multiplied with, stride).
std::optional<std::pair<CExpression, CExpression>> leading_term(const std::vector<CExpression>& terms,
                                                                const BodyAnalysis& body, const SizeOf& size,
                                                                int depth) {
  std::optional<std::pair<CExpression, CExpression>> best;
  std::size_t most = 0;
  for (const CExpression& term : terms) {
    std::vector<CExpression> strides, others;
    for (const CExpression& factor : factors_of(term)) {
      const Result known = in_sizes(factor, body, size, depth);
      (known && (factor.is_integer() || !names_in(factor).empty()) ? strides : others)
          .push_back(known ? *known : factor);
    }
    if (others.empty() || strides.size() <= most) continue;
    most = strides.size();
    best = {product_of(others), product_of(strides)};
  }
  return best;
}

// Returns the count of blockIdx.x, or of a variable that is that, times something that is no size. With the block's
// threads, this is the whole axis.
Result count_of_axis(const std::vector<CExpression>& factors, const BodyAnalysis& body, const SizeOf& size) {
  for (const CExpression& factor : factors) {
    if (factor.kind != Kind::name) continue;
    const auto definition = body.definitions.find(factor.text);
    const CExpression& index = definition == body.definitions.end() ? factor : definition->second;
    if (index.kind == Kind::name && index.text.starts_with("blockIdx.")) return size("axis" + index.text.substr(8));
  }
  return std::nullopt;
}

// Returns what is divided by `tile` in a bound: K of K / TILE, ceildiv(K, TILE) and div_up(K, TILE), or of a variable
// that is such a number of tiles.
Result divided_by(const CExpression& bound, const CExpression& tile, const BodyAnalysis& body, int depth) {
  if (depth == 0) return std::nullopt;
  if (bound.kind == Kind::name) {
    const auto definition = body.definitions.find(bound.text);
    return definition == body.definitions.end() ? Result() : divided_by(definition->second, tile, body, depth - 1);
  }
  const CExpression known = simplified(bound);
  const bool divides = known.is(Kind::binary, "/") || (known.kind == Kind::call && known.parts.size() == 2 &&
                                                       (known.text == "ceildiv" || is_division_upwards(known.text)));
  return divides && known.parts[1] == tile ? Result(known.parts[0]) : std::nullopt;
}

// Returns the count of t * TILE, where t counts the tiles of a length: the length.
Result count_of_tiles(const std::vector<CExpression>& factors, const BodyAnalysis& body, const SizeOf& size,
                      int depth) {
  if (factors.size() != 2) return std::nullopt;
  for (const std::size_t at : {0U, 1U}) {
    const auto bounds = body.bounds.find(factors[at].text);
    if (factors[at].kind != Kind::name || bounds == body.bounds.end()) continue;
    for (const CExpression& bound : bounds->second)
      if (const Result length = divided_by(bound, factors[1 - at], body, depth))
        if (const Result known = in_sizes(*length, body, size, depth)) return known;
  }
  return std::nullopt;
}

Result sum_in_sizes(const std::vector<CExpression>& terms, const BodyAnalysis& body, const SizeOf& size, int depth) {
  Result sum;
  for (const CExpression& term : terms) {
    const Result known = in_sizes(term, body, size, depth);
    if (!known) return std::nullopt;
    sum = sum ? CExpression::binary("+", *sum, *known) : *known;
  }
  return sum;
}

// Returns the axis ("x") of the block's index and the factors of what a block covers, where the term is the product of
// both, or a variable that is that product.
std::optional<std::pair<std::string, Factors>> covered_by_block(const CExpression& term, const BodyAnalysis& body) {
  const auto definition = body.definitions.find(term.text);
  const bool is_variable = term.kind == Kind::name && definition != body.definitions.end();
  if (is_variable && body.bounds.contains(term.text)) return std::nullopt;
  Factors factors = factors_of(is_variable ? definition->second : term);
  const auto own = std::ranges::find_if(factors, [](const CExpression& factor) {
    return factor.kind == Kind::name && factor.text.starts_with("blockIdx.");
  });
  if (own == factors.end() || factors.size() < 2) return std::nullopt;
  const std::string axis = own->text.substr(9);
  factors.erase(own);
  return std::pair(axis, factors);
}

// Returns what a bound has beside the elements that a block covers: 2 * R of TILE + 2 * R.
Result beyond_cover(const CExpression& bound, const Factors& cover, const BodyAnalysis& body, const SizeOf& size,
                    int depth) {
  std::vector<CExpression> others;
  for (const CExpression& term : terms_of(bound)) {
    const Factors factors = factors_of(term);
    if (!std::ranges::is_permutation(factors, cover)) others.push_back(term);
  }
  if (others.empty() || others.size() == terms_of(bound).size()) return std::nullopt;
  return sum_in_sizes(others, body, size, depth);
}

// Returns the count of blockIdx.x * TILE + i, where i goes to TILE + 2 * R: the axis, and the border behind its last
// block.
Result count_with_border(const std::vector<CExpression>& terms, const BodyAnalysis& body, const SizeOf& size,
                         int depth) {
  if (std::ranges::any_of(terms, [](const CExpression& term) { return term.is(Kind::unary, "-"); }))
    return std::nullopt;
  for (const CExpression& term : terms) {
    const auto block = covered_by_block(term, body);
    const Result axis = block ? size("axis." + block->first) : Result();
    if (!axis) continue;
    for (const CExpression& other : terms) {
      const auto bounds = body.bounds.find(other.text);
      if (other.kind != Kind::name || bounds == body.bounds.end()) continue;
      for (const CExpression& bound : bounds->second)
        if (const Result border = beyond_cover(bound, block->second, body, size, depth))
          return simplified(CExpression::binary("+", *axis, *border));
    }
  }
  return std::nullopt;
}

// Returns n for the index n - 1 - i, which goes from the last element to the first.
Result count_of_reversed(const std::vector<CExpression>& terms, const BodyAnalysis& body, const SizeOf& size,
                         int depth) {
  std::vector<CExpression> added;
  bool varies = false;
  for (const CExpression& term : terms) {
    if (!term.is(Kind::unary, "-"))
      added.push_back(term);
    else
      varies |= !in_sizes(term.parts.front(), body, size, depth);
  }
  return varies ? sum_in_sizes(added, body, size, depth) : Result();
}

// Returns the count of j + R, where j begins at -R: R more than the count of j.
Result count_of_centred(const std::vector<CExpression>& terms, const BodyAnalysis& body, const SizeOf& size,
                        int depth) {
  std::vector<CExpression> others;
  Result centred;
  for (const CExpression& term : terms) {
    const auto begin = body.definitions.find(term.text);
    if (term.kind == Kind::name && !centred && begin != body.definitions.end() && begin->second.is(Kind::unary, "-"))
      centred = term;
    else
      others.push_back(term);
  }
  if (!centred || others.empty()) return std::nullopt;
  const Result count = count_of(*centred, body, size, depth - 1), offset = sum_in_sizes(others, body, size, depth);
  return count && offset ? Result(simplified(CExpression::binary("+", *count, *offset))) : std::nullopt;
}

// Returns the count of i + offset: as many as i has, and `offset` more.
Result count_of_shifted(const std::vector<CExpression>& terms, const BodyAnalysis& body, const SizeOf& size,
                        int depth) {
  Result rest, shift;
  const auto add = [](Result& sum, const CExpression& term) {
    sum = sum ? CExpression::binary("+", *sum, term) : term;
  };
  for (const CExpression& term : terms) {
    const Result known =
        term.kind == Kind::name && body.shifts.contains(term.text) ? in_sizes(term, body, size, depth) : Result();
    add(known ? shift : rest, known ? *known : term);
  }
  if (!rest || !shift) return std::nullopt;
  const Result count = count_of(*rest, body, size, depth - 1);
  return count ? Result(simplified(CExpression::binary("+", *count, *shift))) : std::nullopt;
}

}  // namespace

std::optional<CExpression> count_of(const CExpression& index, const BodyAnalysis& body, const SizeOf& size, int depth) {
  if (depth == 0) return std::nullopt;
  if (index.is_integer()) return CExpression::integer(index.value + 1);
  if (index.is(Kind::unary, "float")) return count_of(index.parts.front(), body, size, depth - 1);
  if (index.is(Kind::binary, "%")) return in_sizes(index.parts[1], body, size, depth);
  if (index.kind == Kind::name) {
    if (const auto segments = body.segments.find(index.text); segments != body.segments.end()) {
      const Result rows = count_of(segments->second.row, body, size, depth - 1);
      return rows ? Result(CExpression::binary("*", *rows, CExpression::integer(elements_per_row))) : std::nullopt;
    }
    if (const Result known = count_of_name(index.text, body, size, depth)) return known;
    return index.text.find('.') == std::string::npos ? Result() : size(index.text);
  }
  const std::vector<CExpression> terms = terms_of(index);
  if (const Result shifted = count_of_shifted(terms, body, size, depth)) return shifted;
  if (const Result reversed = count_of_reversed(terms, body, size, depth)) return reversed;
  if (const Result centred = count_of_centred(terms, body, size, depth)) return centred;
  if (const auto lead = leading_term(terms, body, size, depth)) {
    // The index blockIdx.x * SIZE + threadIdx.x without a bound covers all of the axis.
    if (const Result count = count_of(lead->first, body, size, depth - 1))
      return simplified(CExpression::binary("*", *count, lead->second));
    return std::nullopt;
  }
  if (const Result bordered = count_with_border(terms, body, size, depth)) return bordered;
  // The index has the largest count among the terms: the others move within it (a halo, the threads of a block).
  Result largest;
  for (const CExpression& term : terms) {
    if (term.is_integer() || term.is(Kind::unary, "-")) continue;
    const std::vector<CExpression> factors = factors_of(term);
    Result count = factors.size() == 1 ? count_of(term, body, size, depth - 1) : count_of_axis(factors, body, size);
    if (!count) count = count_of_tiles(factors, body, size, depth);
    if (count && (!largest || names_in(*count).size() > names_in(*largest).size())) largest = count;
  }
  return largest;
}

}  // namespace warptune::tuner::draft
