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

// Throws WorkloadError where the tolerances allow more than all that is expected, of every output: then a kernel that
// writes zeros is right, and nothing can be verified.
void require_telling(const KernelTemplate& kernel, const ExpectedOutputs& outputs);
// The output that this is said of, or null.
const search::ExpectedOutput* covered_output(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// A sentence for each output that a kernel gets right without computing it, with the arguments whose data may change
// that. Of one element nothing is said: a sum is one value.
std::vector<std::string> notes_on(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// Why a kernel that is found right by these may compute nothing all the same; empty if one of them can tell.
std::string why_it_tells_nothing(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// How much an output varies: "0 to 255, 0 in 99.9 % of 1048576 elements".
std::string variety_text(const search::ExpectedOutput& output);

// Numbers that JSON does not have are null.
Json json_of(const ExpectedOutputs& outputs);

}  // namespace warptune::tuner
