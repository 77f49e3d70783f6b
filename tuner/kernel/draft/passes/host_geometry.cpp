// Takes the grid and the block from the host's code.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/c_rounding.h"
#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns n / 128 for n >> 7, and any other expression as it is.
CExpression with_division(CExpression expression) {
  if (!expression.is(Kind::binary, ">>")) return expression;
  const CExpression bits = simplified(expression.parts[1]);
  if (!bits.is_integer() || bits.value < 0 || bits.value > 20) return expression;
  return CExpression::binary("/", expression.parts[0], CExpression::integer(std::int64_t{1} << bits.value));
}

// Replaces divisors that are the block's size as a number by the parameter: (n + 255) / 256. This has to precede the
// folding of numbers, which would leave nothing of (512 + 32 - 1) / 32.
CExpression with_block(const CExpression& expression, std::int64_t value, const std::string& parameter) {
  CExpression result = with_division(expression);
  for (CExpression& part : result.parts) part = with_block(part, value, parameter);
  if (!is_division(result)) return result;
  const CExpression divisor = simplified(result.parts[1]), whole = as_integer(divisor);
  if (!whole.is_integer() || whole.value < 1 || value < 2 || whole.value % value != 0) return result;
  const std::int64_t times = whole.value / value;
  const CExpression name = CExpression::name(parameter);
  const CExpression threads = times == 1 ? name : CExpression::binary("*", name, CExpression::integer(times));
  if (result.is(Kind::binary, "/") && !is_real(result))
    if (const Result rest = without_rounding(result.parts[0], whole.value))
      return CExpression{Kind::call, "ceildiv", 0, {*rest, threads}};
  result.parts[1] = is_real(divisor) ? CExpression{Kind::unary, "float", 0, {threads}} : threads;
  return result;
}

bool has_number(const CExpression& expression, std::int64_t number) {
  if (expression.is_integer() && expression.value == number) return true;
  return std::ranges::any_of(expression.parts, [&](const CExpression& part) { return has_number(part, number); });
}

// A dimension of a launch is a whole number, whatever the host computes it with.
CExpression as_dimension(const CExpression& expression) {
  return CExpression{Kind::unary, "int", 0, {expression}};
}

// Sets `whole` to the dividend of the first division that rounds up.
void find_rounded(const CExpression& expression, Result& whole) {
  if (expression.is(Kind::call, "ceildiv") && !whole) whole = expression.parts[0];
  for (const CExpression& part : expression.parts) find_rounded(part, whole);
}

CExpression grid_of_blocks(Work& work, const Site& site, const CExpression& grid, const ParameterDraft& block) {
  const CExpression open = with_block(resolved_unfolded(work, site, grid), block.fallback, block.name);
  return resolved_in_host(work, site, names_in(open).contains(block.name) ? open : grid);
}

// Returns a blank for a dimension with a value that the host computes in a way that a manifest cannot express, and that
// it passes to no kernel. Such a value as a size would be an invention.
CExpression without_unknown(Work& work, const Site& site, const CExpression& dimension, bool is_block = false) {
  std::set<std::string> passed;
  for (const TokenSpan argument : split_arguments(site.host->arguments))
    if (const Result value = parse_c(argument)) {
      passed.merge(names_in(*value));
      passed.merge(names_in(resolved_in_host(work, site, *value)));
    }
  if (dimension.kind != Kind::name)
    for (const auto& [buffer, bytes] : site.scope.allocated_bytes)
      passed.merge(names_in(resolved_in_host(work, site, bytes)));
  const bool unknown = std::ranges::any_of(names_in(dimension), [&](const std::string& name) {
    if (passed.contains(name) || work.draft.find_parameter(name) || work.facts.find_integer(name)) return false;
    if (is_block && contains_word(site.host->function->parameters, name))
      return !work.meanings.known_values.contains(name);
    return site.scope.changed.contains(name) ||
           (site.scope.values.contains(name) && !work.meanings.known_values.contains(name));
  });
  return unknown ? CExpression::name(blank) : dimension;
}

