// A kernel template on one device with one problem: what expressions may use, and the space of configurations.
#pragma once

#include <string>

#include "search/error.h"
#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A request that does not fit the template or the device (unknown size, size 0, …), in the user's terms.
using RequestError = search::ErrorOf<search::ErrorKind::request>;

// What is to be computed, apart from data. Look-ups may answer with a near size, and match variants exactly.
struct Problem {
  search::NamedValues sizes = {};     // positive integers, in the manifest's order
  search::NamedValues variants = {};  // in the manifest's order

  search::NamedValues values() const;  // both: what expressions see
  std::string text() const;            // "M=1024,N=512,PRECISION=double"
  bool empty() const { return sizes.empty() && variants.empty(); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

// The template's sizes and variants with a preset's and then the user's over them. `preset` may be empty. A variant's
// value may also be given as text. Throws RequestError for an unknown preset, size or variant, a size that is no
// positive integer, a value that a variant does not have.
Problem resolve_problem(const KernelTemplate& kernel, const std::string& preset, const Problem& overrides);

// The preset asked for; without one the template's "host" on the host, if it has that: small sizes are what a newcomer
// wants there. A GPU gets the defaults.
std::string effective_preset(const KernelTemplate& kernel, const std::string& asked, const DeviceInfo& device);

// "M=1024,N=512" -> values. Integers may end in k, M or G (powers of 1024). Throws RequestError.
search::NamedValues parse_sizes(const std::string& text);
// "PRECISION=double,TRANSPOSE_A=true" -> values. Throws RequestError.
search::NamedValues parse_variants(const std::string& text);
// Both in one list, where only a template could tell a size from a variant with integer values: `resolve_problem` does.
Problem parse_problem(const std::string& text);

// Sizes, variants and device limits: the constants of every expression of the template. `problem` is a Problem's
// values.
search::NamedValues problem_constants(const search::NamedValues& problem, const DeviceInfo& device);

// What a configuration's expressions see: the problem's constants, then the configuration's values.
search::NamedValues scope_of(const search::NamedValues& constants, const search::NamedValues& values);

// The scope of a launch's geometry in its first pass, by which a repeated launch is judged.
search::NamedValues at_first_pass(search::NamedValues scope);

// What the device's limits demand of each launch, as constraints over the template's own geometry expressions.
std::vector<search::Constraint> device_constraints(const KernelTemplate& kernel);

// One of the template's constraints as its manifest writes it: with derived names. The second adds what these are in a
// scope: "words <= 64, where words = 128".
const std::string& as_written(const KernelTemplate& kernel, const std::string& constraint);
std::string as_written(const KernelTemplate& kernel, const std::string& constraint, const search::NamedValues& scope);

// The space of the template's parameters under its own constraints and the device's. Throws ExpressionError or
// std::invalid_argument for a constraint that cannot be evaluated.
search::SearchSpace build_space(const KernelTemplate& kernel, const search::NamedValues& constants);

}  // namespace warptune::tuner
