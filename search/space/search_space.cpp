// Builds search spaces from constraints or rows, and numbers their configurations.
#include "search/space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "search/space/constraint_problem.h"
#include "search/space/search_space_impl.h"

namespace warptune::search {

namespace {

constexpr Count largest_count = ~Count{0};

std::size_t position(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto named = [&](const Parameter& parameter) { return parameter.name == name; };
  return static_cast<std::size_t>(std::ranges::find_if(parameters, named) - parameters.begin());
}

// Orders numbers before strings, each ascending.
bool sorts_before(const Scalar& a, const Scalar& b) {
  if (a.is_number() != b.is_number()) return a.is_number();
  return apply(Op::less, a, b).truth();
}

// Returns whether the values are ascending integers, as those of most domains are. This takes no copy.
bool ascends(const std::vector<Value>& values) {
  const std::int64_t* last = nullptr;
  for (const Value& value : values) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || (last != nullptr && *number <= *last)) return false;
    last = number;
  }
  return true;
}

void check_domain(const Parameter& parameter) {
  if (parameter.values.empty())
    throw std::invalid_argument(fmt::format("parameter '{}' has no values", parameter.name));
  if (ascends(parameter.values)) return;
  std::vector<Scalar> values;
  values.reserve(parameter.values.size());
  for (const Value& value : parameter.values) {
    values.push_back(Scalar::borrow(value));
    if (!apply(Op::equal, values.back(), values.back()).truth())
      throw std::invalid_argument(
          fmt::format("parameter '{}' has the value nan, which equals nothing", parameter.name));
  }
  if (!std::ranges::is_sorted(values, sorts_before)) std::ranges::sort(values, sorts_before);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!sorts_before(values[i - 1], values[i]))
      throw std::invalid_argument(
          fmt::format("parameter '{}' lists the value {} twice", parameter.name, to_text(values[i].to_value())));
}

void check_parameters(const std::vector<Parameter>& parameters, const NamedValues& constants) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    if (position(parameters, name) != i)
      throw std::invalid_argument(fmt::format("parameter '{}' is declared twice", name));
    if (find_value(constants, name) != nullptr)
      throw std::invalid_argument(fmt::format("'{}' names both a parameter and a constant", name));
    check_domain(parameters[i]);
  }
}

}  // namespace

std::string to_text(Count count) {
  std::string text;
  do text += static_cast<char>('0' + static_cast<int>(count % 10));
  while ((count /= 10) != 0);
  std::ranges::reverse(text);
  return text;
}

void SearchSpace::Impl::count() {
  size = 1;
  for (const Component& component : components) {
    exact &= component.exact();
    if (component.count() != 0 && size > largest_count / component.count()) {
      // The space can be counted part by part, but not as a whole.
      exact = false;
      size = largest_count;
    } else {
      size *= component.count();
    }
  }
}

void SearchSpace::Impl::find_domains() {
  domains.assign(parameters.size(), {});
  if (size != 0) {
    for (std::size_t p = 0; p < parameters.size(); ++p) domains[p] = {fixed.choices[p]};
    for (const Component& component : components) {
      std::vector<std::vector<std::uint32_t>> used = component.used();
      for (std::size_t i = 0; i < used.size(); ++i) domains[component.parameters()[i]] = std::move(used[i]);
    }
  }
  in_domain.reserve(parameters.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    in_domain.emplace_back(parameters[p].values.size());
    for (std::uint32_t choice : domains[p]) in_domain[p][choice] = true;
  }
}

bool SearchSpace::Impl::within_domains(const Configuration& configuration) const {
  if (configuration.choices.size() != parameters.size()) return false;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::uint32_t choice = configuration.choices[p];
    if (choice >= in_domain[p].size() || !in_domain[p][choice]) return false;
  }
  return true;
}

SearchSpace::SearchSpace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

SearchSpace SearchSpace::build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                               const NamedValues& constants, const SpaceLimits& limits) {
  check_parameters(parameters, constants);
  auto impl = std::make_unique<Impl>(std::move(parameters), std::move(constraints), constants);
  impl->limits = limits;
  ConstraintProblem& problem = impl->problem.emplace(impl->parameters, impl->constraints, impl->constants);
  if (!problem.impossible()) narrow_large_domains(problem);
  impl->fixed.choices.assign(impl->parameters.size(), 0);
  if (!problem.impossible()) {
    for (std::size_t p = 0; p < impl->parameters.size(); ++p)
      if (problem.domains()[p].size() == 1) impl->fixed.choices[p] = problem.domains()[p][0];
    for (const Scope& scope : find_components(problem))
      impl->components.push_back(Component::build(problem, scope, limits));
    impl->count();
  }
  impl->find_domains();
  impl->checker.emplace(problem, impl->domains);
  return SearchSpace(std::move(impl));
}

