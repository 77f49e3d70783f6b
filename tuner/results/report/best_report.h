// Lists the winners: for each kernel, device and problem size the best configuration there is, and for one session the
// fastest of each class of configurations that give the same bits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/store.h"
#include "tuner/results/report/history_report.h"

namespace warptune::tuner {

struct BestRow {
  db::BestRecord best;
  std::vector<db::StoredTrial> shown;  // the winner; with several objectives the whole front
  std::string store;                   // empty if there is only one
  std::string differs;                 // parts of the key that are not today's
};

// Returns what BestRow::shown is, from the store that the winner lies in.
std::vector<db::StoredTrial> shown_trials(const db::BestRecord& best, const db::Store& store);

// Returns whether the finals held nothing beside the winner but the default configuration, so that AHEAD BY is empty.
bool lacks_runner_up(const db::Winner& winner);

// Returns the table. It has names, kinds and captures only if they say something, unless everything is asked for.
Table best_table(const std::vector<BestRow>& rows, Columns wanted);

// A class holds the configurations whose outputs were equal bit for bit.
struct BitsClass {
  search::OutputBits bits;
  std::size_t configurations = 0;
  bool of_default = false;  // whether the default configuration is one
  db::StoredTrial fastest;  // by its settled time; the winner in its own class
};

// Returns the classes, the fastest first. `without` counts correct configurations that are in none: their outputs are
// declared nondeterministic, were not verified, or were measured by an older version.
std::vector<BitsClass> bits_classes(const db::BestRecord& best, const std::vector<db::StoredTrial>& trials,
                                    std::size_t& without);

// Holds the classes of one session, which get a row each; `store` is as in BestRow.
struct ClassesRow {
  db::BestRecord best;
  std::vector<BitsClass> classes;
  std::string store;
};
Table classes_table(const std::vector<ClassesRow>& rows);

// Returns what a session had to choose from that asks for the bits of `wanted` (TuneRequest::same_bits_as): "as the
// default configuration: 18 of 40 correct configurations". It is empty if the session asks for none.
std::string same_bits_text(const std::string& wanted, const std::vector<db::StoredTrial>& trials);

}  // namespace warptune::tuner
