#include "tuner/session/block_threads.h"

#include <algorithm>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

bool same_texts(const std::vector<search::Expression>& a, const std::vector<search::Expression>& b) {
  return std::ranges::equal(a, b, {}, &search::Expression::text, &search::Expression::text);
}

}  // namespace

BlockThreads::BlockThreads(const KernelTemplate& kernel, const search::NamedValues& constants,
                           const search::SearchSpace& space)
    : space_(&space) {
  const search::NamedValues scope = at_first_pass(constants);
  for (const Launch& launch : kernel.launches) {
    Block block(launch.block.begin(), launch.block.end());
    if (std::ranges::any_of(blocks_, [&](const Block& known) { return same_texts(known, block); })) continue;
    for (const search::Expression& dimension : block)
      for (const std::string& name : dimension.names()) note(name, scope);
    blocks_.push_back(std::move(block));
  }
}

// Constants come before parameters, as in a launch. A name that is neither is left to the evaluation, which fails.
void BlockThreads::note(const std::string& name, const search::NamedValues& constants) {
  if (std::ranges::find(names_, name, &Name::name) != names_.end()) return;
  if (const search::Value* constant = search::find_value(constants, name)) {
    names_.push_back({name, *constant, no_parameter});
    return;
  }
  const auto& parameters = space_->parameters();
  const auto found = std::ranges::find(parameters, name, &search::Parameter::name);
  if (found != parameters.end()) names_.push_back({name, {}, static_cast<std::size_t>(found - parameters.begin())});
}

const search::Value* BlockThreads::find(std::string_view name, const search::Configuration& configuration) const {
  const auto found = std::ranges::find(names_, name, &Name::name);
  if (found == names_.end()) return nullptr;
  if (found->parameter == no_parameter) return &found->constant;
  return &space_->parameters()[found->parameter].values[configuration.choices[found->parameter]];
}

double BlockThreads::threads(const Block& block, const search::Configuration& configuration) const {
  double product = 1;
  for (const search::Expression& dimension : block)
    product *= search::to_double(dimension.evaluate([&](std::string_view name) { return find(name, configuration); }));
  return product;
}

double BlockThreads::operator()(const search::Configuration& configuration) const {
  double most = 1;
  try {
    for (const Block& block : blocks_) most = std::max(most, threads(block, configuration));
  } catch (const search::ExpressionError&) {
    return 1;
  }
  return most;
}

}  // namespace warptune::tuner
