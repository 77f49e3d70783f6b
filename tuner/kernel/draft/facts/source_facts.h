// Collects what `init` finds in a source: kernels with their signatures and shared memory, integers with a name, arrays
// in constant memory, and the launches that host code makes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/draft/expressions/c_expression.h"
#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/expressions/naming.h"
#include "tuner/kernel/draft/facts/device_variables.h"
#include "tuner/kernel/draft/facts/host_code.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

struct TemplateParameter {
  std::string name;
  bool is_type = false;
  bool is_flag = false;  // its type is bool
  std::string fallback;  // its default, as written
};

struct MemoryArray {
  std::string name, type;
  std::vector<CExpression> extents;  // none for `extern __shared__ float s[]`
  bool is_extern = false;
  bool is_filled = false;  // its values follow: = {1, 2}
  std::string scope;       // the namespaces that it is in, as "a::b::"
};

// StructureArgument is a structure that a kernel takes by value. The manifest passes its members instead.
struct StructureArgument {
  std::string name, type;                  // "p", "Params"
  std::vector<FunctionParameter> members;  // as parameters of the kernel: "p_width"
};

struct KernelFacts {
  std::string name, scope;  // "brighten" and "img::"
  std::string header;       // the header that it is in; empty: the source
  int line = 0;
  bool extern_c = false;
  std::vector<TemplateParameter> templates;
  std::vector<FunctionParameter> parameters;
  std::vector<MemoryArray> shared;
  std::optional<CExpression> bounds, min_blocks;  // of __launch_bounds__, the first and the second
  TokenSpan all, body;
  std::vector<StructureArgument> structures;                   // `parameters` has their members in their place
  std::shared_ptr<const std::vector<SourceToken>> own_tokens;  // what `body` points into, if not the source
};

// NamedInteger is an integer with a name: #define X 16, constexpr int X = 16, enum { X = 16 }.
struct NamedInteger {
  std::string name;
  std::int64_t value = 0;
  int line = 0;
  bool guarded = false;                  // its definition is guarded by #ifndef
  std::string header;                    // the header that it is in; empty: the source
  bool keeps_value = false;              // an enumerator, or one of several constants in a declaration
  std::vector<std::string> guards = {};  // macros that are defined only where it has no value yet

  std::string place() const;  // "line 3", "line 3 of params.h"
  // Returns whether its value can be given. A program's own definition gives way (whole_program.h), one of a header
  // does so only between #ifndef and #endif, and one that a macro of its name would break never does.
  bool can_be_chosen() const { return !keeps_value && (header.empty() || guarded); }
};

// HostLaunch is kernel<<<grid, block, shared>>>(arguments), or a call of the runtime that launches.
struct HostLaunch {
  std::string kernel;
  int line = 0;
  TokenSpan templates, arguments;
  std::vector<TokenSpan> configuration;
  const SourceItem* function = nullptr;
  std::size_t place = 0;      // in the function's body
  std::string where() const;  // "line 3", "line 3 of run.cu"
  bool in_loop = false, cooperative = false;
  std::shared_ptr<const std::vector<SourceToken>> own_tokens;  // what `arguments` points into, if not the source
  // Member is a member of a structure's variable: `written` is "grid.nx", `name` is what the kernel's parameter for it
  // is called, and `value` is the host's value, if known.
  struct Member {
    std::string written, name;
    TokenSpan value;
  };
  std::vector<Member> members;
};

struct SourceFacts {
  explicit SourceFacts(std::string_view source, const HeaderReader& read = {});

  SourceOutline outline;
  HostCode host;
  std::vector<KernelFacts> kernels;
  std::vector<NamedInteger> integers;
  std::map<std::string, CExpression> derived;  // macros and constants that are made of other names
  std::vector<MemoryArray> constant_arrays;    // __constant__ ones, and __device__ ones that the host copies to
  std::vector<SymbolCopy> symbol_copies;
  std::vector<HostLaunch> launches;
  std::map<std::string, Element> structures;                      // those whose members are numbers of one type
  std::map<std::string, std::vector<FunctionParameter>> members;  // of structures of numbers and pointers
  // `aliases` holds names of types: typedef unsigned char byte, #define REAL float. Those that #if chooses among are
  // left out.
  std::map<std::string, std::string> aliases;

  const KernelFacts* find_kernel(const std::string& name) const;
  const NamedInteger* find_integer(const std::string& name) const;
  // Returns what an alias stands for, or the type itself if it is none.
  const std::string& without_alias(const std::string& type) const;

 private:
  std::set<std::string> namespaces_;

  std::vector<SourceToken> expanded(TokenSpan tokens) const;
  void read_symbols();
  void add_integer(NamedInteger integer, const CExpression& value);
  void add_constants(const SourceItem& item);
  void resolve_aliases();
};

// Reads the launches in a function of the host: kernel<<<…>>>(…), cudaLaunchKernel, cudaLaunchCooperativeKernel and
// cudaLaunchKernelEx (host_launches.cpp).
void read_launches(const SourceItem& function, std::vector<HostLaunch>& launches);

}  // namespace warptune::tuner::draft