// Returns whether the device decides about the block: cudaOccupancyMaxPotentialBlockSize(…, &threads, …), or
// min(properties.maxThreadsPerBlock, 256).
bool is_block_of_device(const Site& site, const std::string& name) {
  if (site.scope.blocks_of_device.contains(name)) return true;
  const auto value = site.scope.values.find(name);
  return value != site.scope.values.end() && std::ranges::any_of(names_in(value->second), [](const std::string& part) {
           return part.ends_with("maxThreadsPerBlock") || part.find("maxThreadsDim") != std::string::npos;
         });
}

// Returns whether any block will do, as in void run(float* x, int n, int threads): the caller or the device says how
// many threads there are, and the kernel asks blockDim.
bool is_open_block(const Draft& draft, const Meanings& meanings, const Site& site, const CExpression& block, int axis) {
  const auto arguments = split_at_commas(site.host->arguments);
  const bool is_passed =
      std::ranges::any_of(arguments, [&](const TokenSpan argument) { return contains_word(argument, block.text); });
  const bool is_open =
      contains_word(site.host->function->parameters, block.text) || is_block_of_device(site, block.text);
  return block.kind == Kind::name && is_open && !is_passed && !draft.find_parameter(block.text) &&
         !meanings.known_values.contains(block.text) && site.body.uses(std::string("blockDim.") + axes[axis]);
}

void read_host_block(Work& work, Site& site, const std::vector<CExpression>& given) {
  for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), 3); ++i) {
    const CExpression known = resolved_in_host(work, site, as_dimension(given[i]));
    const bool leaf = known.kind == Kind::name && work.meanings.known_values.contains(known.text) &&
                      !work.draft.find_parameter(known.text) && !work.draft.find_size(known.text);
    const bool is_open = is_open_block(work.draft, work.meanings, site, known, static_cast<int>(i));
    if (!known.is_integer() && !leaf && !is_open) {
      site.block[i] = without_unknown(work, site, known, true);
      continue;
    }
    const std::int64_t value =
        leaf ? work.meanings.known_values.at(known.text) : known.value;  // 0 if the source does not say it
    const auto same = std::ranges::find_if(work.draft.parameters, [&](const ParameterDraft& parameter) {
      return parameter.fallback == value && use_of(parameter.name, value) == Use::block &&
             parameter.comment.starts_with("the template");
    });
    const ParameterDraft* own = parameter_of_literal(work, site, static_cast<int>(i), value);
    // A constant that stands for the number in the kernel stays, and so do the threads.
    const bool is_fixed = std::ranges::any_of(work.meanings.fixed, [&](const std::string& name) {
      return work.facts.find_integer(name)->value == value && !work.facts.find_integer(name)->can_be_chosen() &&
             contains_word(site.kernel->all, name);
    });
    const bool any_size = value > 1 && site.body.uses(std::string("blockDim.") + axes[i]) &&
                          !site.body.numbers.contains(value) && !is_fixed;
    if (own)
      site.block[i] = CExpression::name(own->name);
    else if (same != work.draft.parameters.end())
      site.block[i] = CExpression::name(same->name);
    else if (any_size || is_open)
      site.block[i] = new_block_parameter(work, site, static_cast<int>(i), value);
    else
      site.block[i] = CExpression::integer(value);
    if (!own && !any_size && !is_fixed && same == work.draft.parameters.end() && value > 1)
      work.draft.guesses.push_back(
          fmt::format("{} needs its {} threads along {}: write a macro for the number, and it can be tuned",
                      site.kernel->name, value, axes[i]));
    if (given[i].kind == Kind::name && site.block[i]->kind == Kind::name)
      work.meanings.block_variables.emplace(given[i].text, site.block[i]->text);
  }
}

