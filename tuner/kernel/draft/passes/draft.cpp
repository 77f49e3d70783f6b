// Decides which integers of a source are parameters, and which are sizes.
#include "tuner/kernel/draft/passes/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/expression.h"
#include "tuner/kernel/draft/passes/drafter.h"
#include "tuner/kernel/draft/passes/reserved_names.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner::draft {

namespace {

// Returns whether `#pragma unroll NAME` stands in the lines of a function.
bool in_pragma_between(const std::vector<SourceToken>& pragmas, const std::string& name, TokenSpan tokens) {
  return !tokens.empty() && std::ranges::any_of(pragmas, [&](const SourceToken& token) {
    return token.is(name) && token.line >= tokens.front().line && token.line <= tokens.back().line;
  });
}

}  // namespace

const ParameterDraft* Draft::find_parameter(const std::string& wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &ParameterDraft::name);
  return found == parameters.end() ? nullptr : &*found;
}

SizeDraft* Draft::find_size(const std::string& wanted) {
  const auto found = std::ranges::find(sizes, wanted, &SizeDraft::name);
  return found == sizes.end() ? nullptr : &*found;
}

ArgumentDraft* Draft::find_argument(const std::string& wanted) {
  const auto found = std::ranges::find(arguments, wanted, &ArgumentDraft::name);
  return found == arguments.end() ? nullptr : &*found;
}

// Returns whether the text of the kernels, or of what they may call, has the name.
bool Drafter::used_on_device(const std::string& name, int depth) const {
  const auto uses = [&](TokenSpan tokens) {
    return contains_word(tokens, name) || in_pragma_between(facts_.outline.pragmas, name, tokens);
  };
  for (const Site& site : sites_)
    if (uses(site.kernel->all)) return true;
  for (const SourceItem& item : facts_.outline.items) {
    const TokenSpan tokens = facts_.outline.tokens(item);
    if (!is_host_only(item, tokens) && !contains_word(item.head, "__global__") && item.name != name && uses(tokens))
      return true;
  }
  return std::ranges::any_of(facts_.derived, [&](const auto& derived) {
    return depth > 0 && names_in(derived.second).contains(name) && used_on_device(derived.first, depth - 1);
  });
}

ParameterDraft& Drafter::add_parameter(const std::string& name, Use use, std::int64_t value,
                                       const std::string& comment) {
  for (ParameterDraft& known : draft_.parameters)
    if (known.name == name) return known;
  ParameterDraft parameter{name, domain_of(use, value), value, false, about(use), comment, use};
  draft_.parameters.push_back(std::move(parameter));
  return draft_.parameters.back();
}

