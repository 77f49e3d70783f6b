// Makes a configuration concrete: the geometry and arguments of its launches, and its buffers.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/value.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

struct PlannedArgument {
  std::string buffer;              // the argument is its address, or with `view` a tensor map of it; empty: a scalar
  std::optional<TensorView> view;  // the tensor map's view of the buffer
  alignas(8) std::array<std::byte, 8> scalar{};  // the scalar's bytes in the kernel's type
  std::string name;                              // of the scalar; empty if this launch has a value of its own for it
  std::string label = {};                        // what messages call it
  std::size_t bytes = 8;  // size of the kernel's parameter: a pointer, a tensor map, or the scalar's type
};

struct PlannedCopy {
  std::string from, to;
  bool to_host = false;
  std::size_t from_byte = 0, to_byte = 0, bytes = 0;
};

struct PlannedPages {
  PageStep::Kind kind = PageStep::Kind::touch;
  std::string buffer;
  std::size_t first_byte = 0;
  std::optional<std::size_t> bytes;  // nothing: all that follow
};

struct PlannedLaunch {
  std::string kernel;
  std::string place;                  // in the manifest, for messages: "launches[0]"; empty for a program's
  std::optional<PlannedCopy> copy;    // instead of a kernel
  std::optional<PlannedPages> pages;  // instead of a kernel
  int stream = 0;
  std::vector<int> after;
  LaunchGeometry geometry;
  std::vector<PlannedArgument> arguments;
  std::vector<std::string> clear;
};

struct PlannedBuffer {
  const Argument* argument = nullptr;  // the template's
  std::vector<std::int64_t> shape;
  std::size_t elements = 0;

  std::size_t bytes() const { return elements * size_bytes(argument->type); }
};

// A Plan is all launches of one run in order, with repeats unrolled. `buffers` are the temporaries. They refer to the
// template's arguments, so the template must outlive its plans.
struct Plan {
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedBuffer> buffers;
  std::map<std::string, HostMemoryKind> host_memory;  // of the arguments on the host
  std::map<std::string, bool> nondeterministic;       // of the outputs: whether they may differ from run to run
};

// These functions plan a configuration, the reference and a buffer. `scope` holds sizes, variants, limits and the
// configuration's values. They throw ExpressionError, or std::invalid_argument for a negative or fractional dimension,
// or for memory that cannot be used as a launch wants to.
Plan make_plan(const KernelTemplate& kernel, const search::NamedValues& scope);
Plan make_reference_plan(const KernelTemplate& kernel, const search::NamedValues& scope);
PlannedBuffer plan_buffer(const Argument& argument, const search::NamedValues& scope);

// Returns `value` in the representation that a kernel parameter of this type has.
std::array<std::byte, 8> scalar_bytes(ElementType type, const search::Value& value);

}  // namespace warptune::tuner
