// Finds what expressions of the host's code and of kernels are in the manifest's terms: sizes, parameters and numbers.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/draft/passes/work.h"

namespace warptune::tuner::draft {

// Returns the dimensions that the tokens of a grid or a block say: dim3(a, b), {a, b}, a variable of type dim3, or a
// number.
std::vector<CExpression> dimensions(const Site& site, TokenSpan tokens);

// Returns an expression of the host's code in terms of sizes, parameters and numbers, as far as they are known.
CExpression resolved_in_host(Work& work, const Site& site, const CExpression& expression);

// Returns the same as resolved_in_host, but with all numbers as the source has them: (512 + 32 - 1) / 32.
CExpression resolved_unfolded(Work& work, const Site& site, const CExpression& expression);

// Replaces the host's variables by their values. `known` comes first, and a name that it returns for itself stays.
CExpression with_host_values(const Meanings& meanings, const Site& site, const CExpression& expression,
                             const Replacement& known);

// Returns an expression of the kernel in the manifest's own terms, as far as the site gives them.
CExpression resolved_in_kernel(const Work& work, const Site& site, const CExpression& expression, int depth = 8);

// Returns whether a manifest can express it without the parameters.
bool in_sizes(const Draft& draft, const CExpression& expression);

// Returns the manifest's text of an expression, and adds its names as sizes. Returns a blank where there is no such
// text.
std::string text_with_sizes(Work& work, const CExpression& expression);

// Adds the size, unless the manifest has the name.
void add_size(Work& work, const std::string& name);

// Returns a name for a parameter that nothing in the source has: that of a macro made of `name`.
std::string fresh_name(const SourceFacts& facts, const Meanings& meanings, const std::string& name);

// Returns whether the source, or CUDA itself, says what the name is.
bool is_defined(const SourceFacts& facts, const std::vector<Site>& sites, const std::string& name);

// Returns whether the name is a variable of the kernel's own.
bool is_local(const Site& site, const std::string& name);

}  // namespace warptune::tuner::draft
