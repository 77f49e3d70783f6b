// Narrows domains by building the diagram of one constraint at a time.
#include <algorithm>
#include <limits>

#include "search/space/constraint_problem.h"
#include "search/space/diagram.h"

namespace warptune::search {

namespace {

// The search itself is as fast for domains smaller than this. For larger ones, the combinations of the others must stay
// few.
constexpr std::size_t large_domain = 48;
constexpr double few_combinations = 4096;
// The parameters of a constraint may have at most this many combinations together. A second is enough for so many.
constexpr double most_combinations = 1 << 26;

bool is_worthwhile(const ConstraintProblem& problem, const std::vector<std::uint32_t>& by_size) {
  double combinations = 1;
  for (std::uint32_t parameter : by_size) combinations *= static_cast<double>(problem.domains()[parameter].size());
  const std::size_t largest = problem.domains()[by_size.back()].size();
  return largest >= large_domain && combinations <= most_combinations &&
         combinations / static_cast<double>(largest) <= few_combinations;
}

}  // namespace

void narrow_large_domains(ConstraintProblem& problem) {
  bool changed = false;
  for (const Root& root : problem.roots()) {
    std::vector<std::uint32_t> order = root.parameters;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t p) { return problem.domains()[p].size(); });
    if (!is_worthwhile(problem, order)) continue;
    const SearchPlan plan = make_plan(problem, {order, {root}}, order);
    const auto diagram = build_diagram(problem, plan, std::numeric_limits<std::uint32_t>::max());
    if (!diagram) continue;  // next to nothing is valid, and finding it takes too long
    std::vector<std::vector<std::uint32_t>> used = diagram->used();
    used.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      changed |= used[i].size() < problem.domains()[order[i]].size();
      problem.narrow(order[i], std::move(used[i]));
    }
    if (problem.impossible()) return;
  }
  if (changed) problem.fold();
}

}  // namespace warptune::search
