// What `export` says on stderr of winners that it leaves out, or hands on in part, and of what a program does with
// them.
#pragma once

#include <string>
#include <vector>

#include "db/store_set.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner::cli {

// Where a problem was tuned for several objectives, or on several data, the latest winner is exported.
void say_of_other_winners(db::HistoryFilter filter, const std::vector<db::Located<db::BestRecord>>& exported,
                          const db::StoreSet& stores);

// Of a session with several objectives: what is best by the first one is exported.
void say_of_other_points(const db::BestRecord& best, const db::Store& store);

// Macros in front of a source change nothing in it where it defines them again. Nothing of a template that is not
// known.
void warn_of_own_definitions(const KernelTemplate& known);

// The lines with which the kernel's source takes the header that was written to the file `output`, and which lines of
// the source they stand for, as far as the template is known.
void say_how_to_include(const Wisdom& wisdom, const KernelTemplate& known, const std::string& output);
void say_how_to_include_macros(const Wisdom& wisdom, const std::string& prefix, const std::string& output);

// Device code takes the entry of its architecture, and host code, which has none, would launch it as the default.
void warn_of_choice(const Wisdom& wisdom);

}  // namespace warptune::tuner::cli
