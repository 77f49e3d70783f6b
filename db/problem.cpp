// Splits the values of a problem into sizes and variants by their names, and then by their types.
#include "db/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warptune::db {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson names_in(const search::NamedValues& values) {
  OrderedJson names = OrderedJson::array();
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// Moves the sizes that are no integers to the variants. Sizes are integers, of which the nearest may serve. What else
// was recorded as one, as imports of other tools' files once did, is a choice.
void move_choices(SessionKey& key) {
  const auto choices = std::stable_partition(key.problem_size.begin(), key.problem_size.end(), [](const auto& size) {
    return std::holds_alternative<std::int64_t>(size.second);
  });
  key.variants.insert(key.variants.end(), choices, key.problem_size.end());
  key.problem_size.erase(choices, key.problem_size.end());
}

// Moves the values that `names` lists out of `from`, in the order of `names`.
search::NamedValues take(search::NamedValues& from, const OrderedJson& names) {
  search::NamedValues taken;
  for (const OrderedJson& name : names) {
    const auto found =
        std::ranges::find(from, name.get_ref<const std::string&>(), &search::NamedValues::value_type::first);
    if (found == from.end()) continue;
    taken.push_back(std::move(*found));
    from.erase(found);
  }
  return taken;
}

}  // namespace

std::string problem_names(const SessionKey& key) {
  return OrderedJson{{"sizes", names_in(key.problem_size)}, {"variants", names_in(key.variants)}}.dump();
}

void name_problem(const search::NamedValues& problem, const std::string& names, SessionKey& key) {
  search::NamedValues rest = problem;
  if (!names.empty()) {
    const OrderedJson json = OrderedJson::parse(names);
    key.problem_size = take(rest, json.at("sizes"));
    key.variants = take(rest, json.at("variants"));
  }
  key.problem_size.insert(key.problem_size.end(), rest.begin(), rest.end());
  move_choices(key);
}

}  // namespace warptune::db
