// Drafts how kernels are launched, with what the passes before found out.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/kernel/draft/expressions/plain_body.h"
#include "tuner/kernel/draft/facts/structure_arguments.h"
#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/integers.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns whether the kernel has the name, or a device function that it names has it.
bool reads_texture(const SourceFacts& facts, const KernelFacts& kernel, const std::string& name) {
  if (contains_word(kernel.all, name)) return true;
  return std::ranges::any_of(facts.outline.items, [&](const SourceItem& item) {
    return item.kind == SourceItem::Kind::function && contains_word(item.head, "__device__") &&
           contains_word(item.body, name) && contains_word(kernel.body, item.name);
  });
}

}  // namespace

void drop_unused_parameters(Work& work) {
  const auto launched = [&](const std::string& name) {
    const auto uses = [&](const std::string& text) { return contains_word(source_tokens(text), name); };
    for (const LaunchDraft& launch : work.draft.launches)
      if (uses(launch.kernel) || uses(launch.shared) || std::ranges::any_of(launch.grid, uses) ||
          std::ranges::any_of(launch.block, uses))
        return true;
    return std::ranges::any_of(work.draft.arguments, [&](const ArgumentDraft& argument) {
      return uses(argument.value) || uses(argument.shape);
    });
  };
  std::erase_if(work.draft.parameters, [&](const ParameterDraft& parameter) {
    return !launched(parameter.name) && !used_on_device(work.facts, work.sites, parameter.name);
  });
}

void add_launch(Work& work, Site& site) {
  LaunchDraft launch;
  launch.kernel = site.kernel->scope + site.kernel->name + site.template_text;
  const auto list = [&](const std::array<Result, 3>& given) {
    std::vector<std::string> texts;
    std::size_t count = 3;
    while (count > 1 && !given[count - 1]) --count;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(given[i] ? text_with_sizes(work, *given[i]) : "1");
    return texts;
  };
  launch.grid = list(site.grid);
  launch.block = list(site.block);
  for (const auto* texts : {&launch.grid, &launch.block})
    if (std::ranges::find(*texts, blank) != texts->end() && site.host)
      work.draft.blanks.push_back(
          fmt::format("launches: the {} of {}, which {} computes in a way that `init` cannot follow",
                      texts == &launch.grid ? "grid" : "block", site.kernel->name, site.host->where()));
  const bool dynamic = std::ranges::any_of(site.kernel->shared, &MemoryArray::is_extern);
  if (site.shared) launch.shared = text_with_sizes(work, *site.shared);
  if (dynamic && !site.host && !site.shared)
    if (const Result bytes = dynamic_shared(work, site)) {
      site.shared = bytes;
      launch.shared = text_with_sizes(work, *bytes);
      work.draft.guesses.push_back(
          fmt::format("launches: shared, as far as the indices of {} are understood; no host code "
                      "says it",
                      site.kernel->name));
    }
  if ((dynamic && !site.shared) || launch.shared == blank) {
    launch.shared = blank;
    work.draft.blanks.push_back(
        fmt::format("launches: shared, the bytes of extern __shared__ memory that {} needs{}", site.kernel->name,
                    site.host ? fmt::format(". `init` cannot follow how {} computes them", site.host->where()) : ""));
  }
  launch.cooperative = (site.host && site.host->cooperative) || waits_for_the_grid(site.kernel->body);
  launch.comments.push_back(site.host ? fmt::format("as {} launches it", site.host->where())
                                      : "from the kernel's own indices: nothing in the file launches it");
  if (!site.rounded.empty()) launch.comments.push_back(site.rounded);
  if (site.host && site.host->in_loop) {
    work.draft.guesses.push_back(
        fmt::format("{} launches {} in a loop: the manifest has it once; repeat = … makes it more", site.host->where(),
                    site.kernel->name));
  }
  for (const FunctionParameter& parameter : site.kernel->parameters) {
    for (const StructureArgument& structure : site.kernel->structures)
      if (structure.members.front().name == parameter.name) {
        launch.arguments.emplace_back(blank);
        work.draft.blanks.push_back(advice_on(structure, *site.kernel));
      }
    launch.arguments.push_back(site.buffers.contains(parameter.name) ? site.buffers.at(parameter.name)
                                                                     : parameter.name);
  }
  work.draft.launches.push_back(std::move(launch));
}

void leave_textures_blank(Work& work) {
  for (const std::string& name : texture_references(work.facts.outline))
    for (std::size_t i = 0; i < work.sites.size(); ++i) {
      const KernelFacts& kernel = *work.sites[i].kernel;
      if (!reads_texture(work.facts, kernel, name)) continue;
      work.draft.launches[i].arguments.emplace_back(blank);
      work.draft.blanks.push_back(fmt::format(
          "launches: {} reads the texture reference {}, which CUDA 12 has no more and no manifest fills. Let "
          "the kernel take a pointer, and read elements with __ldg",
          kernel.name, name));
    }
}

}  // namespace warptune::tuner::draft