SearchSpace SearchSpace::from_rows(std::vector<Parameter> parameters, std::vector<Configuration> rows) {
  check_parameters(parameters, {});
  auto impl = std::make_unique<Impl>(std::move(parameters), std::vector<Constraint>{}, NamedValues{});
  const std::size_t width = impl->parameters.size();
  RowTable table(width);
  for (const Configuration& row : rows) {
    bool fits = row.choices.size() == width;
    for (std::size_t p = 0; fits && p < width; ++p) fits = row.choices[p] < impl->parameters[p].values.size();
    if (!fits) throw std::invalid_argument("a listed configuration does not fit the parameters of its search space");
    table.insert(row.choices);
  }
  impl->fixed.choices.assign(width, 0);
  std::vector<std::uint32_t> all(width);
  for (std::uint32_t p = 0; p < width; ++p) all[p] = p;
  impl->components.emplace_back(std::move(all), std::move(table));
  impl->count();
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
  for (const Parameter& parameter : impl_->parameters)
    if (__builtin_mul_overflow(size, Count{parameter.values.size()}, &size)) return largest_count;
  return size;
}

std::string SearchSpace::cartesian_text() const {
  std::vector<std::uint32_t> limbs{1};  // base 10^9, the lowest first
  constexpr std::uint64_t base = 1'000'000'000;
  for (const Parameter& parameter : impl_->parameters) {
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : limbs) {
      const std::uint64_t product = limb * std::uint64_t{parameter.values.size()} + carry;
      limb = static_cast<std::uint32_t>(product % base);
      carry = product / base;
    }
    if (carry > 0) limbs.push_back(static_cast<std::uint32_t>(carry));
  }
  std::string text = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) text += fmt::format("{:09}", limbs[i]);
  return text;
}

Count SearchSpace::size() const {
  return impl_->size;
}

bool SearchSpace::exact() const {
  return impl_->exact;
}

Configuration SearchSpace::at(Count index) const {
  if (!impl_->exact) throw std::out_of_range("the search space is too large to number its configurations");
  if (index >= impl_->size)
    throw std::out_of_range(fmt::format("configuration {} of a search space of {}", to_text(index), to_text(size())));
  Configuration configuration = impl_->fixed;
  for (const Component& component : impl_->components) {
    const Count count = component.count();
    // 128-bit division is a library call of some 30 ns.
    const bool narrow = (index | count) >> 64 == 0;
    const auto low = static_cast<std::uint64_t>(index);
    const auto low_count = static_cast<std::uint64_t>(count);
    component.at(narrow ? low % low_count : index % count, configuration.choices.data());
    index = narrow ? low / low_count : index / count;
  }
  return configuration;
}

std::optional<Count> SearchSpace::index_of(const Configuration& configuration) const {
  if (!impl_->exact || !impl_->within_domains(configuration)) return std::nullopt;
  Count index = 0;
  for (std::size_t c = impl_->components.size(); c-- > 0;) {
    const std::optional<Count> rank = impl_->components[c].rank_of(configuration.choices.data());
    if (!rank) return std::nullopt;
    index = index * impl_->components[c].count() + *rank;
  }
  return index;
}

bool SearchSpace::contains(const Configuration& configuration) const {
  if (!impl_->within_domains(configuration)) return false;
  if (impl_->checker) return impl_->checker->holds(configuration.choices.data());
  return index_of(configuration).has_value();
}

const std::vector<std::vector<std::uint32_t>>& SearchSpace::domains() const {
  return impl_->domains;
}

std::size_t SearchSpace::index_bytes() const {
  std::size_t bytes = 0;
  for (const Component& component : impl_->components) bytes += component.bytes();
  for (const auto& domain : impl_->domains) bytes += domain.capacity() * sizeof(std::uint32_t);
  for (const auto& marks : impl_->in_domain) bytes += marks.capacity() / 8;
  if (impl_->problem) bytes += impl_->problem->bytes();
  if (impl_->checker) bytes += impl_->checker->bytes();
  return bytes;
}

NamedValues SearchSpace::values(const Configuration& configuration) const {
  NamedValues named;
  named.reserve(impl_->parameters.size());
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

}  // namespace warptune::search
