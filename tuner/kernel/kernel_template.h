// A KernelTemplate is a kernel and everything needed to call, check and tune it. It is the validated form of a manifest
// (templates/MANIFEST.md is the reference of every field). It is plain data: where it came from (TOML, T1) no longer
// matters.
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

// NamedExpressions holds expressions by name, in the order declared.
using NamedExpressions = std::vector<std::pair<std::string, search::Expression>>;

// A MatrixPart is what a buffer takes of a sparse matrix in a file (data/matrix_market.h). `rows`, the row number of
// each nonzero, belongs to COO, and `row_starts` to CSR. Both formats share columns and values.
enum class MatrixPart { row_starts, rows, columns, values };

struct Fill {
  // The device computes the first four kinds itself (measure/memory/support_values.cu knows their numbers).
  enum class Kind { constant, range, uniform, normal, npy, matrix_market, function, raw, formula, given };
  Kind kind = Kind::constant;
  // The kind says what `a` and `b` mean. constant: a; range: a + b·i; uniform: a … b; normal: mean a, deviation b.
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
  bool said = true;                                            // whether the manifest gives a tolerance, even one of 0
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
  bool on_host = false;  // whether an input or output is in the host's memory
  // `memory` gives the kind of the host's memory (device/host_memory.h). Without it, the memory is page-locked where
  // `pinned` is true, and pageable elsewhere.
  std::optional<search::Expression> memory;
  search::Expression pinned = search::Expression::constant(false);

  bool is_output() const { return role == Role::output || role == Role::inout; }
};

// A tensor map is a view of a buffer that launches may take as an argument (device/tensor_map.h). Lists have the
// innermost dimension last. An empty shape stands for the buffer's own, and empty strides for those of a packed tensor.
struct TensorMapArgument {
  std::string name;
  std::string of;                                       // an argument or temporary on the device
  std::vector<search::Expression> shape, strides, box;  // in elements
  search::Expression swizzle_bytes = search::Expression::constant(std::int64_t{0});
  search::Expression l2_promotion_bytes = search::Expression::constant(std::int64_t{0});
};

// A Copy moves elements from a buffer on the host to one on the device, or back.
struct Copy {
  std::string from, to;
  search::Expression elements;
  search::Expression from_offset = search::Expression::constant(std::int64_t{0});
  search::Expression to_offset = search::Expression::constant(std::int64_t{0});
};

// A PageStep prefetches or touches the pages of a buffer on the host, from the element `offset` on.
struct PageStep {
  enum class Kind { to_device, to_host, touch };
  Kind kind = Kind::touch;
  std::string buffer;
  std::optional<search::Expression> elements;  // nothing: all that follow
  search::Expression offset = search::Expression::constant(std::int64_t{0});
};

// LaunchAttributeTexts holds what a launch says beyond its geometry (LaunchAttributes), as expressions.
struct LaunchAttributeTexts {
  std::optional<std::array<search::Expression, 3>> cluster, preferred_cluster;
  std::optional<search::Expression> carveout, programmatic, cooperative, priority;
};

struct Launch {
  std::string kernel;             // may hold {PARAMETER}
  std::string place;              // its key in the manifest: "launches[0]"; empty: it has none
  std::optional<Copy> copy;       // instead of a kernel
  std::optional<PageStep> pages;  // instead of a kernel
  std::array<search::Expression, 3> grid{one(), one(), one()};
  std::array<search::Expression, 3> block{one(), one(), one()};
  search::Expression shared_bytes = search::Expression::constant(std::int64_t{0});
  bool says_shared = true;  // whether the manifest gives shared_bytes, even as 0
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

// A HostFunction is an extern "C" void function in a C++ source. It is called on the host.
struct HostFunction {
  std::string name;
  std::filesystem::path source;
  std::vector<std::string> arguments;
};

struct Reference {
  std::filesystem::path source;
  std::vector<Launch> launches;          // kernels in a .cu file
  std::optional<HostFunction> function;  // instead of launches: one function in a .cpp file
  std::vector<Argument> temporaries;
  bool default_configuration = false;  // instead of both: the kernel at its default configuration
  // These outputs have right values that are given as data. The data replaces what the default configuration computed,
  // which need not have written these outputs.
  std::map<std::string, Fill> data = {};
};

// A GivenBudget says when a session stops if the request does not say.
struct GivenBudget {
  std::optional<std::size_t> trials;
  std::optional<double> seconds;
  std::optional<double> fraction;  // of the space
};

struct Metric {
  std::string name;
  search::Expression value;
  bool higher_is_better = true;
  // Programs give this function instead of the expression. It takes the same names and returns the metric's value.
  std::function<double(const search::NamedValues&)> function = {};
};

// StatedWork is what one run has to do at least. These are facts of the problem, whatever the configuration does beyond
// them.
struct StatedWork {
  std::optional<search::Expression> flops;       // operations
  std::optional<search::Expression> bytes;       // from and to the device's memory, each byte once
  std::optional<search::Expression> arithmetic;  // gives one of arithmetic_names(): what computes the `flops`
};
// Returns "fp32", "fp64", "tensor_bf16" and "tensor_tf32".
const std::vector<std::string>& arithmetic_names();

// An Effect says what a technique does to the counts of accesses (device/access_report.h), compared with its own other
// counts or with those of another technique.
struct Effect {
  std::string text;  // as the manifest has it: "global_loads == naive.global_loads / TILE_WIDTH"
  search::Expression holds = search::Expression::constant(true);
  struct Term {  // a count of another technique; `name` stands for it in `holds`
    std::string name, technique, count;
  };
  std::vector<Term> terms;
};

// A Technique is a configuration with a name that people know it by (techniques.h).
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

  // The following members describe a session's copy of all texts (files/session_files.h). They are empty for a template
  // in its own place.
  std::filesystem::path root;
  std::vector<std::string> first_includes;  // what options include before the source: names as #include takes them
  std::string headers_hash, data_hash;      // empty: there are none
  // Returns a path as the user knows it, without the folder of a session's copy.
  std::filesystem::path shown(const std::filesystem::path& file) const;

  search::NamedValues sizes;                        // defaults
  std::vector<std::filesystem::path> size_files;    // files that some of the sizes were read from
  std::map<std::string, std::int64_t> size_limits;  // the largest value of each size that has one
  // Variants are named choices of the problem, such as the precision. A look-up matches them exactly, whereas sizes may
  // be near ones. The first value of each is its default. They become macros as parameters do, and every source gets
  // them.
  std::vector<search::Parameter> variants;
  std::map<std::string, search::NamedValues> presets;  // sizes and variants
  std::vector<search::Parameter> parameters;
  std::vector<std::string> about;  // a sentence for each parameter; may be empty
  // These parameters are meant to change nothing, as where one kernel is to be measured many times.
  std::vector<std::string> unused;
  search::NamedValues default_values;
  std::vector<std::string> constraints;
  // Each constraint that the manifest writes with derived names is here as written, by its text without them.
  std::map<std::string, std::string> written_constraints;
  NamedExpressions derived;  // what derived names stand for; other expressions are without them

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

  // Returns an argument or temporary by name, or nullptr.
  const Argument* find_argument(const std::string& argument) const;
  const TensorMapArgument* find_tensor_map(const std::string& argument) const;
  bool runs_on(const std::string& backend) const;
  // Returns what the compiler is told to define: parameters, defines and variants.
  std::set<std::string> given_macros() const;
};

// Returns the template's notes and those that hold on this backend alone, each with the file that it is of.
std::vector<std::string> notes_on(const KernelTemplate& kernel, const std::string& backend);

}  // namespace warptune::tuner
