// Matches the entries of a wisdom file as the store matches its sessions.
#include "tuner/program/cli/stores/wisdom_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/plain_text.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::tuner::cli {

namespace {

// Returns whether the values have all of those wanted. They are compared as text: `--variant PRECISION=1` does not know
// the variant's type.
bool has_all(const search::NamedValues& values, const search::NamedValues& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& one) {
    const search::Value* value = search::find_value(values, one.first);
    return value && search::to_text(*value) == search::to_text(one.second);
  });
}

// Returns whether the filter means this device. As in the store, the filter has a whole name, else a part of one, in
// upper or lower case.
bool is_device(const db::HistoryFilter& filter, const std::string& device) {
  const std::string name = search::lower_case(device), wanted = search::lower_case(filter.device);
  return filter.whole_device_name ? name == wanted : name.find(wanted) != std::string::npos;
}

db::HistoryFilter with_whole_name(db::HistoryFilter filter, const Wisdom& wisdom) {
  filter.whole_device_name = std::ranges::any_of(wisdom.entries, [&](const WisdomEntry& entry) {
    return search::lower_case(entry.device) == search::lower_case(filter.device);
  });
  return filter;
}

KnownProblems problems_of(const Wisdom& wisdom) {
  KnownProblems known{wisdom.kernel, {}};
  for (const WisdomEntry& entry : wisdom.entries) known.add(entry.sizes, entry.variants);
  return known;
}

bool matches(const db::HistoryFilter& filter, const WisdomEntry& entry) {
  const auto free_or = [](const std::string& wanted, bool matched) { return wanted.empty() || matched; };
  return free_or(filter.device, is_device(filter, entry.device) || entry.provenance.uuid == filter.device) &&
         free_or(filter.backend, entry.backend == filter.backend) &&
         free_or(filter.driver, entry.provenance.driver == filter.driver) &&
         has_all(entry.sizes, filter.problem_size) && has_all(entry.variants, filter.variants);
}

}  // namespace

Wisdom read_matching(const std::string& file, const db::HistoryFilter& asked) {
  Wisdom wisdom = read_wisdom(file);
  if (!asked.kernel.empty() && asked.kernel != wisdom.kernel)
    throw RequestError(fmt::format("{} is about {}, not {}", file, wisdom.kernel, asked.kernel));
  if (wisdom.entries.empty()) say(fmt::format("{} has no entries", file));
  const db::HistoryFilter filter = with_whole_name(asked, wisdom);
  const std::string unknown = unknown_in(filter, problems_of(wisdom));
  const auto left_out =
      std::erase_if(wisdom.entries, [&](const WisdomEntry& entry) { return !matches(filter, entry); });
  if (left_out == 0) return wisdom;
  wisdom.rule.reset();
  if (wisdom.entries.empty()) say(fmt::format("no entry of {} matches{}", file, unknown));
  return wisdom;
}

}  // namespace warptune::tuner::cli
