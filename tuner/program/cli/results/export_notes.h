// Says on stderr which winners `export` leaves out or hands on in part, and what a program does with them.
#pragma once

#include <string>
#include <vector>

#include "db/store_set.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner::cli {

// Names the winners that are left out. Where a problem was tuned for several objectives, or on several data, the latest
// winner is exported.
void say_of_other_winners(db::HistoryFilter filter, const std::vector<db::Located<db::BestRecord>>& exported,
                          const db::StoreSet& stores);

// Says, for a session with several objectives, that the configuration that is best by the first one is exported.
void say_of_other_points(const db::BestRecord& best, const db::Store& store);

// Warns of lines where the source defines the macros again, since macros in front of it change nothing there. Says
// nothing of a template that is not known.
void warn_of_own_definitions(const KernelTemplate& known);

// Say the lines with which the kernel's source takes the header or the macros that were written to the file `output`.
// `say_how_to_include` also says which lines of the source they stand for, as far as the template is known.
void say_how_to_include(const Wisdom& wisdom, const KernelTemplate& known, const std::string& output);
void say_how_to_include_macros(const Wisdom& wisdom, const std::string& prefix, const std::string& output);

// Warns that host code has to choose one of several entries. Device code takes the entry of its architecture. Host code
// has no architecture, and would launch with the default's.
void warn_of_choice(const Wisdom& wisdom);

}  // namespace warptune::tuner::cli
