// Decides which integers of a source are parameters, which are sizes, and which say how many elements a thread takes.
// For the last, only the kernel's indices decide, for names such as tile_size_x may mean either.
#include "tuner/kernel/draft/passes/integers.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/c_rounding.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;
using Factors = std::vector<CExpression>;

// Returns whether `#pragma unroll NAME` stands in the lines of a function.
bool in_pragma_between(const std::vector<SourceToken>& pragmas, const std::string& name, TokenSpan tokens) {
  return !tokens.empty() && std::ranges::any_of(pragmas, [&](const SourceToken& token) {
    return token.is(name) && token.line >= tokens.front().line && token.line <= tokens.back().line;
  });
}

// Returns whether the value of an integer may be chosen. In #ifndef N, #define M 8, #define N 4, #endif, a kernel that
// uses M needs N to be undefined there, so N may not be chosen.
bool may_be_chosen(const SourceFacts& facts, const std::vector<Site>& sites, const NamedInteger& integer) {
  return integer.can_be_chosen() && std::ranges::none_of(integer.guards, [&](const std::string& name) {
           return used_on_device(facts, sites, name);
         });
}

bool has(const Factors& factors, const std::string& name) {
  return std::ranges::any_of(factors, [&](const CExpression& factor) { return factor.is(Kind::name, name); });
}

// A header's own definition wins over a value that the compiler is given, and such a value breaks the definition of an
// enumerator.
void keep_as_constant(const NamedInteger& integer, Use use, Draft& draft, Meanings& meanings,
                      std::vector<std::string>& constants) {
  meanings.fixed.insert(integer.name);
  if (!is_tunable(use)) return;
  const std::string lines = fmt::format("`#ifndef {0}` / `#define {0} {1}` / `#endif`", integer.name, integer.value);
  constants.push_back(fmt::format("{} for {}", lines, integer.place()));
  draft.guesses.push_back(
      fmt::format("{} stays {}, as {} has it. To tune it, write {} {}, and `warptune init --force` "
                  "again",
                  integer.name, integer.value, integer.place(), lines,
                  integer.keeps_value || !integer.guards.empty() ? "in its place" : "there"));
}

// Returns whether the name divides something.
bool is_divisor(const CExpression& expression, const std::string& name) {
  if (is_division(expression) && names_in(expression.parts[1]).contains(name)) return true;
  return std::ranges::any_of(expression.parts, [&](const CExpression& part) { return is_divisor(part, name); });
}

// Returns whether a launch has the name as its block. The length of a row may be the block, too: <<<rows, W>>>. So
// either the grid has to have the name as a divisor, or the kernel's index has to have another bound.
bool is_block_of_launch(const Work& work, const std::string& name) {
  const Replacement stays = [&](const std::string& other) {
    return work.facts.find_integer(other) ? Result(CExpression::name(other)) : std::nullopt;
  };
  return std::ranges::any_of(work.sites, [&](const Site& site) {
    if (!site.host || site.host->configuration.size() < 2 || !contains_word(site.host->function->body, name))
      return false;
    const auto any_of = [&](std::size_t which, const auto& suits) {
      return std::ranges::any_of(dimensions(site, site.host->configuration[which]), [&](const CExpression& dimension) {
        return suits(with_host_values(work.meanings, site, dimension, stays));
      });
    };
    return any_of(1, [&](const CExpression& block) { return block.is(Kind::name, name); }) &&
           (covered_by_blocks(work.sites, name) == Use::block ||
            any_of(0, [&](const CExpression& grid) { return is_divisor(grid, name); }));
  });
}

// Returns the products of an expanded expression: {a, c} and {b, c} for (a + b) * c.
std::vector<Factors> products_of(const CExpression& expression) {
  if (expression.is(Kind::binary, "+") || expression.is(Kind::binary, "-")) {
    std::vector<Factors> all = products_of(expression.parts[0]);
    for (Factors& other : products_of(expression.parts[1])) all.push_back(std::move(other));
    return all;
  }
  if (!expression.is(Kind::binary, "*")) return {{expression}};
  std::vector<Factors> all;
  for (const Factors& left : products_of(expression.parts[0]))
    for (const Factors& right : products_of(expression.parts[1])) {
      all.push_back(left);
      all.back().insert(all.back().end(), right.begin(), right.end());
    }
  return all;
}

