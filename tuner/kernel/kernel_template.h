// A kernel and everything needed to call, check and tune it: the validated form of a manifest (templates/MANIFEST.md is
// the reference of every field). Plain data; where it came from (TOML, T1) no longer matters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/expression/expression.h"
#include "search/parameter.h"
#include "search/value.h"
#include "tuner/device/element_type.h"
#include "tuner/kernel/role.h"

namespace warptune::tuner {

// Expressions by name, in the order declared.
using NamedExpressions = std::vector<std::pair<std::string, search::Expression>>;

// What a buffer takes of a sparse matrix in a file (data/matrix_market.h). Rows by number are COO's, row_starts CSR's;
// both share columns and values.
enum class MatrixPart { row_starts, rows, columns, values };

struct Fill {
  // The first four are the device's own to compute (measure/memory/support_values.cu knows their numbers).
  enum class Kind { constant, range, uniform, normal, npy, matrix_market, function, raw, formula, given };
  Kind kind = Kind::constant;
  // constant: a; range: a + b·i; uniform: a … b; normal: mean a, deviation b.
  double a = 0, b = 0;
  std::uint64_t seed = 1;
  std::filesystem::path file;  // npy, matrix_market, raw (the elements' bytes and nothing else)
  MatrixPart part = MatrixPart::values;
  std::string function;                                                        // one of the template's fills
  search::Expression formula = search::Expression::constant(std::int64_t{0});  // of i, the element's index
  bool fixed = false;                                           // never drawn anew for a second set of inputs
  std::shared_ptr<const std::vector<std::byte>> contents = {};  // given: the elements' bytes
};

struct Tolerance {
  search::Expression absolute = search::Expression::constant(0.0);
  search::Expression relative = search::Expression::constant(0.0);
  search::Expression ulp = search::Expression::constant(0.0);  // units in the last place of the output's type
  bool said = true;                                            // whether the manifest does, were it to say 0
};

struct Argument {
  std::string name;
  ElementType type = ElementType::f32;
  Role role = Role::input;
  std::optional<search::Expression> value;  // scalars
  std::vector<search::Expression> shape;    // buffers: the product is the number of elements
  Fill fill;
  Tolerance tolerance;
  // Where this is true, an output may differ from run to run within its tolerance.
  search::Expression nondeterministic = search::Expression::constant(false);
  bool compares_sum = false;                 // of an output: its elements' sum is compared, and not each of them
  std::optional<search::Expression> counts;  // of an output: how many leading elements are compared; nothing: all
  ElementType reference_type = ElementType::f32;
  std::string symbol;    // the buffer goes into this __constant__ or __device__ variable
  bool zero = false;     // temporaries: cleared before each run
  bool on_host = false;  // an input or output in the host's memory …
  // … of the kind that this names (device/host_memory.h) or, without it, page-locked where `pinned` is true.
  std::optional<search::Expression> memory;
  search::Expression pinned = search::Expression::constant(false);

  bool is_output() const { return role == Role::output || role == Role::inout; }
};

// A tensor map that launches may take as an argument: a view of a buffer (device/tensor_map.h). Lists have the
// innermost dimension last; an empty shape is the buffer's own, empty strides are those of a packed tensor.
struct TensorMapArgument {
  std::string name;
  std::string of;                                       // an argument or temporary on the device
  std::vector<search::Expression> shape, strides, box;  // in elements
  search::Expression swizzle_bytes = search::Expression::constant(std::int64_t{0});
  search::Expression l2_promotion_bytes = search::Expression::constant(std::int64_t{0});
};

// From a buffer on the host to one on the device or back, in elements.
struct Copy {
  std::string from, to;
  search::Expression elements;
  search::Expression from_offset = search::Expression::constant(std::int64_t{0});
  search::Expression to_offset = search::Expression::constant(std::int64_t{0});
};

// What is done to the pages of a buffer on the host, from an element on.
struct PageStep {
  enum class Kind { to_device, to_host, touch };
  Kind kind = Kind::touch;
  std::string buffer;
  std::optional<search::Expression> elements;  // nothing: all that follow
  search::Expression offset = search::Expression::constant(std::int64_t{0});
};

// What a launch says beyond its geometry (LaunchAttributes), as expressions.
struct LaunchAttributeTexts {
  std::optional<std::array<search::Expression, 3>> cluster, preferred_cluster;
  std::optional<search::Expression> carveout, programmatic, cooperative, priority;
};

struct Launch {
  std::string kernel;             // may hold {PARAMETER}
  std::string place;              // in the manifest: "launches[0]"; empty: it has no such
  std::optional<Copy> copy;       // instead of a kernel
  std::optional<PageStep> pages;  // instead of a kernel
  std::array<search::Expression, 3> grid{one(), one(), one()};
  std::array<search::Expression, 3> block{one(), one(), one()};
  search::Expression shared_bytes = search::Expression::constant(std::int64_t{0});
  bool says_shared = true;  // whether the manifest does, were it to say 0
  LaunchAttributeTexts attributes = {};
  std::vector<std::string> arguments;
  std::optional<search::Expression> when;
  search::Expression repeat = one();
  std::size_t together = 1;  // on the first of a group: how many launches, itself included, each pass goes through
  search::Expression stream = search::Expression::constant(std::int64_t{0});
  std::vector<search::Expression> after;  // other streams whose work so far it waits for
  NamedExpressions set;                   // scalars overridden for this launch
  std::vector<std::string> clear;         // buffers set to zero bytes before it

