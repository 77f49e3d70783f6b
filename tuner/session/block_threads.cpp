// Collects the block expressions of all launches, each once, and evaluates them for a configuration.
#include "tuner/session/block_threads.h"

#include <algorithm>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

bool same_texts(const std::vector<search::Expression>& a, const std::vector<search::Expression>& b) {
  return std::ranges::equal(a, b, {}, &search::Expression::text, &search::Expression::text);
}

}  // namespace

BlockThreads::BlockThreads(const KernelTemplate& kernel, const search::NamedValues& constants,
                           const search::SearchSpace& space)
    : scope_(space) {
  const search::NamedValues known = at_first_pass(constants);
  for (const Launch& launch : kernel.launches) {
    Block block(launch.block.begin(), launch.block.end());
    if (std::ranges::any_of(blocks_, [&](const Block& other) { return same_texts(other, block); })) continue;
    for (const search::Expression& dimension : block) scope_.note(dimension, known);
    blocks_.push_back(std::move(block));
  }
}

double BlockThreads::threads(const Block& block, const search::Configuration& configuration) const {
  double product = 1;
  for (const search::Expression& dimension : block) product *= scope_.number(dimension, configuration);
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