// Returns whether one of the factors is blockIdx or threadIdx (`prefix`), or a variable that is no more than that.
bool has_built_in(const Factors& factors, const std::string& prefix, const BodyAnalysis& body) {
  return std::ranges::any_of(factors, [&](const CExpression& factor) {
    if (factor.kind != Kind::name) return false;
    const auto definition = body.definitions.find(factor.text);
    const CExpression& known = definition == body.definitions.end() ? factor : definition->second;
    return known.kind == Kind::name && known.text.starts_with(prefix);
  });
}

// Returns whether NAME bounds a loop over the elements of a thread: for (k = 0; k < NAME; ++k) … k * BLOCK. These
// elements are BLOCK apart, and BLOCK is what NAME is multiplied with.
bool counts_a_loop_over(const BodyAnalysis& body, const std::string& name, const Factors& block) {
  return std::ranges::any_of(body.bounds, [&](const auto& bounds) {
    const auto apart = body.multiplied.find(bounds.first);
    if (body.steps.contains(bounds.first) || apart == body.multiplied.end()) return false;
    return std::ranges::any_of(bounds.second, [&](const CExpression& bound) { return bound.is(Kind::name, name); }) &&
           std::ranges::any_of(apart->second,
                               [&](const std::string& other) { return other != name && has(block, other); });
  });
}

// Returns whether NAME is a number of elements per thread: in blockIdx.x * BLOCK * NAME + threadIdx.x with such a loop,
// or in (blockIdx.x * BLOCK + threadIdx.x) * NAME.
bool is_per_thread(const SourceFacts& facts, const Site& site, const std::string& name) {
  std::vector<CExpression> places;
  for (const auto& [variable, definition] : site.body.definitions) places.push_back(definition);
  for (const auto& [buffer, accesses] : site.body.accesses)
    for (const Access& access : accesses)
      if (access.index) places.push_back(*access.index);
  return std::ranges::any_of(places, [&](const CExpression& place) {
    const auto products = products_of(without_derived(facts, place));
    const bool by_thread = std::ranges::any_of(products, [&](const Factors& factors) {
      return has(factors, name) && has_built_in(factors, "threadIdx.", site.body);
    });
    return std::ranges::any_of(products, [&](const Factors& factors) {
      return factors.size() > 2 && has(factors, name) && has_built_in(factors, "blockIdx.", site.body) &&
             (by_thread || counts_a_loop_over(site.body, name, factors));
    });
  });
}

bool is_per_thread(const SourceFacts& facts, const std::vector<Site>& sites, const std::string& name) {
  return std::ranges::any_of(sites, [&](const Site& site) { return is_per_thread(facts, site, name); });
}

}  // namespace

bool used_on_device(const SourceFacts& facts, const std::vector<Site>& sites, const std::string& name, int depth) {
  const auto uses = [&](TokenSpan tokens) {
    return contains_word(tokens, name) || in_pragma_between(facts.outline.pragmas, name, tokens);
  };
  for (const Site& site : sites)
    if (uses(site.kernel->all)) return true;
  for (const SourceItem& item : facts.outline.items) {
    const TokenSpan tokens = facts.outline.tokens(item);
    if (!is_host_only(item, tokens) && !contains_word(item.head, "__global__") && item.name != name && uses(tokens))
      return true;
  }
  return std::ranges::any_of(facts.derived, [&](const auto& derived) {
    return depth > 0 && names_in(derived.second).contains(name) &&
           used_on_device(facts, sites, derived.first, depth - 1);
  });
}

