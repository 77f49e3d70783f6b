// What the passes share: the facts of a source, the launches that the manifest describes, what names of the source
// stand for, and the draft that they fill.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/expressions/body_analysis.h"
#include "tuner/kernel/draft/facts/host_scope.h"
#include "tuner/kernel/draft/facts/source_facts.h"
#include "tuner/kernel/draft/passes/draft.h"

namespace warptune::tuner::draft {

inline constexpr char axes[] = "xyz";

// A Site is one launch that the manifest describes, with what is known of it.
struct Site {
  const KernelFacts* kernel = nullptr;
  const HostLaunch* host = nullptr;                 // null: nothing in the file launches the kernel
  HostScope scope = {};                             // of the host's variables
  BodyAnalysis body = {};                           // of the kernel
  std::map<std::string, std::string> types = {};    // template types
  std::map<std::string, CExpression> given = {};    // the kernel's scalars and template values, in sizes and parameters
  std::set<std::string> guessed = {};               // names in `given` whose values the source does not say
  std::map<std::string, std::string> buffers = {};  // the kernel's parameters, and the manifest's names
  std::array<std::optional<CExpression>, 3> grid = {}, block = {}, axis = {};  // axis: all threads along each axis
  std::optional<CExpression> shared = {};
  std::string template_text = {};                              // "<float, {BLOCK_SIZE}>"
  std::map<std::string, std::int64_t> template_literals = {};  // parameters that the launch has as numbers: k<4>
  std::string rounded = {};  // how the host's grid was changed, in words; empty: not at all
};

// Meanings are what names of the source stand for, as far as the passes before have decided it.
struct Meanings {
  std::map<std::string, std::int64_t> known_values;      // of sizes
  std::map<std::string, std::string> block_variables;    // the host's variables, and the parameter in the place of each
  std::map<std::string, std::int64_t> template_numbers;  // the host's constants that a template keeps
  std::set<std::string> fixed;                           // integers that stay as the source has them
  mutable int replacements = 0;  // counts what was replaced, in the whole draft, so that circular definitions end
};

// Work is what a pass may read and write. A pass that needs less takes less.
struct Work {
  const SourceFacts& facts;
  std::vector<Site> sites = {};
  Meanings meanings = {};
  Draft draft = {};
};

// A BlockIndex holds the parts of an index such as blockIdx.x * covered + threadIdx.y: what a block covers along an
// axis, and the threads that go along it.
struct BlockIndex {
  std::string blocks, threads;         // "blockIdx.x", "threadIdx.y"; empty if there are none
  std::optional<CExpression> covered;  // nothing without blocks
};
BlockIndex block_index_of(const CExpression& index);

// Returns M for the rows (y) or N for the columns (x) of a matrix product, if the names have M, N and K, as everybody
// calls them.
std::optional<CExpression> size_of_product(const std::vector<std::string>& scalars, int axis);

// Returns the block's index along an axis ("blockIdx.x"), and the variables that are computed from it.
std::set<std::string> dependents_of(const std::string& block_index, const BodyAnalysis& body);

// Returns the names, and all that they are computed from.
std::set<std::string> dependencies_of(const std::set<std::string>& names, const BodyAnalysis& body);

}  // namespace warptune::tuner::draft