// Notes a number that a template argument and the launch share, as in reduce<float, 4><<<n / (256 * 4), 256>>>. `init`
// cannot know whether one 4 is the other.
void note_template_literals(Draft& draft, const Meanings& meanings, const Site& site) {
  const auto nothing = [](const std::string&) { return Result(); };
  // A number that became a parameter does not count.
  const auto stays = [&](std::size_t which, std::int64_t number) {
    return std::ranges::any_of(which == 0 ? site.grid : site.block,
                               [&](const Result& dimension) { return dimension && has_number(*dimension, number); });
  };
  for (const auto& [parameter, number] : site.template_literals)
    for (std::size_t which = 0; which < std::min<std::size_t>(site.host->configuration.size(), 2); ++which)
      for (const CExpression& dimension : dimensions(site, site.host->configuration[which]))
        if (stays(which, number) && has_number(with_host_values(meanings, site, dimension, nothing), number))
          return draft.guesses.push_back(
              fmt::format("launches: the {} of {} has the number {} in line {}, which may be {}: write the name there "
                          "if it is",
                          which == 0 ? "grid" : "block", site.kernel->name, number, site.host->line, parameter));
}

// Notes a fixed grid such as k<<<79, 128>>> where the 128 became a parameter. With fewer threads, it may leave out
// elements.
void note_fixed_grid(Draft& draft, const Site& site, std::size_t axis) {
  const Result &grid = site.grid[axis], &block = site.block[axis];
  const bool is_fixed = grid && grid->is_integer() && grid->value > 1;
  if (!is_fixed || !block || block->kind != Kind::name || !draft.find_parameter(block->text)) return;
  if (!site.body.uses(std::string("blockDim.") + axes[axis]) || site.body.uses(std::string("gridDim.") + axes[axis]))
    return;
  draft.guesses.push_back(
      fmt::format("launches: the grid of {} stays {} along {} for every {}, as line {} says it. If it is made of the "
                  "block, write how",
                  site.kernel->name, grid->value, axes[axis], block->text, site.host->line));
}

}  // namespace

void read_host_geometry(Work& work, Site& site) {
  const auto& configuration = site.host->configuration;
  if (configuration.size() > 1) read_host_block(work, site, dimensions(site, configuration[1]));
  const auto grid = configuration.empty() ? std::vector<CExpression>() : dimensions(site, configuration[0]);
  for (std::size_t i = 0; i < std::min<std::size_t>(grid.size(), 3); ++i) {
    CExpression known = resolved_in_host(work, site, as_dimension(grid[i]));
    const bool leaf = known.kind == Kind::name && work.meanings.known_values.contains(known.text) &&
                      !work.draft.find_size(known.text);
    if ((known.is_integer() && known.value > 1) || (leaf && grid[i].kind == Kind::name)) {
      // A grid-stride loop takes any number of blocks.
      const std::int64_t value = leaf ? work.meanings.known_values.at(known.text) : known.value;
      const bool passed = std::ranges::any_of(split_at_commas(site.host->arguments), [&](TokenSpan argument) {
        return leaf && contains_word(argument, known.text);
      });
      if (site.body.uses(std::string("gridDim.") + axes[i]) && !passed) {
        ParameterDraft& added = add_parameter(work.draft, "GRID_SIZE", Use::unknown, value, "the kernel asks gridDim");
        added.about = "blocks";
        if (leaf) work.meanings.block_variables.emplace(known.text, "GRID_SIZE");
        known = CExpression::name("GRID_SIZE");
      }
    }
    if (site.block[i] && site.block[i]->kind == Kind::name)
      if (const ParameterDraft* parameter = work.draft.find_parameter(site.block[i]->text))
        known =
            known.is(Kind::name, "GRID_SIZE") ? known : grid_of_blocks(work, site, as_dimension(grid[i]), *parameter);
    known = without_unknown(work, site, known);
    site.grid[i] = known;
    find_rounded(known, site.axis[i]);
    note_fixed_grid(work.draft, site, i);
  }
  note_template_literals(work.draft, work.meanings, site);
  if (configuration.size() > 2) read_host_shared(work, site, parse_c(configuration[2]));
}

}  // namespace warptune::tuner::draft