std::optional<Use> covered_by_blocks(const std::vector<Site>& sites, const std::string& name) {
  for (const Site& site : sites)
    for (const auto& [variable, definition] : site.body.definitions) {
      const BlockIndex index = block_index_of(definition);
      if (index.threads.empty() || !index.covered || !index.covered->is(CExpression::Kind::name, name)) continue;
      if (index.threads.back() != index.blocks.back()) return Use::tile;
      const auto bounds = site.body.bounds.find(variable);
      if (bounds != site.body.bounds.end() && std::ranges::none_of(bounds->second, [&](const CExpression& bound) {
            return names_in(bound).contains(name);
          }))
        return Use::block;
    }
  return std::nullopt;
}

bool is_min_blocks(const std::vector<Site>& sites, const std::string& name) {
  return std::ranges::any_of(sites, [&](const Site& site) {
    return site.kernel->min_blocks && site.kernel->min_blocks->is(CExpression::Kind::name, name);
  });
}

Use use_of_integer(const Work& work, const NamedInteger& integer) {
  if (is_min_blocks(work.sites, integer.name)) return Use::min_blocks;
  const Use named = use_of(integer.name, integer.value);
  if ((named == Use::tile || named == Use::unknown) && is_per_thread(work.facts, work.sites, integer.name))
    return Use::coarsening;
  if (!is_tunable(named) && is_block_of_launch(work, integer.name)) return Use::block;
  const auto covered = covered_by_blocks(work.sites, integer.name);
  const bool may_be_tile = covered == Use::tile && (!is_tunable(named) || named == Use::warps);
  return covered && (named == Use::unknown || may_be_tile) ? *covered : named;
}

std::vector<std::string> classify_integers(Work& work) {
  std::vector<std::string> constants;
  for (const NamedInteger& integer : work.facts.integers) {
    const auto covered = covered_by_blocks(work.sites, integer.name);
    const Use use = use_of_integer(work, integer);
    const bool on_device = used_on_device(work.facts, work.sites, integer.name);
    const bool in_launch = std::ranges::any_of(work.sites, [&](const Site& site) {
      return site.host && contains_word(site.host->function->body, integer.name);
    });
    // How many warps a block has can be chosen where the launch says it.
    const bool warps = use == Use::warps && in_launch;
    const bool warp = macro_name(integer.name).find("WARP") != std::string::npos && !covered && !warps;
    if (warp || (!on_device && !in_launch)) {
      if (on_device) work.meanings.fixed.insert(integer.name);
      if (use == Use::size) work.meanings.known_values.emplace(integer.name, integer.value);
      continue;
    }
    if (!may_be_chosen(work.facts, work.sites, integer)) {
      keep_as_constant(integer, use, work.draft, work.meanings, constants);
    } else if (is_tunable(use)) {
      add_parameter(work.draft, integer.name, use, integer.value,
                    fmt::format("{} in {}", integer.value, integer.place()));
    } else if (use == Use::size || use == Use::radius) {
      work.meanings.known_values[integer.name] = integer.value;
      if (on_device)
        work.draft.sizes.push_back({integer.name, integer.value, integer.value, true,
                                    fmt::format("{} in {}: it changes what is computed, so it is no parameter",
                                                integer.value, integer.place())});
    } else if (integer.guarded && integer.value > 0 && integer.value <= 65536) {
      add_parameter(work.draft, integer.name, Use::unknown, integer.value,
                    "between #ifndef and #endif: meant to be chosen");
    } else {
      work.meanings.fixed.insert(integer.name);
      if (integer.value > 0 && integer.value <= 65536)
        work.draft.proposals.push_back({integer.name, domain_of(Use::unknown, integer.value), integer.value});
    }
  }
  return constants;
}

CExpression without_derived(const SourceFacts& facts, const CExpression& expression, int depth) {
  return replaced(
      expression,
      [&](const std::string& name) -> std::optional<CExpression> {
        const auto derived = facts.derived.find(name);
        return derived == facts.derived.end() ? std::nullopt : std::optional(derived->second);
      },
      depth);
}

CExpression without_per_thread(const SourceFacts& facts, const Site& site, const CExpression& product) {
  Factors factors = factors_of(without_derived(facts, product));
  std::erase_if(factors, [&](const CExpression& factor) {
    return factor.kind == Kind::name && is_per_thread(facts, site, factor.text);
  });
  return product_of(factors);
}

}  // namespace warptune::tuner::draft
