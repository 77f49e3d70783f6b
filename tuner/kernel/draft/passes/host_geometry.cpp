// Takes the grid and the block from the host's code.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tuner/kernel/draft/expressions/c_rounding.h"
#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool divides(const CExpression& expression) {
  return expression.is(Kind::binary, "/") || expression.is(Kind::binary, "%") ||
         (expression.kind == Kind::call && expression.parts.size() == 2 && is_division_upwards(expression.text));
}

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
  if (!divides(result)) return result;
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

// Returns whether the name divides something.
bool is_divisor(const CExpression& expression, const std::string& name) {
  if (divides(expression) && names_in(expression.parts[1]).contains(name)) return true;
  return std::ranges::any_of(expression.parts, [&](const CExpression& part) { return is_divisor(part, name); });
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

}  // namespace

CExpression Drafter::grid_of_blocks(const Site& site, const CExpression& grid, const ParameterDraft& block) {
  const CExpression open = with_block(opened(site, grid), block.fallback, block.name);
  return resolved(site, names_in(open).contains(block.name) ? open : grid);
}

// Returns the only block size that no kernel uses, as #define BLOCK_SIZE 256 for a launch in another file. Returns null
// if there is none, or more than one.
const NamedInteger* Drafter::block_without_launch() const {
  const NamedInteger* found = nullptr;
  for (const NamedInteger& integer : facts_.integers) {
    if (use_of(integer.name, integer.value) != Use::block || used_on_device(integer.name) || !integer.can_be_chosen())
      continue;
    if (found) return nullptr;
    found = &integer;
  }
  return found;
}

CExpression Drafter::new_block_parameter(const Site& site, int axis, std::int64_t value) {
  const bool flat = !site.body.uses("threadIdx.y") && !site.body.uses("threadIdx.z");
  if (const NamedInteger* meant = flat && !site.host ? block_without_launch() : nullptr)
    return CExpression::name(
        add_parameter(meant->name, Use::block, meant->value, fmt::format("{} in {}", meant->value, meant->place()))
            .name);
  std::string name = flat ? "BLOCK_SIZE" : std::string("BLOCK_") + static_cast<char>(axes[axis] - 'x' + 'X');
  if (facts_.outline.find_macro(name) || contains_word(facts_.outline.code, name)) name = "LAUNCH_" + name;
  const std::int64_t usual = flat ? 256 : 16;
  ParameterDraft& added = add_parameter(name, Use::block, value > 0 ? value : usual,
                                        "the kernel takes blocks of any size: it asks blockDim");
  added.about = flat ? "threads per block" : fmt::format("threads per block along {}", axes[axis]);
  if (site.kernel->bounds)
    if (const CExpression most = resolved_in_kernel(site, *site.kernel->bounds); flat && most.is_integer())
      std::erase_if(added.values, [&](std::int64_t any) { return any > most.value && any != added.fallback; });
  return CExpression::name(name);
}

// Returns whether a launch has the name as its block. The length of a row may be the block, too: <<<rows, W>>>. So
// either the grid has to have the name as a divisor, or the kernel's index has to have another bound.
bool Drafter::is_block_of_launch(const std::string& name) const {
  const Replacement stays = [&](const std::string& other) {
    return facts_.find_integer(other) ? Result(CExpression::name(other)) : std::nullopt;
  };
  return std::ranges::any_of(sites_, [&](const Site& site) {
    if (!site.host || site.host->configuration.size() < 2 || !contains_word(site.host->function->body, name))
      return false;
    const auto any_of = [&](std::size_t which, const auto& suits) {
      return std::ranges::any_of(dimensions(site, site.host->configuration[which]), [&](const CExpression& dimension) {
        return suits(opened_in_host(site, dimension, stays));
      });
    };
    return any_of(1, [&](const CExpression& block) { return block.is(Kind::name, name); }) &&
           (covered_by_blocks(name) == Use::block ||
            any_of(0, [&](const CExpression& grid) { return is_divisor(grid, name); }));
  });
}

