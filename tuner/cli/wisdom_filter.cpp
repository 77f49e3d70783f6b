#include "tuner/cli/wisdom_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/output.h"
#include "tuner/kernel/problem.h"
#include "tuner/wisdom/wisdom_file.h"

namespace warptune::tuner::cli {

namespace {

// All of those wanted, as text: `--variant PRECISION=1` does not know the variant's type.
bool has_all(const search::NamedValues& values, const search::NamedValues& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& one) {
    const search::Value* value = search::find_value(values, one.first);
    return value && search::to_text(*value) == search::to_text(one.second);
  });
}

bool matches(const db::HistoryFilter& filter, const WisdomEntry& entry) {
  const auto free_or = [](const std::string& wanted, bool matched) { return wanted.empty() || matched; };
  return free_or(filter.device,
                 entry.device.find(filter.device) != std::string::npos || entry.provenance.uuid == filter.device) &&
         free_or(filter.backend, entry.backend == filter.backend) &&
         free_or(filter.driver, entry.provenance.driver == filter.driver) &&
         has_all(entry.sizes, filter.problem_size) && has_all(entry.variants, filter.variants);
}

}  // namespace

Wisdom read_matching(const std::string& file, const db::HistoryFilter& filter) {
  Wisdom wisdom = read_wisdom(file);
  if (!filter.kernel.empty() && filter.kernel != wisdom.kernel)
    throw RequestError(fmt::format("{} is about {}, not {}", file, wisdom.kernel, filter.kernel));
  if (wisdom.entries.empty()) say(fmt::format("{} has no entries", file));
  const auto left_out =
      std::erase_if(wisdom.entries, [&](const WisdomEntry& entry) { return !matches(filter, entry); });
  if (left_out == 0) return wisdom;
  wisdom.rule.reset();
  if (wisdom.entries.empty()) say(fmt::format("no entry of {} matches", file));
  return wisdom;
}

}  // namespace warptune::tuner::cli
