// Decides which buffers a kernel reads and which it writes, and what a buffer begins with that the kernel does not
// write as a whole. Outputs with one element per block that the host adds up are compared by their sum: how many
// elements there are and what each holds depends on the configuration, but their sum does not.

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/expression.h"
#include "tuner/kernel/draft/passes/arguments.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

// Returns the value of the expression with every remaining name at `each`, or 0 if it cannot be evaluated.
std::int64_t value_with(const CExpression& expression, std::int64_t each) {
  const auto text = manifest_text(expression);
  if (!text) return 0;
  search::NamedValues values;
  for (const std::string& name : names_in(expression)) values.emplace_back(name, each);
  try {
    return search::to_integer(search::Expression::parse(*text).evaluate(values));
  } catch (const search::ExpressionError&) {
    return 0;
  }
}

// Returns whether the host adds something up behind the launch: total += ….
bool adds_up(const HostLaunch& launch) {
  const TokenSpan body = launch.function->body;
  for (std::size_t at = launch.place; at + 1 < body.size(); ++at)
    if (body[at].is("+") && body[at + 1].is("=")) return true;
  return false;
}

// Returns the grid of the configuration that launches the most blocks, in sizes.
std::optional<std::string> most_blocks(Work& work, const Site& site) {
  constexpr std::int64_t large_size = 1 << 20;
  CExpression blocks = *site.grid[0];
  for (const std::string& name : names_in(blocks)) {
    const ParameterDraft* parameter = work.draft.find_parameter(name);
    if (!parameter || parameter->values.empty()) continue;
    const auto with = [&](std::int64_t value) {
      return simplified(replaced(
          blocks,
          [&](const std::string& any) {
            return any == name ? std::optional(CExpression::integer(value)) : std::nullopt;
          },
          1));
    };
    const CExpression first = with(parameter->values.front()), last = with(parameter->values.back());
    blocks = value_with(first, large_size) >= value_with(last, large_size) ? first : last;
  }
  if (!in_sizes(work.draft, blocks) || !manifest_text(blocks)) return std::nullopt;
  return text_with_sizes(work, blocks);
}

// Returns whether a definition leaves out the first values: i = blockIdx.x * blockDim.x + threadIdx.x + 1.
bool begins_later(const CExpression& definition) {
  const auto later = [](const CExpression& term) { return term.is_integer() && term.value > 0; };
  return block_index_of(definition).covered && std::ranges::any_of(terms_of(definition), later);
}

// Returns whether the index is made of a variable of which the first values are left out.
bool skips_first(const CExpression& index, const BodyAnalysis& body, int depth = 8) {
  return depth > 0 && std::ranges::any_of(names_in(index), [&](const std::string& name) {
           const auto definition = body.definitions.find(name);
           return body.skips_first.contains(name) || body.shifts.contains(name) ||
                  (definition != body.definitions.end() &&
                   ((index.is(Kind::name, name) && begins_later(definition->second)) ||
                    skips_first(definition->second, body, depth - 1)));
         });
}

std::string tolerance_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
      return "{ absolute = 1e-2, relative = 1e-2 }";
    case ElementType::f32:
      return "{ absolute = 1e-4, relative = 1e-4 }";
    case ElementType::f64:
      return "{ absolute = 1e-10, relative = 1e-10 }";
    default:
      return "";
  }
}

}  // namespace

bool draft_partial_sums(Work& work, const Site& site, const FunctionParameter& parameter, const std::string& host_name,
                        ArgumentDraft& argument) {
  const bool is_row = site.grid[0] && (!site.grid[1] || *site.grid[1] == CExpression::integer(1));
  if (argument.role != "output" || !site.host || !is_row || !is_of_blocks(site, parameter.name)) return false;
  if (!site.scope.downloaded.contains(host_name) || !adds_up(*site.host)) return false;
  const auto blocks = most_blocks(work, site);
  if (!blocks) return false;
  argument.shape = *blocks;
  argument.role = "inout";
  argument.fill = "{ constant = 0 }";
  argument.compares_sum = true;
  argument.comments.emplace_back("one element per block, with room for the most blocks; the host adds them up");
  work.draft.guesses.push_back(fmt::format(
      "arguments.{}: it holds one element per block, which the host adds up; so their sum is compared", argument.name));
  return true;
}

void set_role(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument) {
  bool read = false, written = false, atomic = false, skips = false, partial = false;
  if (const auto accesses = site.body.accesses.find(parameter.name); accesses != site.body.accesses.end())
    for (const Access& access : accesses->second) {
      read |= access.read;
      written |= access.write && !parameter.is_const;
      atomic |= access.atomic;
      partial |= access.partial && !access.atomic;
      skips |= access.write && access.index && skips_first(*access.index, site.body);
    }
  if (!written) return;
  argument.tolerance = tolerance_of(element_type_from_string(argument.type).value_or(ElementType::f32));
  partial = partial && !read;  // a buffer that is read keeps its fill
  argument.role = read || skips || partial ? "inout" : "output";
  argument.nondeterministic = atomic && !argument.tolerance.empty();
  if (argument.role == "output") {
    argument.fill.clear();
  } else if (atomic || skips || partial) {
    argument.fill = "{ constant = 0 }";
    argument.comments.push_back(atomic ? "starts from zero before each run, for blocks add to it"
                                : skips
                                    ? "what the kernel leaves out at the border keeps its zeros"
                                    : "which elements the kernel writes depends on the data: others keep their zeros");
  }
}

}  // namespace warptune::tuner::draft
