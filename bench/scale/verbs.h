// The program's verbs. Those that a driver takes the server's figures around say "begin" and "end" (driver.h), each
// with what they count themselves; `search` prints JSON.
#pragma once

#include "bench/scale/options.h"

namespace warptune::tuner::bench {

// Brings the store's schema about, and lets users= take and record work.
void prepare(const Options& options);
// sessions= pieces of work of trials= trials each, over the recordings in turn.
void submit(const Options& options);
// workers= of them with devices= each and compilers= for each device, which make rate= trials a second each (0: as many
// as can be), for seconds= behind warm_up= seconds; 0: until nothing is left.
void work(const Options& options);
// kind=, count= times, by one connection.
void messages(const Options& options);
// One session with devices= and compilers= for each of them, on a simulated clock, until it is near the optimum.
void search_alone(const Options& options);

}  // namespace warptune::tuner::bench
