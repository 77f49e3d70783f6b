// Chooses the default configuration of a T1 file. It is the reference of all others where the file gives no data, so it
// must be one that the conditions allow.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

// A Default that is a number beside Values of text, or a list of one (both exist), stands for the value it names.
std::optional<search::Value> given_default(const Node& parameter, const search::Parameter& known,
                                           std::vector<std::string>& notes) {
  const Node* given = parameter.find("Default");
  if (!given) return std::nullopt;
  const Node& node = given->is_array() && given->array().size() == 1 ? given->array().front() : *given;
  for (const search::Value& value : known.values)
    if (search::same_value(value, node.value()) || search::to_text(value) == search::to_text(node.value()))
      return value;
  notes.push_back(fmt::format("{}: no effect, {} is not among the Values of {}", given->path(),
                              search::to_text(node.value()), known.name));
  return std::nullopt;
}

// Searches depth first over the parameters, with each at its Default first. What is found first differs from the
// Defaults in the last parameters only. A condition is evaluated as soon as all its names have values.
class Descent {
 public:
  Descent(const KernelTemplate& kernel, search::NamedValues wanted) : kernel_(kernel), wanted_(std::move(wanted)) {
    for (const std::string& text : kernel.constraints) conditions_.push_back(search::Expression::parse(text));
    scope_ = kernel.sizes;
  }

  // Returns whether a configuration was found. `values()` then returns it.
  bool run(std::size_t level = 0) {
    if (level == kernel_.parameters.size()) return true;
    const search::Parameter& parameter = kernel_.parameters[level];
    std::vector<search::Value> order = parameter.values;
    const search::Value* wanted = search::find_value(wanted_, parameter.name);
    // This is not that of std::ranges, which Clang 14 does not compile with GCC's library.
    std::stable_partition(order.begin(), order.end(),
                          [&](const search::Value& value) { return search::same_value(value, *wanted); });
    scope_.emplace_back(parameter.name, order.front());
    for (const search::Value& value : order) {
      scope_.back().second = value;
      if (steps_++ > most_steps) break;
      if (allowed(parameter.name) && run(level + 1)) return true;
    }
    scope_.pop_back();
    return false;
  }

  search::NamedValues values() const {
    return {scope_.begin() + static_cast<std::ptrdiff_t>(kernel_.sizes.size()), scope_.end()};
  }

 private:
  // A space that hides its first configuration longer than this is left to the session's own check.
  static constexpr std::size_t most_steps = 200'000;

  // Returns whether all conditions hold that `latest` completes. Device limits are not known yet, and a division by
  // zero forbids.
  bool allowed(const std::string& latest) const {
    return std::ranges::all_of(conditions_, [&](const search::Expression& condition) {
      const auto& names = condition.names();
      const bool complete = std::ranges::all_of(
          names, [&](const std::string& name) { return search::find_value(scope_, name) != nullptr; });
      if (!complete || std::ranges::find(names, latest) == names.end()) return true;
      try {
        return search::truth(condition.evaluate(scope_));
      } catch (const search::ExpressionError&) {
        return false;
      }
    });
  }

  const KernelTemplate& kernel_;
  search::NamedValues wanted_;
  std::vector<search::Expression> conditions_;
  search::NamedValues scope_;
  std::size_t steps_ = 0;
};

}  // namespace

void choose_t1_default(const Node& document, KernelTemplate& kernel) {
  const auto& given = document.at("ConfigurationSpace").at("TuningParameters").array();
  bool all_given = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const search::Parameter& parameter = kernel.parameters[i];
    const auto value = given_default(given[i], parameter, kernel.notes);
    all_given &= value.has_value();
    kernel.default_values.emplace_back(parameter.name, value.value_or(parameter.values.front()));
    kernel.about.emplace_back();
  }
  Descent descent(kernel, kernel.default_values);
  if (!descent.run() || search::to_text(descent.values()) == search::to_text(kernel.default_values)) return;
  kernel.default_values = descent.values();
  if (all_given)
    kernel.notes.push_back(fmt::format("the Defaults are a configuration that the Conditions forbid; in their place {}",
                                       search::to_text(kernel.default_values)));
}

}  // namespace warptune::tuner
