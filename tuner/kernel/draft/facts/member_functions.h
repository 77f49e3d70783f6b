// Expands a structure's functions that only return an expression, so that indices and lengths that are made by them are
// understood: struct Domain { int nx, ny; int index(int x, int y) const { return y * nx + x; } }
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
  std::set<std::string> members;   // the structure's members, which `value` may name
};

// Returns the functions of all structures of the source. Of several functions with one name and as many parameters, it
// returns none.
std::vector<MemberFunction> member_functions(const SourceOutline& outline);

// Returns `body` with the value of each call d.index(x, y) in the call's place, members being d.nx. `all` declares the
// variables: it is a function's head and body.
std::vector<SourceToken> with_member_calls(TokenSpan body, TokenSpan all, const std::vector<MemberFunction>& functions);

// Returns where the structure's function that begins at `at` ends, as `int f() const { … }`. It returns `at` if there
// is no function, and nothing for a constructor, with which braces mean something else than the members in their order.
std::optional<std::size_t> end_of_member_function(TokenSpan tokens, std::size_t at, const std::string& structure);

}  // namespace warptune::tuner::draft
