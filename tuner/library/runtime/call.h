// Makes a kernel's arguments from an application's.
#pragma once

#include <array>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::runtime {

using ArgumentBytes = std::array<std::byte, 8>;

// A launch keeps its arguments on the stack; no template comes near this many.
inline constexpr std::size_t max_arguments = 64;

// A Signature is what launches of one variant of a template take: its buffers and its constant scalars, in the
// manifest's order. What stands only in launches whose `when` is false for the variant, whatever the size and the
// parameters, is left out.
class Signature {
 public:
  // The template must outlive the signature.
  Signature(const tuner::KernelTemplate& kernel, const search::NamedValues& variants);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::size_t size() const { return arguments_.size(); }
  const tuner::Argument& argument(std::size_t index) const { return *arguments_[index]; }
  // Returns the index of an argument; -1 for what is no argument of a launch (temporaries, computed scalars).
  int index_of(const std::string& name) const;

  // Writes `count` arguments, and the template's own constants for the rest, as bytes in the kernel's types into `to[0
  // … size()-1]`. Throws std::invalid_argument that names the argument.
  void convert(const Argument* arguments, std::size_t count, ArgumentBytes* to) const;

 private:
  std::vector<const tuner::Argument*> arguments_;
  std::vector<ArgumentBytes> constants_;  // the template's; zeros for buffers
  std::vector<Parameter> parameters_;
  std::size_t required_ = 0;  // up to the last buffer
};

}  // namespace warptune::runtime
