// Reads declarations: the parameters of functions, the extents of arrays, and the names that a function declares for
// itself.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

struct FunctionParameter {
  std::string name, type;  // the type without const, pointers and references
  int pointers = 0;
  bool is_const = false;             // what it points to is const
  std::vector<CExpression> extents;  // the extents of what it points to: those behind the first of a[][8]
};

std::vector<FunctionParameter> read_parameters(TokenSpan tokens);

// Returns the extents of NAME [a][b]; the tokens begin with the name.
std::vector<CExpression> read_extents(TokenSpan tokens);

// Returns whether the word says where or how a variable is held, and is no part of its type.
bool is_qualifier(const SourceToken& token);

// Returns the names of the parameters, and of the variables that the body declares where it first has them:
// int n = …, *p, k;
std::set<std::string> declared_names(TokenSpan parameters, TokenSpan body);

}  // namespace warptune::tuner::draft
