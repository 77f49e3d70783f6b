// The passes that turn the facts of a source into a draft of its manifest. Each needs what those before it have found.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/draft/passes/work.h"

namespace warptune::tuner::draft {

// Runs all passes. It drafts all but the reference, which needs the rest. With `any_size`, constraints that keep a
// kernel without bounds to whole blocks are left out. Throws RequestError for a kernel that is not there.
Draft make_draft(const SourceFacts& facts, const std::string& kernel, bool any_size = false);

// Chooses the launches that the manifest describes: that of the chosen kernel, and those that it exchanges data with.
// An empty name chooses the first kernel that is launched, or else the first. What is left out becomes a guess. Throws
// RequestError for a kernel that is not there.
std::vector<Site> choose_sites(const SourceFacts& facts, const std::string& chosen, std::vector<std::string>& guesses);

// Reads the kernel's body, and what the host says before the launch.
void read_site(const SourceFacts& facts, Site& site);

// Finds the scalars that move all indices of a buffer, as in y[i + offset].
void find_shifts(Site& site);

// Decides which integers of the source are parameters, sizes or constants. Returns, for tunable ones that stay
// constants, what to write so that they can be chosen.
std::vector<std::string> classify_integers(Work& work);

// Adds names that the source defines nowhere and that say what a block covers or how long a shared array is.
void add_undefined_names(Work& work);

// Chooses what stands for the kernel's template parameters, and writes them as the launch's kernel has them.
void read_template_arguments(Work& work, Site& site);

// Takes the grid, the block and the dynamic shared memory from the host's code.
void read_host_geometry(Work& work, Site& site);

// Notes a parameter that has the block's number of threads as its default and that the kernel uses, where no index says
// whether it is the block.
void note_literal_blocks(Draft& draft, const Site& site);

// Reads what the launch passes for the kernel's integers.
void read_scalars(Work& work, Site& site);

// Derives the grid and the block of a kernel that nothing launches from what its indices ask for. It finds blocks
// first, because row = blockIdx.x * blockDim.y + threadIdx.y counts the blocks of one axis in threads of another.
void find_geometry(Work& work, Site& site);

// Rounds the host's grid up, because the host knows its n and a manifest is for any n. This happens only where each
// thread has one element, because further elements may have no check.
void round_up_grid(const Work& work, Site& site);

// Adds what the kernel is called with: scalars, buffers, and the __constant__ arrays that it reads.
void add_arguments(Work& work, Site& site);

// Adds the launch, with what is known of the site.
void add_launch(Work& work, Site& site);

// WholeBlocks says that a size, or what is made of sizes, has to be a multiple of what blocks cover.
struct WholeBlocks {
  CExpression whole, covered;
  std::string text, kernel;  // "n % TILE"
  std::string floor = {};    // the place of a launch whose grid rounds down, though the kernel has a bound
};

// Returns the sizes that have to consist of whole blocks of a launch.
std::vector<WholeBlocks> whole_blocks_of(const Work& work, const Site& site);

// Notes bounds such as `if (i <= n)`, which is right for arrays of n + 1 elements. For arrays of n elements it is the
// most common way to run past the end.
void note_inclusive_bounds(Draft& draft, const Site& site);

// Leaves a blank where no argument is an output, and notes random integers that a kernel takes as indices.
void require_output(const std::vector<Site>& sites, Draft& draft);

// Leaves a blank for each texture reference, because CUDA 12 has none and a manifest fills none.
void leave_textures_blank(Work& work);

// Drops the numbers of the host's code that no drafted launch or argument uses, and no code of the device.
void drop_unused_parameters(Work& work);

// Chooses the values of sizes: what the host says, and usual ones where it says nothing.
void choose_sizes(Work& work);

// Adds the constraints that keep sizes to whole blocks, and says why they are there.
void constrain_to_whole_blocks(Draft& draft, const std::vector<WholeBlocks>& parts);

// Widens blocks of two axes to rows of up to 256 threads, which usually win where an array has rows. A constraint on
// the product keeps out blocks of few threads.
void widen_blocks(const std::vector<Site>& sites, Draft& draft);

// Adds the constraints that keep the static shared memory to 48 KiB. What is beyond need not be compiled.
void limit_shared_memory(Work& work);

// Chooses a default configuration that satisfies the manifest's own constraints, and that a device can launch.
void choose_defaults(const std::vector<Site>& sites, Draft& draft);

// Leaves a blank where nothing tunable was found, with advice on what to make tunable.
void require_parameters(Work& work, const std::vector<std::string>& constants);

// Renames what means something else in a manifest's expressions than in the source: time is what a run takes, warp_size
// is the device's, max is a function, and `in` is a word of the language.
void rename_reserved(Draft& draft);

}  // namespace warptune::tuner::draft
