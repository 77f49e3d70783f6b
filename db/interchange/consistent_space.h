// Makes every recording consistent once it is read, whatever its format.
#pragma once

#include "db/interchange/recorded_space.h"

namespace warptune::db {

// Gives values the type that their parameter has (some tools write numbers as text), makes one trial of those that have
// one configuration, as sessions and spaces have them, and fills in the domains that the file does not say. What it
// changes is in the space's notes.
//
// Of the trials of one configuration, the correct ones count. Their runs are joined, and every other number is their
// median. If none is correct, the first failure stays.
void make_consistent(RecordedSpace& space);

}  // namespace warptune::db
