// Makes the names of the kernels that launches name. A name may have parameters' values in it.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns `text` with each {NAME} among the values replaced. Other braces stay.
std::string with_values(const std::string& text, const search::NamedValues& values);
// Returns the name of a launch's kernel with the parameters' values in place: "reduce<float>" for "reduce<{TYPE}>".
std::string kernel_name(const Launch& launch, const search::NamedValues& scope);
// Returns the kernels that are launched, as a source names them: "blur" of "img::blur<float, {TILE}>". Returns nothing
// if a configuration chooses among names.
std::set<std::string> launched_kernels(std::initializer_list<const std::vector<Launch>*> lists);

}  // namespace warptune::tuner
