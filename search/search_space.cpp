#include "search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "search/row_table.h"

namespace warptune {

std::string to_text(Count count) {
  std::string text;
  do text += static_cast<char>('0' + static_cast<int>(count % 10));
  while ((count /= 10) != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

struct SearchSpace::Impl {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;
  std::vector<Expression> expressions;
  std::vector<std::vector<std::uint32_t>> domains;
  RowTable rows{0};

  bool holds(std::size_t c, const Configuration& configuration) const;
  std::size_t last_parameter(std::size_t c) const;
  void search(Configuration& partial, std::size_t level, const std::vector<std::vector<std::size_t>>& due);
  void find_domains();
  const Value* look_up(std::string_view name, const Configuration& configuration) const;
};

namespace {

std::optional<std::size_t> position(const std::vector<Parameter>& parameters, std::string_view name) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) return i;
  return std::nullopt;
}

void check_parameters(const std::vector<Parameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.values.empty())
      throw std::invalid_argument(fmt::format("parameter '{}' has no values", parameter.name));
    if (*position(parameters, parameter.name) != i)
      throw std::invalid_argument(fmt::format("parameter '{}' is declared twice", parameter.name));
    for (std::size_t a = 0; a < parameter.values.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (same_value(parameter.values[a], parameter.values[b]))
          throw std::invalid_argument(
              fmt::format("parameter '{}' lists the value {} twice", parameter.name, to_text(parameter.values[a])));
  }
}

}  // namespace

const Value* SearchSpace::Impl::look_up(std::string_view name, const Configuration& configuration) const {
  if (const auto p = position(parameters, name)) return &parameters[*p].values[configuration.choices[*p]];
  return find_value(constants, name);
}

bool SearchSpace::Impl::holds(std::size_t c, const Configuration& configuration) const {
  const auto lookup = [&](std::string_view name) { return look_up(name, configuration); };
  if (constraints[c].predicate) {
    std::vector<Value> arguments;
    for (const std::string& name : constraints[c].names) arguments.push_back(*lookup(name));
    return constraints[c].predicate(arguments);
  }
  try {
    return truth(expressions[c].evaluate(lookup));
  } catch (const ExpressionError&) {
    return false;
  }
}

std::size_t SearchSpace::Impl::last_parameter(std::size_t c) const {
  const std::vector<std::string>& names = constraints[c].predicate ? constraints[c].names : expressions[c].names();
  std::size_t last = 0;
  for (const std::string& name : names) {
    const auto p = position(parameters, name);
    if (!p && find_value(constants, name) == nullptr)
      throw std::invalid_argument(fmt::format("constraint '{}' uses the unknown name '{}'", constraints[c].text, name));
    last = std::max(last, p.value_or(0));
  }
  return last;
}

void SearchSpace::Impl::search(Configuration& partial, std::size_t level,
                               const std::vector<std::vector<std::size_t>>& due) {
  if (level == parameters.size()) {
    rows.insert(partial.choices);
    return;
  }
  for (std::uint32_t choice = 0; choice < parameters[level].values.size(); ++choice) {
    partial.choices[level] = choice;
    if (std::ranges::all_of(due[level], [&](std::size_t c) { return holds(c, partial); }))
      search(partial, level + 1, due);
  }
}

void SearchSpace::Impl::find_domains() {
  domains.assign(parameters.size(), {});
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::vector<bool> used(parameters[p].values.size());
    for (std::size_t i = 0; i < rows.size(); ++i) used[rows[i][p]] = true;
    for (std::uint32_t choice = 0; choice < used.size(); ++choice)
      if (used[choice]) domains[p].push_back(choice);
  }
}

SearchSpace::SearchSpace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

SearchSpace SearchSpace::build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                               const NamedValues& constants, const SpaceLimits&) {
  check_parameters(parameters);
  auto impl = std::make_unique<Impl>();
  impl->parameters = std::move(parameters);
  impl->constraints = std::move(constraints);
  impl->constants = constants;
  impl->rows = RowTable(impl->parameters.size());
  std::vector<std::vector<std::size_t>> due(std::max<std::size_t>(1, impl->parameters.size()));
  for (std::size_t c = 0; c < impl->constraints.size(); ++c) {
    const bool predicate = static_cast<bool>(impl->constraints[c].predicate);
    impl->expressions.push_back(predicate ? Expression::constant(true) : Expression::parse(impl->constraints[c].text));
    due[impl->last_parameter(c)].push_back(c);
  }
  Configuration partial{std::vector<std::uint32_t>(impl->parameters.size())};
  impl->search(partial, 0, due);
  impl->find_domains();
  return SearchSpace(std::move(impl));
}

SearchSpace SearchSpace::from_rows(std::vector<Parameter> parameters, std::vector<Configuration> rows) {
  check_parameters(parameters);
  auto impl = std::make_unique<Impl>();
  impl->parameters = std::move(parameters);
  impl->rows = RowTable(impl->parameters.size());
  for (const Configuration& row : rows) {
    bool fits = row.choices.size() == impl->parameters.size();
    for (std::size_t p = 0; fits && p < row.choices.size(); ++p)
      fits = row.choices[p] < impl->parameters[p].values.size();
    if (!fits) throw std::invalid_argument("a configuration does not fit the parameters of its space");
    impl->rows.insert(row.choices);
  }
  impl->find_domains();
  return SearchSpace(std::move(impl));
}

