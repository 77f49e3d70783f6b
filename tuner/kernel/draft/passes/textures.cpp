// Leaves a blank for each texture reference, such as `texture<float, 2> tex;`, because CUDA 12 has none and a manifest
// fills none.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner::draft {

// Returns whether the kernel has the name, or a device function that it names has it.
bool Drafter::reads_by(const KernelFacts& kernel, const std::string& name) const {
  if (contains_word(kernel.all, name)) return true;
  return std::ranges::any_of(facts_.outline.items, [&](const SourceItem& item) {
    return item.kind == SourceItem::Kind::function && contains_word(item.head, "__device__") &&
           contains_word(item.body, name) && contains_word(kernel.body, item.name);
  });
}

void Drafter::leave_textures_blank() {
  for (const std::string& name : texture_references(facts_.outline))
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const KernelFacts& kernel = *sites_[i].kernel;
      if (!reads_by(kernel, name)) continue;
      draft_.launches[i].arguments.emplace_back(blank);
      leave_blank(fmt::format(
          "launches: {} reads the texture reference {}, which CUDA 12 has no more and no manifest fills. Let "
          "the kernel take a pointer, and read elements with __ldg",
          kernel.name, name));
    }
}

}  // namespace warptune::tuner::draft
