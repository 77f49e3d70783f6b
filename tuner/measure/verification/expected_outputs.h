// Decides whether what a reference expects can tell right from wrong, and words the messages where it cannot.
#pragma once

#include <string>
#include <vector>

#include "search/expected_output.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

using ExpectedOutputs = std::vector<search::ExpectedOutput>;

// Merges what holds for one set of inputs with what holds for another.
void take_both(search::ExpectedOutput& known, const search::ExpectedOutput& other);

// Throws WorkloadError if a kernel that computes nothing would certainly get every output right: none of its elements
// are compared, it may end as it begins, or the tolerance covers all that is expected. Then nothing can be verified. No
// outputs at all mean a session that verifies nothing, which is no error.
void require_telling(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// Returns a sentence for each output that a kernel gets right without computing it, with what may change that. Nothing
// is said of an output of one element that is one value or ends as it begins: a sum is one value, and an unused array
// has one element.
std::vector<std::string> notes_on(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// Says why a kernel whose outputs are found right may compute nothing all the same; empty if one of the outputs can
// tell.
std::string why_it_tells_nothing(const KernelTemplate& kernel, const ExpectedOutputs& outputs);

// Says how much an output varies: "0 to 255, 0 in 99.9 % of 1048576 elements".
std::string variety_text(const search::ExpectedOutput& output);

// Returns the outputs as JSON. Numbers that JSON does not have are null.
Json json_of(const ExpectedOutputs& outputs);

}  // namespace warptune::tuner
