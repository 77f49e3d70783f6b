// Compares the names and values of a filter with those that are known.
#include "tuner/program/cli/stores/known_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "search/spelling.h"
#include "tuner/program/cli/stores/filter.h"

namespace warptune::tuner::cli {

namespace {

std::vector<std::string> listed(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

// Returns " (did you mean M?)", else "; it has M, N".
std::string instead(const std::string& mistyped, const std::set<std::string>& known) {
  if (const std::string nearest = search::did_you_mean(mistyped, listed(known)); !nearest.empty()) return nearest;
  return known.empty() ? "" : fmt::format("; it has {}", fmt::join(known, ", "));
}

std::set<std::string> names_of(const std::map<std::string, std::set<std::string>>& variants) {
  std::set<std::string> names;
  for (const auto& [name, values] : variants) names.insert(name);
  return names;
}

std::string subject(const KnownProblems& known) {
  return known.kernel.empty() ? "no kernel has a" : known.kernel + " has no";
}

// A variant whose values are integers may be chosen as a size.
std::string unknown_size(const std::string& name, const KnownProblems& known) {
  if (known.sizes.contains(name) || known.variants.contains(name)) return {};
  return fmt::format(": {} size {}{}", subject(known), name, instead(name, known.sizes));
}

std::string unknown_variant(const std::string& name, const std::string& value, const KnownProblems& known) {
  const auto found = known.variants.find(name);
  if (found == known.variants.end() && known.sizes.contains(name)) return {};
  if (found == known.variants.end())
    return fmt::format(": {} variant {}{}", subject(known), name, instead(name, names_of(known.variants)));
  if (found->second.contains(value)) return {};
  return fmt::format(": {} {}={}{}", subject(known), name, value, instead(value, found->second));
}

}  // namespace

void KnownProblems::add(const search::NamedValues& of_sizes, const search::NamedValues& of_variants) {
  for (const auto& [name, value] : of_sizes) sizes.insert(name);
  for (const auto& [name, value] : of_variants) variants[name].insert(search::to_text(value));
}

std::string unknown_in(const db::HistoryFilter& filter, const KnownProblems& known) {
  for (const auto& [name, value] : filter.problem_size)
    if (std::string unknown = unknown_size(name, known); !unknown.empty()) return unknown;
  for (const auto& [name, value] : filter.variants)
    if (std::string unknown = unknown_variant(name, search::to_text(value), known); !unknown.empty()) return unknown;
  return {};
}

std::string unknown_in(const db::HistoryFilter& filter, const db::StoreSet& stores) {
  if (std::string kernel = did_you_mean_kernel(filter.kernel, stores); !kernel.empty()) return kernel;
  if (filter.problem_size.empty() && filter.variants.empty()) return {};
  KnownProblems known{filter.kernel};
  db::HistoryFilter of_kernel;
  of_kernel.kernel = filter.kernel;
  const auto sessions = stores.history(of_kernel);
  for (const auto& [session, store] : sessions) known.add(session.key.problem_size, session.key.variants);
  return sessions.empty() ? "" : unknown_in(filter, known);
}

}  // namespace warptune::tuner::cli
