// Puts members in the place of structures, for a manifest passes numbers and pointers. A kernel that takes `Params p`
// by value is therefore read as one that takes `int p_width, float p_scale`, and whose body begins with
// `Params p = {p_width, p_scale};`. Only that line has to be written by a person, and `init` says it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

// Puts members in the place of structures, among the parameters and as `p.width` in the body. A variable of the body
// that begins as `Params p = {a, b};` is read so, too.
void pass_members(const std::map<std::string, std::vector<FunctionParameter>>& structures, KernelFacts& kernel);
// Does the same for the arguments of a launch of that kernel: they become what the host puts into the structure, if
// that is understood.
void pass_members(const KernelFacts& kernel, HostLaunch& launch);

// Returns what a person changes in the source so that the kernel takes the structure's members.
std::string advice_on(const StructureArgument& structure, const KernelFacts& kernel);

// Returns whether the body calls the parameter as a function.
bool is_called(const KernelFacts& kernel, const std::string& parameter);
// Returns what to do about a parameter whose type no manifest has: a function object, an enumeration of the `source`, a
// texture, another structure.
std::string advice_on(const FunctionParameter& parameter, const KernelFacts& kernel, TokenSpan source);

}  // namespace warptune::tuner::draft