  bool is_kernel() const { return !copy && !pages; }
  static search::Expression one() { return search::Expression::constant(std::int64_t{1}); }
};

// An extern "C" void function in a C++ source, called on the host.
struct HostFunction {
  std::string name;
  std::filesystem::path source;
  std::vector<std::string> arguments;
};

struct Reference {
  std::filesystem::path source;
  std::vector<Launch> launches;          // kernels in a .cu …
  std::optional<HostFunction> function;  // … or one function in a .cpp
  std::vector<Argument> temporaries;
  bool default_configuration = false;  // or the kernel itself at its default configuration
  // Outputs whose right values are given as data; with it, what ran before need not have covered them.
  std::map<std::string, Fill> data = {};
};

// When a session stops if the request does not say.
struct GivenBudget {
  std::optional<std::size_t> trials;
  std::optional<double> seconds;
  std::optional<double> fraction;  // of the space
};

struct Metric {
  std::string name;
  search::Expression value;
  bool higher_is_better = true;
  // Instead of the expression, for programs: the same names in, a number out.
  std::function<double(const search::NamedValues&)> function = {};
};

// What one run has to do at least: the facts of the problem, whatever the configuration does beyond them.
struct StatedWork {
  std::optional<search::Expression> flops;       // operations
  std::optional<search::Expression> bytes;       // from and to the device's memory, each byte once
  std::optional<search::Expression> arithmetic;  // a text, one of arithmetic_names(): what `flops` are computed by
};
// "fp32", "fp64", "tensor_bf16", "tensor_tf32".
const std::vector<std::string>& arithmetic_names();

// What a technique does to the counts of accesses (device/access_report.h), beside its own or another technique's.
struct Effect {
  std::string text;  // as the manifest has it: "global_loads == naive.global_loads / TILE_WIDTH"
  search::Expression holds = search::Expression::constant(true);
  struct Term {  // of another technique; `name` stands for it in `holds`
    std::string name, technique, count;
  };
  std::vector<Term> terms;
};

// A configuration with a name that people know it by (techniques.h).
struct Technique {
  std::string name;
  std::string about;                    // one sentence
  std::string lecture;                  // where it is taught; free text
  search::NamedValues parameters = {};  // the others have their defaults
  search::NamedValues variants = {};
  std::vector<Effect> effects = {};
};

struct ProgramParts;  // program.h

struct KernelTemplate {
  std::string name;
  std::string summary;
  std::filesystem::path manifest;
  std::filesystem::path source;
  bool whole_program = false;  // the source has a host part as well (whole_program.h)
  std::vector<std::string> options;
  std::vector<std::string> scratch_variables;  // __device__ variables that hold nothing from one run to the next
  std::map<std::string, std::vector<std::string>> backend_options;  // by backend
  std::vector<std::filesystem::path> include_directories;
  std::vector<std::string> backends;  // that can run it; empty: all

  // Of a session's copy of all texts (files/session_files.h); empty for a template in its own place.
  std::filesystem::path root;
  std::vector<std::string> first_includes;  // what options include before the source: names as #include takes them
  std::string headers_hash, data_hash;      // empty: there are none
  // A path as the user knows it.
  std::filesystem::path shown(const std::filesystem::path& file) const;

  search::NamedValues sizes;                        // defaults
  std::vector<std::filesystem::path> size_files;    // that some of them were read from
  std::map<std::string, std::int64_t> size_limits;  // the largest value of those that have one
  // Named choices of the problem, such as the precision: what a look-up matches exactly, where sizes may be near ones.
  // The first value of each is its default. Macros, as parameters are, of every source.
  std::vector<search::Parameter> variants;
  std::map<std::string, search::NamedValues> presets;  // sizes and variants
  std::vector<search::Parameter> parameters;
  std::vector<std::string> about;  // one for each parameter
  // Parameters that are meant to change nothing, as where one kernel is to be measured many times.
  std::vector<std::string> unused;
  search::NamedValues default_values;
  std::vector<std::string> constraints;
  // Where the manifest writes a constraint with derived names: by its text without them.
  std::map<std::string, std::string> written_constraints;
  NamedExpressions derived;  // what these names stand for; everything else is without them

  NamedExpressions defines;
  std::vector<Argument> arguments;
  std::vector<HostFunction> fills;  // in order: each may read what those before it filled
  std::vector<Argument> temporaries;
  std::vector<TensorMapArgument> tensor_maps;
  std::vector<Launch> launches;
  Reference reference;
  std::vector<Metric> metrics;
  StatedWork work;
  std::vector<Technique> techniques;
  GivenBudget budget;
  std::vector<std::string> notes;               // what the manifest says without effect, each a sentence for the user
  std::shared_ptr<const ProgramParts> program;  // instead of manifest, source, launches, reference and constraints

  // An argument or temporary by name, or nullptr.
  const Argument* find_argument(const std::string& argument) const;
  const TensorMapArgument* find_tensor_map(const std::string& argument) const;
  bool runs_on(const std::string& backend) const;
  // What the compiler is told to define: parameters, defines and variants.
  std::set<std::string> given_macros() const;
};

}  // namespace warptune::tuner
