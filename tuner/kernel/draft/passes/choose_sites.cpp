// Chooses the kernels and launches of a file that a manifest describes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "search/spelling.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::draft {

namespace {

std::vector<std::string> names_of(const std::vector<KernelFacts>& kernels) {
  std::vector<std::string> names;
  for (const KernelFacts& kernel : kernels) names.push_back(kernel.name);
  return names;
}

// A Flow holds the pointers that a launch hands over, by what the kernel does with them.
struct Flow {
  std::set<std::string> read, written;
};

Flow flow_of(const SourceFacts& facts, const HostLaunch& launch) {
  const KernelFacts& kernel = *facts.find_kernel(launch.kernel);
  Flow flow;
  std::set<std::string> pointers;
  for (const FunctionParameter& parameter : kernel.parameters)
    if (parameter.pointers > 0) pointers.insert(parameter.name);
  const BodyAnalysis body = analyse_body(kernel.body, facts.outline, pointers);
  const auto arguments = split_at_commas(launch.arguments);
  for (std::size_t i = 0; i < std::min(arguments.size(), kernel.parameters.size()); ++i) {
    const auto found = body.accesses.find(kernel.parameters[i].name);
    if (found == body.accesses.end()) continue;
    for (const Access& access : found->second) {
      if (access.read) flow.read.insert(text_of_tokens(arguments[i]));
      if (access.write) flow.written.insert(text_of_tokens(arguments[i]));
    }
  }
  return flow;
}

// Returns the threads along x, if the host's numbers say them.
std::optional<std::int64_t> threads_of(const SourceFacts& facts, const HostLaunch& launch) {
  const auto block = launch.configuration.size() > 1 ? parse_c(launch.configuration[1]) : std::nullopt;
  if (!block) return std::nullopt;
  const HostScope scope = read_host_scope(facts, launch);
  const auto known = scope.dimensions.find(block->text);
  const bool is_list = block->is(CExpression::Kind::call, "dim3") && !block->parts.empty();
  const CExpression& along_x = is_list                           ? block->parts.front()
                               : known == scope.dimensions.end() ? *block
                                                                 : known->second.front();
  int replacements = 0;
  const Replacement values = [&](const std::string& name) -> std::optional<CExpression> {
    if (++replacements > 1000) return std::nullopt;
    if (const NamedInteger* integer = facts.find_integer(name)) return CExpression::integer(integer->value);
    const auto value = scope.values.find(name);
    return value == scope.values.end() ? std::nullopt : std::optional(value->second);
  };
  const CExpression threads = simplified(replaced(along_x, values));
  return threads.is_integer() ? std::optional(threads.value) : std::nullopt;
}

// Returns whether a template argument is the launch's number of threads:
// if (threads == 16) k<16><<<n, threads>>>(x); else k<32><<<n, threads>>>(x);
bool has_its_threads_as_template(const SourceFacts& facts, const HostLaunch& launch) {
  const auto threads = threads_of(facts, launch);
  return threads && contains_word(launch.templates, std::to_string(*threads));
}

bool intersect(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

// Notes a launch behind a loop that launches the same: for (i = 0; …; ++i) { … k<<<…>>>(x, i); … } k<<<…>>>(x, i). The
// second has another i.
void note_launch_behind_loop(const SourceFacts& facts, const HostLaunch& within, const HostLaunch& behind,
                             std::vector<std::string>& guesses) {
  if (!within.in_loop || behind.in_loop || within.function != behind.function) return;
  const HostScope scope = read_host_scope(facts, behind);
  const bool differs = std::ranges::any_of(behind.arguments, [&](const SourceToken& token) {
    return token.kind == SourceToken::Kind::word && scope.changed.contains(token.text);
  });
  if (differs)
    guesses.push_back(
        fmt::format("line {} launches {} again, behind the loop of line {}, which is left out: another [[launches]] "
                    "adds it",
                    behind.line, behind.kernel, within.line));
}

// Chooses the launch of the kernel, and those that it exchanges data with. Other ways to compute the same are left out:
// they write what it writes, and neither reads what the other wrote.
std::vector<Site> choose_among_launches(const SourceFacts& facts, const std::string& name,
                                        std::vector<std::string>& guesses) {
  std::vector<const HostLaunch*> known;
  std::map<std::string, const HostLaunch*> seen;  // a warm-up and a timed launch are one
  for (const HostLaunch& launch : facts.launches) {
    if (!facts.find_kernel(launch.kernel)) continue;
    const auto [first, added] = seen.emplace(launch.kernel + text_of_tokens(launch.arguments), &launch);
    if (added)
      known.push_back(&launch);
    else
      note_launch_behind_loop(facts, *first->second, launch, guesses);
    const bool is_choice = !added && text_of_tokens(launch.templates) != text_of_tokens(first->second->templates);
    if (!is_choice || has_its_threads_as_template(facts, *first->second) || !has_its_threads_as_template(facts, launch))
      continue;
    std::ranges::replace(known, first->second, &launch);
    first->second = &launch;
  }
  const auto target = std::ranges::find(known, name, &HostLaunch::kernel);
  if (target == known.end()) return {};
  std::vector<bool> taken(known.size());
  taken[static_cast<std::size_t>(target - known.begin())] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (taken[i] || known[i]->function != (*target)->function) continue;
      const Flow own = flow_of(facts, *known[i]);
      for (std::size_t j = 0; j < known.size() && !taken[i]; ++j) {
        if (!taken[j]) continue;
        const Flow other = flow_of(facts, *known[j]);
        const Flow &first = i < j ? own : other, &second = i < j ? other : own;
        taken[i] = grows = intersect(first.written, second.read);
      }
      if (grows) break;
    }
  }
  std::vector<Site> sites;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (taken[i])
      sites.push_back({.kernel = facts.find_kernel(known[i]->kernel), .host = known[i]});
    else
      guesses.push_back(fmt::format("{} launches {} as well, which is left out: `--kernel {}` describes it",
                                    known[i]->where(), known[i]->kernel, known[i]->kernel));
  }
  return sites;
}

