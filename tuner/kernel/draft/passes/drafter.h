// Turns what is in a source into a draft of its manifest. Private to this folder.
#pragma once

#include <array>
#include <map>
#include <set>

#include "tuner/kernel/draft/expressions/body_analysis.h"
#include "tuner/kernel/draft/expressions/naming.h"
#include "tuner/kernel/draft/facts/host_scope.h"
#include "tuner/kernel/draft/passes/draft.h"

namespace warptune::tuner::draft {

inline constexpr char axes[] = "xyz";

// A Site is one launch that the manifest describes, with what is known of it.
struct Site {
  const KernelFacts* kernel = nullptr;
  const HostLaunch* host = nullptr;                 // null: nothing in the file launches the kernel
  HostScope scope = {};                             // of the host's variables
  BodyAnalysis body = {};                           // of the kernel
  std::map<std::string, std::string> types = {};    // template types
  std::map<std::string, CExpression> given = {};    // the kernel's scalars and template values, in sizes and parameters
  std::set<std::string> guessed = {};               // names in `given` whose values the source does not say
  std::map<std::string, std::string> buffers = {};  // the kernel's parameters, and the manifest's names
  std::array<std::optional<CExpression>, 3> grid = {}, block = {}, axis = {};  // axis: all threads along each axis
  std::optional<CExpression> shared = {};
  std::string template_text = {};                              // "<float, {BLOCK_SIZE}>"
  std::map<std::string, std::int64_t> template_literals = {};  // parameters that the launch has as numbers: k<4>
  std::string rounded = {};  // how the host's grid was changed, in words; empty: not at all
};

// A BlockIndex holds the parts of an index such as blockIdx.x * covered + threadIdx.y: what a block covers along an
// axis, and the threads that go along it.
struct BlockIndex {
  std::string blocks, threads;         // "blockIdx.x", "threadIdx.y"; empty if there are none
  std::optional<CExpression> covered;  // nothing without blocks
};
BlockIndex block_index_of(const CExpression& index);
// Returns M for the rows (y) or N for the columns (x) of a matrix product, if the names have M, N and K, as everybody
// calls them.
std::optional<CExpression> size_of_product(const std::vector<std::string>& names, int axis);
// Returns the block's index along an axis ("blockIdx.x"), and the variables that are made of it.
std::set<std::string> made_of(const std::string& block_index, const BodyAnalysis& body);

class Drafter {
 public:
  Drafter(const SourceFacts& facts, std::string kernel, bool any_size = false)
      : facts_(facts), chosen_(std::move(kernel)), any_size_(any_size) {}

  // Drafts all but the reference, which needs the rest. Throws RequestError for a kernel that is not there.
  Draft run();

 private:
  // draft_sites.cpp
  void choose_sites();
  void refuse_overloads(const KernelFacts& kernel) const;
  void note_launch_behind_loop(const HostLaunch& within, const HostLaunch& behind);
  void choose_among_launches(const std::string& kernel);

  // draft.cpp
  std::optional<Use> covered_by_blocks(const std::string& name) const;
  bool is_min_blocks(const std::string& name) const;
  Use use_of_integer(const NamedInteger& integer) const;
  bool may_be_chosen(const NamedInteger& integer) const;
  void keep_as_constant(const NamedInteger& integer, Use use);
  void classify_integers();
  void add_constraint(const std::string& text);
  void add_constraints();
  void drop_unused_parameters();
  bool used_on_device(const std::string& name, int depth = 8) const;
  ParameterDraft& add_parameter(const std::string& name, Use use, std::int64_t value, const std::string& comment);
  void leave_blank(const std::string& what) { draft_.blanks.push_back(what); }

  // draft_sizes.cpp
  bool goes_over_pairs() const;
  bool is_held_in_16_bits(const std::string& size) const;
  void note_calls(SizeDraft& size);
  bool settle_changed(SizeDraft& size);
  void settle_sizes();
  std::int64_t elements_of(const ArgumentDraft& argument, std::int64_t SizeDraft::*of_size) const;
  std::size_t axes_of_unknown_lengths() const;
  void keep_buffers_small();

  // draft_per_thread.cpp
  CExpression without_derived(const CExpression& expression, int depth = 8) const;
  bool is_per_thread(const std::string& name) const;
  bool is_per_thread(const Site& site, const std::string& name) const;
  CExpression without_per_thread(const Site& site, const CExpression& product) const;
  void note_undecided_block(const Site& site, const CExpression& block, int axis);

  // draft_undefined.cpp
  std::vector<std::string> undefined_names() const;
  bool is_defined(const std::string& name) const;
  bool leave_if_no_size(const std::string& name);
  void add_undefined_names();

  // draft_scalars.cpp
  CExpression value_of_byte(Site& site, const std::string& name, const CExpression& known);
  void take_scalars(Site& site);

