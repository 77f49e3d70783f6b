// Decides which buffers a kernel reads and which it writes, and what a buffer begins with that the kernel does not
// write as a whole.
#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

// Returns whether a definition leaves out the first values: i = blockIdx.x * blockDim.x + threadIdx.x + 1.
bool begins_later(const CExpression& definition) {
  const auto later = [](const CExpression& term) { return term.is_integer() && term.value > 0; };
  return block_index_of(definition).covered && std::ranges::any_of(terms_of(definition), later);
}

// Returns whether the index is made of a variable of which the first values are left out.
bool skips_first(const CExpression& index, const BodyAnalysis& body, int depth = 8) {
  return depth > 0 && std::ranges::any_of(names_in(index), [&](const std::string& name) {
           const auto definition = body.definitions.find(name);
           return body.skips_first.contains(name) || body.shifts.contains(name) ||
                  (definition != body.definitions.end() &&
                   ((index.is(Kind::name, name) && begins_later(definition->second)) ||
                    skips_first(definition->second, body, depth - 1)));
         });
}

}  // namespace

std::string tolerance_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
      return "{ absolute = 1e-2, relative = 1e-2 }";
    case ElementType::f32:
      return "{ absolute = 1e-4, relative = 1e-4 }";
    case ElementType::f64:
      return "{ absolute = 1e-10, relative = 1e-10 }";
    default:
      return "";
  }
}

void Drafter::set_role(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument) const {
  bool read = false, written = false, atomic = false, skips = false, partial = false;
  if (const auto accesses = site.body.accesses.find(parameter.name); accesses != site.body.accesses.end())
    for (const Access& access : accesses->second) {
      read |= access.read;
      written |= access.write && !parameter.is_const;
      atomic |= access.atomic;
      partial |= access.partial && !access.atomic;
      skips |= access.write && access.index && skips_first(*access.index, site.body);
    }
  if (!written) return;
  argument.tolerance = tolerance_of(element_type_from_string(argument.type).value_or(ElementType::f32));
  partial = partial && !read;  // a buffer that is read keeps its fill
  argument.role = read || skips || partial ? "inout" : "output";
  argument.nondeterministic = atomic && !argument.tolerance.empty();
  if (argument.role == "output") {
    argument.fill.clear();
  } else if (atomic || skips || partial) {
    argument.fill = "{ constant = 0 }";
    argument.comments.push_back(atomic ? "starts from zero before each run, for blocks add to it"
                                : skips
                                    ? "what the kernel leaves out at the border keeps its zeros"
                                    : "which elements the kernel writes depends on the data: others keep their zeros");
  }
}

}  // namespace warptune::tuner::draft
