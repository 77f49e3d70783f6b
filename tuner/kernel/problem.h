// Combines a kernel template with one device and one problem: what expressions may use, and the space of
// configurations.
#pragma once

#include <string>

#include "search/error.h"
#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A RequestError is thrown for a request that does not fit the template or the device (unknown size, size 0, …). Its
// message is in the user's terms.
using RequestError = search::ErrorOf<search::ErrorKind::request>;

// A Problem is what is to be computed, apart from data. Look-ups may answer with a near size, and match variants
// exactly.
struct Problem {
  search::NamedValues sizes = {};     // positive integers, in the manifest's order
  search::NamedValues variants = {};  // in the manifest's order

  search::NamedValues values() const;  // both: what expressions see
  std::string text() const;            // "M=1024,N=512,PRECISION=double"
  bool empty() const { return sizes.empty() && variants.empty(); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Returns the template's sizes and variants, overridden first by the preset's and then by the user's. `preset` may be
// empty. A variant's value may also be given as text. Throws RequestError for an unknown preset, size or variant, a
// size that is no positive integer, and a value that a variant does not have.
Problem resolve_problem(const KernelTemplate& kernel, const std::string& preset, const Problem& overrides);

// Returns the preset that was asked for. Without one, the host gets the template's preset "host" if it has that,
// because small sizes are what a newcomer wants there. A GPU gets the defaults.
std::string effective_preset(const KernelTemplate& kernel, const std::string& asked, const DeviceInfo& device);

// Parses "M=1024,N=512". Integers may end in k, M or G (powers of 1024). Throws RequestError.
search::NamedValues parse_sizes(const std::string& text);
// Parses "PRECISION=double,TRANSPOSE_A=true". Throws RequestError.
search::NamedValues parse_variants(const std::string& text);
// Parses sizes and variants in one list. A value that begins with a digit counts as a size. Only a template could tell
// a size from a variant with integer values, and `resolve_problem` does so. Throws RequestError.
Problem parse_problem(const std::string& text);

// Returns sizes, variants and device limits: the constants of every expression of the template. `problem` is a
// Problem's values.
search::NamedValues problem_constants(const search::NamedValues& problem, const DeviceInfo& device);

// Returns what a configuration's expressions see: the problem's constants, then the configuration's values.
search::NamedValues scope_of(const search::NamedValues& constants, const search::NamedValues& values);

// Returns the scope of a launch's geometry in its first pass, by which a repeated launch is judged.
search::NamedValues at_first_pass(search::NamedValues scope);

// Returns what the device's limits demand of each launch, as constraints over the template's own geometry expressions.
std::vector<search::Constraint> device_constraints(const KernelTemplate& kernel);

// Returns one of the template's constraints as its manifest writes it: with derived names. The second function adds
// what these names are in a scope: "words <= 64, where words = 128".
const std::string& as_written(const KernelTemplate& kernel, const std::string& constraint);
std::string as_written(const KernelTemplate& kernel, const std::string& constraint, const search::NamedValues& scope);

// Returns the space of the template's parameters under its own constraints and the device's. Throws ExpressionError or
// std::invalid_argument for a constraint that cannot be evaluated.
search::SearchSpace build_space(const KernelTemplate& kernel, const search::NamedValues& constants);

// Returns " for M=1024,N=512", to follow a kernel's name. The text is empty for a kernel without sizes and variants.
inline std::string for_problem(const Problem& problem) {
  return problem.empty() ? "" : " for " + problem.text();
}

}  // namespace warptune::tuner