  // draft_host_values.cpp
  static std::optional<CExpression> dimension_in_host(const Site& site, const std::string& name);
  static std::optional<CExpression> scalar_of_member(const Site& site, const std::string& name);
  static std::optional<CExpression> block_in_host(const Site& site, const std::string& name);
  std::optional<CExpression> host_replacement(const Site& site, const std::string& name, int depth, bool folds);
  CExpression resolved(const Site& site, const CExpression& expression);
  // Returns the same as `resolved`, but with all numbers as the source has them: (512 + 32 - 1) / 32.
  CExpression opened(const Site& site, const CExpression& expression);
  CExpression opened_in_host(const Site& site, const CExpression& expression, const Replacement& known) const;

  // draft_launches.cpp
  std::vector<CExpression> dimensions(const Site& site, TokenSpan tokens) const;
  std::string fresh_name(const std::string& name) const;
  void add_size(const std::string& name);
  CExpression resolved_in_kernel(const Site& site, const CExpression& expression, int depth = 8) const;
  bool in_sizes(const CExpression& expression) const;
  std::string text_with_sizes(const CExpression& expression);
  std::string type_in_host(const Site& site, const std::string& parameter, const std::string& written) const;
  void guess_type(const Site& site, const std::string& parameter, const std::string& written);
  void take_templates(Site& site);
  std::string template_value(Site& site, const TemplateParameter& parameter, const std::optional<CExpression>& given);
  void add_launch(Site& site);

  // draft_host_geometry.cpp
  bool is_block_of_launch(const std::string& name) const;
  void note_fixed_grid(const Site& site, std::size_t axis);
  void take_host_geometry(Site& site);
  void take_host_block(Site& site, const std::vector<CExpression>& dimensions);
  static bool is_block_of_device(const Site& site, const std::string& name);
  bool is_open_block(const Site& site, const CExpression& block, int axis) const;
  CExpression without_unknown(const Site& site, const CExpression& dimension, bool is_block = false);
  void note_template_literals(const Site& site);
  const NamedInteger* block_without_launch() const;
  CExpression new_block_parameter(const Site& site, int axis, std::int64_t value);
  CExpression grid_of_blocks(const Site& site, const CExpression& grid, const ParameterDraft& block);

  // draft_host_shared.cpp
  std::set<std::string> sizes_of_launch(const Site& site);
  std::optional<CExpression> known_in_bytes(const Site& site, const std::string& name,
                                            const std::set<std::string>& sizes) const;
  void take_host_shared(Site& site, const std::optional<CExpression>& bytes);

  // draft_geometry.cpp
  // A Cover says what a block covers along an axis, and by which variable. It says how many threads share a value of
  // the variable, if several do.
  struct Cover {
    std::optional<CExpression> elements;
    std::string variable;
    std::optional<CExpression> threads_each;
  };
  Cover cover_of_axis(const Site& site, int axis) const;
  void find_block(Site& site, int axis);
  void find_grid(Site& site, int axis);
  void find_geometry(Site& site);
  std::optional<CExpression> covered_later(const Site& site, int axis) const;
  CExpression without_locals(const Site& site, const CExpression& expression) const;
  std::optional<CExpression> covered_by_threads(const Site& site, int axis) const;
  std::optional<CExpression> step_of_threads(const Site& site, int axis, const std::optional<CExpression>& covered);
  std::optional<CExpression> block_in_source(const Site& site, int axis,
                                             const std::optional<CExpression>& stride) const;
  CExpression block_of_axis(const Site& site, int axis, const std::optional<CExpression>& stride);
  std::optional<CExpression> bound_of_axis(const Site& site, const std::string& variable) const;
  std::optional<CExpression> size_of_axis(const Site& site, int axis, bool whole_rows) const;

  // draft_macro_sizes.cpp
  std::vector<std::string> macro_sizes() const;
  std::optional<CExpression> row_length(const Site& site, int axis, const std::vector<std::string>& sizes) const;
  std::optional<CExpression> macro_size_of_axis(const Site& site, int axis);

  // draft_offsets.cpp
  std::string passed_from_within(const Site& site, const FunctionParameter& parameter) const;
  bool leave_if_from_within(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument);

  // draft_shifts.cpp
  bool is_shift(const Site& site, const std::string& name) const;
  void find_shifts(Site& site) const;
  bool settle_shift(SizeDraft& size);

  // draft_literals.cpp
  std::optional<CExpression> literal_block(const Site& site, int axis);
  const ParameterDraft* parameter_of_literal(const Site& site, int axis, std::int64_t value);
  void note_literal_blocks(const Site& site);
  std::string advice_on_literals(const Site& site) const;
  void require_parameters();