const std::vector<Parameter>& SearchSpace::parameters() const {
  return impl_->parameters;
}

const std::vector<Constraint>& SearchSpace::constraints() const {
  return impl_->constraints;
}

Count SearchSpace::cartesian_size() const {
  Count size = 1;
  for (const Parameter& parameter : impl_->parameters) size *= parameter.values.size();
  return size;
}

Count SearchSpace::size() const {
  return impl_->rows.size();
}

bool SearchSpace::exact() const {
  return true;
}

Configuration SearchSpace::at(Count index) const {
  if (index >= size()) throw std::out_of_range("configuration index beyond the end of the search space");
  const RowTable::Row row = impl_->rows[static_cast<std::size_t>(index)];
  return {std::vector<std::uint32_t>(row.begin(), row.end())};
}

std::optional<Count> SearchSpace::index_of(const Configuration& configuration) const {
  if (configuration.choices.size() != impl_->parameters.size()) return std::nullopt;
  const auto row = impl_->rows.find(configuration.choices);
  if (!row) return std::nullopt;
  return *row;
}

bool SearchSpace::contains(const Configuration& configuration) const {
  return index_of(configuration).has_value();
}

Configuration SearchSpace::sample(Rng& rng) const {
  if (empty()) throw std::logic_error("cannot sample from an empty search space");
  return at(rng.below(impl_->rows.size()));
}

std::vector<Configuration> SearchSpace::sample_distinct(std::size_t n, Rng& rng) const {
  // Floyd's algorithm (Bentley 1987): n draws, no rejection.
  const std::size_t total = impl_->rows.size();
  n = std::min(n, total);
  std::set<std::uint64_t> chosen;
  std::vector<Configuration> sample;
  for (std::uint64_t j = total - n; j < total; ++j) {
    const std::uint64_t draw = rng.below(j + 1);
    const std::uint64_t pick = chosen.contains(draw) ? j : draw;
    chosen.insert(pick);
    sample.push_back(at(pick));
  }
  rng.shuffle(sample);
  return sample;
}

std::vector<Configuration> SearchSpace::spread(std::size_t n, Rng& rng) const {
  return sample_distinct(n, rng);
}

std::vector<Configuration> SearchSpace::neighbours(const Configuration& configuration, Neighbourhood kind) const {
  std::vector<Configuration> found;
  Configuration candidate = configuration;
  for (std::size_t p = 0; p < impl_->domains.size(); ++p) {
    const std::uint32_t current = configuration.choices.at(p);
    std::optional<Configuration> below;
    bool above = false;
    for (std::uint32_t choice : impl_->domains[p]) {
      candidate.choices[p] = choice;
      if (choice == current || !contains(candidate)) continue;
      if (kind == Neighbourhood::hamming) {
        found.push_back(candidate);
      } else if (choice < current) {
        below = candidate;
      } else {
        if (below) found.push_back(*std::exchange(below, std::nullopt));
        found.push_back(candidate);
        above = true;
        break;
      }
    }
    if (below && !above) found.push_back(*below);
    candidate.choices[p] = current;
  }
  return found;
}

const std::vector<std::vector<std::uint32_t>>& SearchSpace::domains() const {
  return impl_->domains;
}

std::vector<KillCount> SearchSpace::kill_counts() const {
  std::vector<KillCount> counts;
  for (const Constraint& constraint : impl_->constraints) counts.push_back({constraint.text, std::nullopt});
  return counts;
}

std::vector<std::string> SearchSpace::contradiction() const {
  std::vector<std::string> texts;
  if (empty())
    for (const Constraint& constraint : impl_->constraints) texts.push_back(constraint.text);
  return texts;
}

NamedValues SearchSpace::values(const Configuration& configuration) const {
  NamedValues named;
  for (std::size_t p = 0; p < impl_->parameters.size(); ++p) {
    const Parameter& parameter = impl_->parameters[p];
    named.emplace_back(parameter.name, parameter.values.at(configuration.choices.at(p)));
  }
  return named;
}

std::optional<Configuration> SearchSpace::find(const NamedValues& values) const {
  if (values.size() != impl_->parameters.size()) return std::nullopt;
  Configuration configuration;
  for (const Parameter& parameter : impl_->parameters) {
    const Value* value = find_value(values, parameter.name);
    if (value == nullptr) return std::nullopt;
    const auto same = [value](const Value& candidate) { return same_value(candidate, *value); };
    const auto found = std::ranges::find_if(parameter.values, same);
    if (found == parameter.values.end()) return std::nullopt;
    configuration.choices.push_back(static_cast<std::uint32_t>(found - parameter.values.begin()));
  }
  return configuration;
}

std::string SearchSpace::key(const Configuration& configuration) const {
  return to_text(values(configuration));
}

}  // namespace warptune