// Returns a blank for a dimension with a value that the host computes in a way that a manifest cannot express, and that
// it passes to no kernel. Such a value as a size would be an invention.
CExpression Drafter::without_unknown(const Site& site, const CExpression& dimension, bool is_block) {
  std::set<std::string> passed;
  for (const TokenSpan argument : split_arguments(site.host->arguments))
    if (const Result value = parse_c(argument)) {
      passed.merge(names_in(*value));
      passed.merge(names_in(resolved(site, *value)));
    }
  if (dimension.kind != Kind::name)
    for (const auto& [buffer, bytes] : site.scope.allocated_bytes) passed.merge(names_in(resolved(site, bytes)));
  const bool unknown = std::ranges::any_of(names_in(dimension), [&](const std::string& name) {
    if (passed.contains(name) || draft_.find_parameter(name) || facts_.find_integer(name)) return false;
    if (is_block && contains_word(site.host->function->parameters, name)) return !known_values_.contains(name);
    return site.scope.changed.contains(name) || (site.scope.values.contains(name) && !known_values_.contains(name));
  });
  return unknown ? CExpression::name(blank) : dimension;
}

// Returns whether the device decides about the block: cudaOccupancyMaxPotentialBlockSize(…, &threads, …), or
// min(properties.maxThreadsPerBlock, 256).
bool Drafter::is_block_of_device(const Site& site, const std::string& name) {
  if (site.scope.blocks_of_device.contains(name)) return true;
  const auto value = site.scope.values.find(name);
  return value != site.scope.values.end() && std::ranges::any_of(names_in(value->second), [](const std::string& part) {
           return part.ends_with("maxThreadsPerBlock") || part.find("maxThreadsDim") != std::string::npos;
         });
}

// Returns whether any block will do, as in void run(float* x, int n, int threads): the caller or the device says how
// many threads there are, and the kernel asks blockDim.
bool Drafter::is_open_block(const Site& site, const CExpression& block, int axis) const {
  const auto arguments = split_at_commas(site.host->arguments);
  const bool is_passed =
      std::ranges::any_of(arguments, [&](const TokenSpan argument) { return contains_word(argument, block.text); });
  const bool is_open =
      contains_word(site.host->function->parameters, block.text) || is_block_of_device(site, block.text);
  return block.kind == Kind::name && is_open && !is_passed && !draft_.find_parameter(block.text) &&
         !known_values_.contains(block.text) && site.body.uses(std::string("blockDim.") + axes[axis]);
}

void Drafter::take_host_block(Site& site, const std::vector<CExpression>& given) {
  for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), 3); ++i) {
    const CExpression known = resolved(site, as_dimension(given[i]));
    const bool leaf = known.kind == Kind::name && known_values_.contains(known.text) &&
                      !draft_.find_parameter(known.text) && !draft_.find_size(known.text);
    const bool is_open = is_open_block(site, known, static_cast<int>(i));
    if (!known.is_integer() && !leaf && !is_open) {
      site.block[i] = without_unknown(site, known, true);
      continue;
    }
    const std::int64_t value = leaf ? known_values_.at(known.text) : known.value;  // 0 if the source does not say it
    const auto same = std::ranges::find_if(draft_.parameters, [&](const ParameterDraft& parameter) {
      return parameter.fallback == value && use_of(parameter.name, value) == Use::block &&
             parameter.comment.starts_with("the template");
    });
    const ParameterDraft* own = parameter_of_literal(site, static_cast<int>(i), value);
    // A constant that stands for the number in the kernel stays, and so do the threads.
    const bool is_fixed = std::ranges::any_of(fixed_, [&](const std::string& name) {
      return facts_.find_integer(name)->value == value && !facts_.find_integer(name)->can_be_chosen() &&
             contains_word(site.kernel->all, name);
    });
    const bool any_size = value > 1 && site.body.uses(std::string("blockDim.") + axes[i]) &&
                          !site.body.numbers.contains(value) && !is_fixed;
    if (own)
      site.block[i] = CExpression::name(own->name);
    else if (same != draft_.parameters.end())
      site.block[i] = CExpression::name(same->name);
    else if (any_size || is_open)
      site.block[i] = new_block_parameter(site, static_cast<int>(i), value);
    else
      site.block[i] = CExpression::integer(value);
    if (!own && !any_size && !is_fixed && same == draft_.parameters.end() && value > 1)
      draft_.guesses.push_back(
          fmt::format("{} needs its {} threads along {}: write a macro for the number, and it can be tuned",
                      site.kernel->name, value, axes[i]));
    if (given[i].kind == Kind::name && site.block[i]->kind == Kind::name)
      block_variables_.emplace(given[i].text, site.block[i]->text);
  }
}