// Returns the use of NAME in an index such as blockIdx.x * NAME + threadIdx.y, where it is what a block covers,
// whatever it is called. Along the threads' own axis it is the number of threads. There it can also be the length of a
// row, unless the index has a bound of its own.
std::optional<Use> Drafter::covered_by_blocks(const std::string& name) const {
  for (const Site& site : sites_)
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

// Returns whether the value of an integer may be chosen. In #ifndef N, #define M 8, #define N 4, #endif, a kernel that
// uses M needs N to be undefined there, so N may not be chosen.
bool Drafter::may_be_chosen(const NamedInteger& integer) const {
  return integer.can_be_chosen() &&
         std::ranges::none_of(integer.guards, [&](const std::string& name) { return used_on_device(name); });
}

// A header's own definition wins over a value that the compiler is given, and such a value breaks the definition of an
// enumerator.
void Drafter::keep_as_constant(const NamedInteger& integer, Use use) {
  fixed_.insert(integer.name);
  if (!is_tunable(use)) return;
  const std::string lines = fmt::format("`#ifndef {0}` / `#define {0} {1}` / `#endif`", integer.name, integer.value);
  constants_.push_back(fmt::format("{} for {}", lines, integer.place()));
  draft_.guesses.push_back(
      fmt::format("{} stays {}, as {} has it. To tune it, write {} {}, and `warptune init --force` "
                  "again",
                  integer.name, integer.value, integer.place(), lines,
                  integer.keeps_value || !integer.guards.empty() ? "in its place" : "there"));
}

// Returns whether the name is the second argument of __launch_bounds__(THREADS, NAME).
bool Drafter::is_min_blocks(const std::string& name) const {
  return std::ranges::any_of(sites_, [&](const Site& site) {
    return site.kernel->min_blocks && site.kernel->min_blocks->is(CExpression::Kind::name, name);
  });
}

// The integer's name decides, or what the indices make of the integer where they say more.
Use Drafter::use_of_integer(const NamedInteger& integer) const {
  if (is_min_blocks(integer.name)) return Use::min_blocks;
  const Use named = use_of(integer.name, integer.value);
  if ((named == Use::tile || named == Use::unknown) && is_per_thread(integer.name)) return Use::coarsening;
  if (!is_tunable(named) && is_block_of_launch(integer.name)) return Use::block;
  const auto covered = covered_by_blocks(integer.name);
  const bool may_be_tile = covered == Use::tile && (!is_tunable(named) || named == Use::warps);
  return covered && (named == Use::unknown || may_be_tile) ? *covered : named;
}

void Drafter::classify_integers() {
  for (const NamedInteger& integer : facts_.integers) {
    const auto covered = covered_by_blocks(integer.name);
    const Use use = use_of_integer(integer);
    const bool on_device = used_on_device(integer.name);
    const bool in_launch = std::ranges::any_of(
        sites_, [&](const Site& site) { return site.host && contains_word(site.host->function->body, integer.name); });
    // How many warps a block has can be chosen where the launch says it.
    const bool warps = use == Use::warps && in_launch;
    const bool warp = macro_name(integer.name).find("WARP") != std::string::npos && !covered && !warps;
    if (warp || (!on_device && !in_launch)) {
      if (on_device) fixed_.insert(integer.name);
      if (use == Use::size) known_values_.emplace(integer.name, integer.value);
      continue;
    }
    if (!may_be_chosen(integer)) {
      keep_as_constant(integer, use);
    } else if (is_tunable(use)) {
      add_parameter(integer.name, use, integer.value, fmt::format("{} in {}", integer.value, integer.place()));
    } else if (use == Use::size || use == Use::radius) {
      known_values_[integer.name] = integer.value;
      if (on_device)
        draft_.sizes.push_back({integer.name, integer.value, integer.value, true,
                                fmt::format("{} in {}: it changes what is computed, so it is no parameter",
                                            integer.value, integer.place())});
    } else if (integer.guarded && integer.value > 0 && integer.value <= 65536) {
      add_parameter(integer.name, Use::unknown, integer.value, "between #ifndef and #endif: meant to be chosen");
    } else {
      fixed_.insert(integer.name);
      if (integer.value > 0 && integer.value <= 65536)
        draft_.proposals.push_back({integer.name, domain_of(Use::unknown, integer.value), integer.value});
    }
  }
}

// Adds the constraint, unless it is there already or holds even for the largest values.
void Drafter::add_constraint(const std::string& text) {
  search::NamedValues largest;
  for (const ParameterDraft& parameter : draft_.parameters)
    largest.emplace_back(evaluable(draft_, parameter.name), parameter.values.back());
  for (const SizeDraft& size : draft_.sizes) largest.emplace_back(evaluable(draft_, size.name), size.value);
  if (search::truth(search::Expression::parse(evaluable(draft_, text)).evaluate(largest))) return;
  if (std::ranges::find(draft_.constraints, text) == draft_.constraints.end()) draft_.constraints.push_back(text);
}

// Static shared memory is 48 KiB at most; what is beyond need not be compiled.
void Drafter::add_constraints() {
  for (const Site& site : sites_) {
    std::vector<CExpression> sums;
    for (const MemoryArray& array : site.kernel->shared) {
      const auto type = site.types.find(array.type);
      const std::int64_t bytes = bytes_of_type(type != site.types.end() ? type->second : array.type);
      if (array.is_extern || bytes == 0) continue;
      std::vector<CExpression> factors = array.extents;
      factors.push_back(CExpression::integer(bytes));
      sums.push_back(resolved_in_kernel(site, product_of(factors)));
    }
    if (sums.empty()) continue;
    CExpression sum = sums.front();
    for (std::size_t i = 1; i < sums.size(); ++i) sum = CExpression::binary("+", sum, sums[i]);
    sum = simplified(sum);
    const auto names = names_in(sum);
    const bool varies =
        std::ranges::any_of(names, [&](const std::string& name) { return draft_.find_parameter(name); });
    const bool known = std::ranges::all_of(
        names, [&](const std::string& name) { return draft_.find_parameter(name) || draft_.find_size(name); });
    const auto text = manifest_text(sum);
    if (text && varies && known) add_constraint(*text + " <= 49152");
  }
}

// Drops the numbers of the host's code that no drafted launch or argument uses, and no code of the device.
void Drafter::drop_unused_parameters() {
  const auto launched = [&](const std::string& name) {
    const auto uses = [&](const std::string& text) { return contains_word(source_tokens(text), name); };
    for (const LaunchDraft& launch : draft_.launches)
      if (uses(launch.kernel) || uses(launch.shared) || std::ranges::any_of(launch.grid, uses) ||
          std::ranges::any_of(launch.block, uses))
        return true;
    return std::ranges::any_of(
        draft_.arguments, [&](const ArgumentDraft& argument) { return uses(argument.value) || uses(argument.shape); });
  };
  std::erase_if(draft_.parameters, [&](const ParameterDraft& parameter) {
    return !launched(parameter.name) && !used_on_device(parameter.name);
  });
}

Draft Drafter::run() {
  choose_sites();
  for (Site& site : sites_) {
    std::set<std::string> pointers;
    for (const FunctionParameter& parameter : site.kernel->parameters)
      if (parameter.pointers > 0) pointers.insert(parameter.name);
    for (const MemoryArray& array : facts_.constant_arrays) pointers.insert(array.name);
    for (const MemoryArray& array : site.kernel->shared)
      if (array.is_extern) pointers.insert(array.name);
    site.body = analyse_body(site.kernel->body, facts_.outline, pointers);
    if (site.host) site.scope = read_host_scope(facts_, *site.host);
    find_shifts(site);
  }
  classify_integers();
  add_undefined_names();
  for (Site& site : sites_) {
    take_templates(site);
    if (site.host) take_host_geometry(site);
    note_literal_blocks(site);
    take_scalars(site);
    if (!site.host) find_geometry(site);
    round_up_grid(site);
    add_arguments(site);
    add_launch(site);
    require_whole_blocks(site);
    note_inclusive_bounds(site);
  }
  require_output();
  leave_textures_blank();
  drop_unused_parameters();
  settle_sizes();
  settle_whole_blocks();
  widen_blocks();
  add_constraints();
  settle_defaults();
  require_parameters();
  return std::move(draft_);
}

}  // namespace warptune::tuner::draft
