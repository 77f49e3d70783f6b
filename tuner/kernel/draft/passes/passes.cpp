// Runs the passes in their order.
#include "tuner/kernel/draft/passes/passes.h"

#include <algorithm>

namespace warptune::tuner::draft {

namespace {

// Returns the names of what a kernel may read and write: its pointers, arrays in constant memory, dynamic shared
// memory.
std::set<std::string> buffers_of(const KernelFacts& kernel, const std::vector<MemoryArray>& constant_arrays) {
  std::set<std::string> names;
  for (const FunctionParameter& parameter : kernel.parameters)
    if (parameter.pointers > 0) names.insert(parameter.name);
  for (const MemoryArray& array : constant_arrays) names.insert(array.name);
  for (const MemoryArray& array : kernel.shared)
    if (array.is_extern) names.insert(array.name);
  return names;
}

// Adds those that are not there yet.
void add_parts(const std::vector<WholeBlocks>& found, std::vector<WholeBlocks>& parts) {
  for (const WholeBlocks& part : found)
    if (std::ranges::find(parts, part.text, &WholeBlocks::text) == parts.end()) parts.push_back(part);
}

}  // namespace

void read_site(const SourceFacts& facts, Site& site) {
  site.body = analyse_body(site.kernel->body, facts.outline, buffers_of(*site.kernel, facts.constant_arrays));
  if (site.host) site.scope = read_host_scope(facts, *site.host);
}

Draft make_draft(const SourceFacts& facts, const std::string& kernel, bool any_size) {
  Work work{.facts = facts};
  work.sites = choose_sites(facts, kernel, work.draft.guesses);
  for (Site& site : work.sites) {
    read_site(facts, site);
    find_shifts(site);
  }
  const std::vector<std::string> constants = classify_integers(work);
  add_undefined_names(work);
  std::vector<WholeBlocks> whole_blocks;
  for (Site& site : work.sites) {
    read_template_arguments(work, site);
    if (site.host) read_host_geometry(work, site);
    note_literal_blocks(work.draft, site);
    read_scalars(work, site);
    if (!site.host) find_geometry(work, site);
    round_up_grid(work, site);
    add_arguments(work, site);
    add_launch(work, site);
    add_parts(whole_blocks_of(work, site), whole_blocks);
    note_inclusive_bounds(work.draft, site);
  }
  require_output(work.sites, work.draft);
  leave_textures_blank(work);
  drop_unused_parameters(work);
  choose_sizes(work);
  if (!any_size) constrain_to_whole_blocks(work.draft, whole_blocks);
  widen_blocks(work.sites, work.draft);
  limit_shared_memory(work);
  choose_defaults(work.sites, work.draft);
  require_parameters(work, constants);
  return std::move(work.draft);
}

}  // namespace warptune::tuner::draft