// Throws if several kernels have the name, because a manifest names a kernel by its name, and so does a launch.
void refuse_overloads(const SourceFacts& facts, const KernelFacts& kernel) {
  std::vector<int> lines;
  for (const KernelFacts& other : facts.kernels)
    if (other.name == kernel.name && other.scope == kernel.scope) lines.push_back(other.line);
  if (lines.size() < 2) return;
  throw RequestError(
      fmt::format("it has {} kernels called {}{}, in lines {}: `init` cannot tell which of them is meant. Give each a "
                  "name of its own, or leave one; `--kernel NAME` describes another",
                  lines.size(), kernel.scope, kernel.name, fmt::join(lines, ", ")));
}

}  // namespace

std::vector<Site> choose_sites(const SourceFacts& facts, const std::string& chosen, std::vector<std::string>& guesses) {
  if (facts.kernels.empty()) throw RequestError("it has no __global__ function; `init` describes kernels");
  const KernelFacts* kernel = chosen.empty() ? nullptr : facts.find_kernel(name_without_scope(chosen));
  if (!chosen.empty() && !kernel)
    throw RequestError(fmt::format("it has no kernel '{}'{}; it has {}", chosen,
                                   search::did_you_mean(chosen, names_of(facts.kernels)),
                                   fmt::join(names_of(facts.kernels), ", ")));
  if (!kernel) {
    const auto launched = std::ranges::find_if(facts.kernels, [&](const KernelFacts& candidate) {
      return std::ranges::find(facts.launches, candidate.name, &HostLaunch::kernel) != facts.launches.end();
    });
    kernel = launched != facts.kernels.end() ? &*launched : &facts.kernels.front();
  }
  refuse_overloads(facts, *kernel);
  std::vector<Site> sites = choose_among_launches(facts, kernel->name, guesses);
  if (sites.empty()) sites.push_back({.kernel = kernel});
  if (sites.front().host || facts.kernels.size() == 1) return sites;
  std::vector<std::string> others;
  for (const KernelFacts& other : facts.kernels)
    if (&other != kernel) others.push_back(other.scope + other.name);
  const std::string what = fmt::format(
      "the file has {} kernels and launches none of them: this manifest describes {} alone. If {} belongs "
      "to it, add a [[launches]] with its grid, block and arguments; `--kernel NAME` describes another",
      facts.kernels.size(), kernel->name, fmt::join(others, ", "));
  guesses.push_back(what);
  return sites;
}

}  // namespace warptune::tuner::draft
