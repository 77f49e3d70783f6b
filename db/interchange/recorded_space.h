// Defines a recorded space: a tuning problem as somebody recorded it, which is what interchange files hold, whatever
// their format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/parameter.h"
#include "search/trial.h"
#include "search/value.h"

namespace warptune::db {

// RecordedPhases says where a trial's time went, in milliseconds of wall clock. A phase is absent if the file does not
// say it.
struct RecordedPhases {
  std::optional<double> compile_ms;
  std::optional<double> verify_ms;
  std::optional<double> benchmark_ms;  // of the whole measurement, overhead included
  std::optional<double> framework_ms;
  std::optional<double> strategy_ms;

  friend bool operator==(const RecordedPhases&, const RecordedPhases&) = default;
};

struct RecordedTrial {
  std::vector<search::Value> values;  // in the order of the space's parameters
  search::Outcome outcome = search::Outcome::correct;
  std::string message;           // why it failed, in the file's words ("RuntimeFailedConfig"); empty if correct
  std::vector<double> times_ms;  // of every run of the kernel
  RecordedPhases phases;
  // These are all other numbers by name, in the file's order: the objectives ("time") and metrics ("GFLOP/s").
  std::vector<std::pair<std::string, double>> measurements;
  std::string timestamp;  // as recorded; empty if it was not

  friend bool operator==(const RecordedTrial&, const RecordedTrial&) = default;
};

struct RecordedSpace {
  std::string kernel;
  std::string device;
  std::vector<search::Value> problem_size;  // sizes, then variants
  // These are the names of the sizes and of the variants. Both are empty unless the file says them, as our own files
  // do.
  std::vector<std::string> size_names, variant_names;
  std::vector<search::Parameter> parameters;    // domains in recorded order
  std::vector<std::string> objectives{"time"};  // names of measurements, the primary one first
  std::vector<bool> higher_is_better;           // of each objective; empty: as their names suggest
  std::vector<RecordedTrial> trials;            // in recorded order
  bool unfinished = false;  // the file lacked its end: its writer still runs, or was stopped; a half trial was dropped
  // Each note tells the user, in a sentence, what of the file was left out or not taken as it stands there.
  std::vector<std::string> notes = {};

  // Returns whether both hold the same data. `unfinished` and the notes are not data.
  friend bool operator==(const RecordedSpace& a, const RecordedSpace& b);
};

// Returns the measurement under `name`, or nothing.
std::optional<double> find_measurement(const RecordedTrial& trial, const std::string& name);

// Returns the median of at least one number.
double median_of(std::vector<double> numbers);

// Makes a correct trial a failure if one of its times is 0 or less. Every run takes some time, and such a trial would
// win. Returns why; empty if its times can be believed, or if it is a failure already.
std::string doubt_times(RecordedTrial& trial);
// Makes a trial a failure for this reason, and returns the reason.
std::string spoil(RecordedTrial& trial, std::string why);

// Gives every parameter without a domain the values that its trials have: numbers ascending, texts as they appear.
void set_seen_domains(RecordedSpace& space);

// Returns what a name suggests: rates ("GFLOP/s", "GFLOPS", "score") are better when higher, times and energies when
// lower.
bool higher_is_better(const std::string& objective);
// Returns whether higher is better for objective number i: what the file says, else what the name suggests.
bool higher_is_better(const RecordedSpace& space, std::size_t i);

// Returns a trial as sessions hold it. Objectives to be maximised are negated. The median is that of the runs, or the
// recorded time if there are none. The time of measuring is the sum of the runs, or the recorded benchmark phase if
// there are none; replaying charges this time. The configuration is left empty.
search::Trial to_trial(const RecordedSpace& space, const RecordedTrial& recorded);

// Makes a recording consistent once it is read, whatever its format. Gives values the type that their parameter has
// (some tools write numbers as text), makes one trial of those that have one configuration, as sessions and spaces have
// them, and fills in the domains that the file does not say. What it changes is in the space's notes.
//
// Of the trials of one configuration, the correct ones count. Their runs are joined, and every other number is their
// median. If none is correct, the first failure stays.
void make_consistent(RecordedSpace& space);

}  // namespace warptune::db
