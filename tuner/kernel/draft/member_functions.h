// struct Domain { int nx, ny; int index(int x, int y) const { return y * nx + x; } }: a structure's functions that only
// return an expression, so that indices and lengths that are made by them are understood.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct MemberFunction {
  std::string structure, name;
  std::vector<std::string> parameters;
  std::vector<SourceToken> value;  // what it returns
  std::set<std::string> members;   // the structure's, which `value` may name
};

// Of all structures of the source; of several functions with one name and as many parameters none.
std::vector<MemberFunction> member_functions(const SourceOutline& outline);

// `body` with the value of each call d.index(x, y) in the call's place, members being d.nx. `all` declares the
// variables: a function's head and body.
std::vector<SourceToken> with_member_calls(TokenSpan body, TokenSpan all, const std::vector<MemberFunction>& functions);

// Where a structure's function ends that begins at `at`, as `int f() const { … }`; `at` for what is none, nothing for a
// constructor, with which braces mean something else than the members in their order.
std::optional<std::size_t> end_of_member_function(TokenSpan tokens, std::size_t at, const std::string& structure);

}  // namespace warptune::tuner::draft
