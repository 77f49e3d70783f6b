// Finds out what a kernel's body says about its indices: where they come from, what they stay below, which elements of
// which buffer are read and written. Nothing is proven; it is what a reader sees at first sight.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

struct Access {
  std::optional<CExpression> index;  // nothing: not understood
  bool read = false, write = false, atomic = false;
  bool partial = false;    // what is written depends on data, so that some elements may be left out
  std::int64_t bytes = 0;  // the size of what the index counts, where a cast says it: reinterpret_cast<float4*>(x)[i]
};

// Segments describes a loop for (j = starts[row]; j < starts[row + 1]; …), as over the elements of a row of a sparse
// matrix.
struct Segments {
  std::string starts;  // a buffer
  CExpression row;
};

// `init` assumes this number of elements in a row where such a loop goes over them.
inline constexpr std::int64_t elements_per_row = 8;

struct BodyAnalysis {
  std::map<std::string, CExpression> definitions;           // the first value of each variable
  std::map<std::string, std::vector<CExpression>> bounds;   // variable < bound
  std::map<std::string, CExpression> inclusive;             // variable <= bound
  std::map<std::string, CExpression> steps;                 // variable += step, of loops
  std::map<std::string, std::set<std::string>> added;       // variable: the names that it is added to
  std::map<std::string, std::set<std::string>> multiplied;  // variable: the names that it is multiplied with
  std::set<std::string> compared;             // names in a comparison or a minimum, elements' indices left out
  std::set<std::string> skips_first;          // variables of which the first values are left out
  std::set<std::string> shifts;               // scalars that move an index as a whole: y[i + offset]
  std::map<std::string, Segments> segments;   // by the variable of the loop
  std::map<std::string, std::string> loaded;  // variables that are an element of a buffer at first
  std::set<std::string> indices;              // buffers whose elements are used as an index
  std::map<std::string, std::vector<Access>> accesses;  // by buffer
  std::set<std::string> lost;                           // buffers with an index that walks an unknown distance
  std::set<std::string> built_in;                       // "threadIdx.x" …
  std::set<std::int64_t> numbers;

  bool uses(const std::string& name) const { return built_in.contains(name); }
};

BodyAnalysis analyse_body(TokenSpan body, const SourceOutline& outline, const std::set<std::string>& buffers);

// SizeOf returns what a name is in terms of sizes, or nothing for a name that has nothing to do with them. Asked for
// "blockIdx.x", it returns how many blocks there are; for "axis.x", how many threads in all. count_of returns how many
// values an index has from 0 on, made of sizes alone.
using SizeOf = std::function<std::optional<CExpression>(const std::string& name)>;
std::optional<CExpression> count_of(const CExpression& index, const BodyAnalysis& body, const SizeOf& size,
                                    int depth = 8);

}  // namespace warptune::tuner::draft
