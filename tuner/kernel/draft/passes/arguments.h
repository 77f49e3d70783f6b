// What the pass that drafts arguments asks of a buffer: its role and its shape.
#pragma once

#include <optional>
#include <string>

#include "tuner/kernel/draft/passes/work.h"

namespace warptune::tuner::draft {

// Sets whether the kernel reads or writes the buffer, and what the buffer begins with.
void set_role(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument);

// Returns whether an index of the buffer is the block's own: partial[blockIdx.x].
bool is_of_blocks(const Site& site, const std::string& buffer);

// Drafts an output with one element per block that the host adds up. Returns false for any other buffer.
bool draft_partial_sums(Work& work, const Site& site, const FunctionParameter& parameter, const std::string& host_name,
                        ArgumentDraft& argument);

// Returns the length of the allocation, if that is said in sizes, else the largest that an index asks for.
std::optional<std::string> shape_of(Work& work, const Site& site, const FunctionParameter& parameter,
                                    const Element& element, bool& depends_on_parameters);

// Returns the length of x for x[columns[j]], where nothing else says how long x is.
std::optional<std::string> shape_by_indices(Work& work, const Site& site, const FunctionParameter& parameter,
                                            ArgumentDraft& argument);

// Describes the array of a sparse matrix that says where each row begins: it has one element more than there are rows.
void describe_segments(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument,
                       std::optional<std::string>& shape);

}  // namespace warptune::tuner::draft
