// The kernels that launches name, whose names may have parameters' values in them.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// `text` with each {NAME} among the values replaced; other braces stay.
std::string with_values(const std::string& text, const search::NamedValues& values);
// "reduce<{TYPE}>" with the parameters' values in place.
std::string kernel_name(const Launch& launch, const search::NamedValues& scope);
// The kernels that are launched, as a source names them: "blur" of "img::blur<float, {TILE}>". Nothing if a
// configuration chooses among names.
std::set<std::string> launched_kernels(std::initializer_list<const std::vector<Launch>*> lists);

}  // namespace warptune::tuner
