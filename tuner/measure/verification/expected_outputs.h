// Whether what a reference expects tells right from wrong, and what to say where it does not.
#pragma once

#include <string>
#include <vector>

#include "search/expected_output.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

using ExpectedOutputs = std::vector<search::ExpectedOutput>;

// What holds of one set of inputs, with what holds of another.
void take_both(search::ExpectedOutput& known, const search::ExpectedOutput& other);

// Throws WorkloadError where every output is one that a kernel gets right for certain that computes nothing: none of
// its elements are compared, it may end as it begins, or the tolerance covers all that is expected. Then nothing can be
// verified. No outputs at all are those of a session that verifies nothing.
void require_telling(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// A sentence for each output that a kernel gets right without computing it, with what may change that. Of one element
// that is one value, or ends as it begins, nothing is said: a sum is one value, and what nobody uses has one element.
std::vector<std::string> notes_on(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// Why a kernel that is found right by these may compute nothing all the same; empty if one of them can tell.
std::string why_it_tells_nothing(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// How much an output varies: "0 to 255, 0 in 99.9 % of 1048576 elements".
std::string variety_text(const search::ExpectedOutput& output);

// Numbers that JSON does not have are null.
Json json_of(const ExpectedOutputs& outputs);

}  // namespace warptune::tuner