  // draft_whole_blocks.cpp
  struct WholeBlocks {
    CExpression whole, covered;
    std::string text, kernel;  // "n % TILE"
    std::string floor = {};    // the place of a launch whose grid rounds down, though the kernel has a bound
  };
  bool is_unbounded(const Site& site, int axis) const;
  bool is_bounded_by(const Site& site, int axis, const CExpression& covered, const CExpression& whole) const;
  bool bounds_all_stores(const Site& site, int axis, const std::set<std::string>& bounded) const;
  bool rounds_down(const Site& site, int axis) const;
  void round_up_grid(Site& site);
  void add_whole_blocks(const Site& site, const CExpression& whole, const CExpression& covered,
                        const std::string& floor = {});
  void require_whole_blocks(const Site& site);
  void note_inclusive_bounds(const Site& site);
  std::optional<std::int64_t> value_of(const std::string& text, std::int64_t SizeDraft::*of_size) const;
  void round_sizes();
  static std::string about_rest(const WholeBlocks& part, bool is_left);
  void explain_whole_blocks(const std::vector<const WholeBlocks*>& kept);
  void settle_whole_blocks();

  // draft_blocks.cpp
  void widen_blocks();

  // draft_rows.cpp
  std::optional<CExpression> threads_in_rows(const Site& site, int axis) const;
  void take_rows_of_threads(Site& site, int axis, const CExpression& threads);

  // draft_roles.cpp
  void set_role(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument) const;

  // draft_partial_sums.cpp
  std::optional<std::string> most_blocks(const Site& site);
  bool take_partial_sums(const Site& site, const FunctionParameter& parameter, const std::string& host_name,
                         ArgumentDraft& argument);

  // draft_textures.cpp
  bool reads_by(const KernelFacts& kernel, const std::string& name) const;
  void leave_textures_blank();

  // draft_defaults.cpp
  std::vector<std::string> conditions() const;
  bool holds_by_default(const std::string& condition) const;
  ParameterDraft* largest_guess(const std::string& condition);
  void settle_defaults();

  // draft_shared.cpp
  std::optional<CExpression> extent_of(const Site& site, const CExpression& index, int depth = 8) const;
  std::optional<CExpression> extent_of_name(const Site& site, const std::string& name, int depth) const;
  std::optional<CExpression> dynamic_shared(const Site& site) const;

  // draft_shapes.cpp
  SizeOf sizes_for(const Site& site) const;
  std::optional<std::string> shape_of(const Site& site, const FunctionParameter& parameter, const Element& element,
                                      bool& depends_on_parameters);
  CExpression without_new_sizes(const Site& site, const CExpression& bytes) const;
  std::optional<std::string> shape_by_indices(const Site& site, const FunctionParameter& parameter,
                                              ArgumentDraft& argument);
  static void take_segments(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument,
                            std::optional<std::string>& shape);

  // draft_arguments.cpp
  void add_arguments(Site& site);
  std::string value_in_sizes(const Site& site, TokenSpan argument);
  void add_scalar(const Site& site, const FunctionParameter& parameter);
  void add_buffer(Site& site, const FunctionParameter& parameter);
  static std::string host_variable(const Site& site, const FunctionParameter& parameter);
  void share_buffer(Site& site, const FunctionParameter& parameter, ArgumentDraft& known);
  bool is_between_launches(const Site& site, const ArgumentDraft& argument, const std::string& host_name,
                           bool varies) const;
  static bool is_of_blocks(const Site& site, const std::string& buffer);
  void leave_shape_blank(const Site& site, const std::string& buffer, ArgumentDraft& argument, bool varies);
  std::optional<std::string> fill_by_program(const MemoryArray& array, const std::string& shape) const;
  void add_constant_arrays(const Site& site);
  void require_output();

  const SourceFacts& facts_;
  const std::string chosen_;
  const bool any_size_;
  std::vector<Site> sites_;
  Draft draft_;
  std::map<std::string, std::int64_t> known_values_;    // of sizes
  std::map<std::string, std::string> block_variables_;  // the host's variables, and the parameter in the place of each
  std::map<std::string, std::int64_t> template_numbers_;  // the host's constants that a template keeps
  std::vector<WholeBlocks> whole_blocks_;                 // what the constraints are made of
  mutable int replacements_ = 0;                          // limits the replacements, so that circular definitions end
  std::set<std::string> fixed_;                           // integers that stay as the source has them
  std::vector<std::string> constants_;  // for tunable ones in `fixed_`: what to write so that they can be chosen
};

// Fills in draft.reference from the file, or from nothing: then the default configuration is the reference.
void add_reference(const std::string& file, const std::string& text, const HeaderReader& read, Draft& draft);

// Returns whether `if (NAME …)` stands before a store to what one of the kernel's pointers points to, and no store of
// its `else` has the same buffer. Then the other value of NAME leaves an output unwritten.
bool guards_a_store(const KernelFacts& kernel, const std::string& name);

std::string tolerance_of(ElementType type);

}  // namespace warptune::tuner::draft
