// Reports which of a session's configurations give the same bits, and the fastest of each class.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/results/report/best_report.h"

namespace warptune::tuner {

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