// Notes a number that a template argument and the launch share, as in reduce<float, 4><<<n / (256 * 4), 256>>>. `init`
// cannot know whether one 4 is the other.
void Drafter::note_template_literals(const Site& site) {
  const auto nothing = [](const std::string&) { return Result(); };
  // A number that became a parameter does not count.
  const auto stays = [&](std::size_t which, std::int64_t number) {
    return std::ranges::any_of(which == 0 ? site.grid : site.block,
                               [&](const Result& dimension) { return dimension && has_number(*dimension, number); });
  };
  for (const auto& [parameter, number] : site.template_literals)
    for (std::size_t which = 0; which < std::min<std::size_t>(site.host->configuration.size(), 2); ++which)
      for (const CExpression& dimension : dimensions(site, site.host->configuration[which]))
        if (stays(which, number) && has_number(opened_in_host(site, dimension, nothing), number))
          return draft_.guesses.push_back(
              fmt::format("launches: the {} of {} has the number {} in line {}, which may be {}: write the name there "
                          "if it is",
                          which == 0 ? "grid" : "block", site.kernel->name, number, site.host->line, parameter));
}

// Notes a fixed grid such as k<<<79, 128>>> where the 128 became a parameter. With fewer threads, it may leave out
// elements.
void Drafter::note_fixed_grid(const Site& site, std::size_t axis) {
  const Result &grid = site.grid[axis], &block = site.block[axis];
  const bool is_fixed = grid && grid->is_integer() && grid->value > 1;
  if (!is_fixed || !block || block->kind != Kind::name || !draft_.find_parameter(block->text)) return;
  if (!site.body.uses(std::string("blockDim.") + axes[axis]) || site.body.uses(std::string("gridDim.") + axes[axis]))
    return;
  draft_.guesses.push_back(
      fmt::format("launches: the grid of {} stays {} along {} for every {}, as line {} says it. If it is made of the "
                  "block, write how",
                  site.kernel->name, grid->value, axes[axis], block->text, site.host->line));
}

void Drafter::take_host_geometry(Site& site) {
  const auto& configuration = site.host->configuration;
  if (configuration.size() > 1) take_host_block(site, dimensions(site, configuration[1]));
  const auto grid = configuration.empty() ? std::vector<CExpression>() : dimensions(site, configuration[0]);
  for (std::size_t i = 0; i < std::min<std::size_t>(grid.size(), 3); ++i) {
    CExpression known = resolved(site, as_dimension(grid[i]));
    const bool leaf = known.kind == Kind::name && known_values_.contains(known.text) && !draft_.find_size(known.text);
    if ((known.is_integer() && known.value > 1) || (leaf && grid[i].kind == Kind::name)) {
      // A grid-stride loop takes any number of blocks.
      const std::int64_t value = leaf ? known_values_.at(known.text) : known.value;
      const bool passed = std::ranges::any_of(split_at_commas(site.host->arguments), [&](TokenSpan argument) {
        return leaf && contains_word(argument, known.text);
      });
      if (site.body.uses(std::string("gridDim.") + axes[i]) && !passed) {
        ParameterDraft& added = add_parameter("GRID_SIZE", Use::unknown, value, "the kernel asks gridDim");
        added.about = "blocks";
        if (leaf) block_variables_.emplace(known.text, "GRID_SIZE");
        known = CExpression::name("GRID_SIZE");
      }
    }
    if (site.block[i] && site.block[i]->kind == Kind::name)
      if (const ParameterDraft* parameter = draft_.find_parameter(site.block[i]->text))
        known = known.is(Kind::name, "GRID_SIZE") ? known : grid_of_blocks(site, as_dimension(grid[i]), *parameter);
    known = without_unknown(site, known);
    site.grid[i] = known;
    find_rounded(known, site.axis[i]);
    note_fixed_grid(site, i);
  }
  note_template_literals(site);
  if (configuration.size() > 2) take_host_shared(site, parse_c(configuration[2]));
}

}  // namespace warptune::tuner::draft
