// What every recording gets once it is read, whichever its format.
#pragma once

#include "db/interchange/recorded_space.h"

namespace warptune::db {

// Gives values the type that their parameter has (some tools write numbers as text), makes one trial of those that have
// one configuration, as sessions and spaces have them, and fills in the domains that the file does not say. What it
// changes is in the space's notes.
//
// Of repeated configurations the correct trials count, the first failure where there are none: their runs are taken
// together, and every other number is the median.
void make_consistent(RecordedSpace& space);

}  // namespace warptune::db
