// A tuning problem as somebody recorded it: what interchange files hold, whichever their format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/parameter.h"
#include "search/trial.h"
#include "search/value.h"

namespace warptune::db {

// Milliseconds of wall clock; absent if the file does not say.
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
  // Every other number, by name: the objectives ("time"), metrics ("GFLOP/s"), in the file's order.
  std::vector<std::pair<std::string, double>> measurements;
  std::string timestamp;  // as recorded; empty if it was not

  friend bool operator==(const RecordedTrial&, const RecordedTrial&) = default;
};

struct RecordedSpace {
  std::string kernel;
  std::string device;
  std::vector<search::Value> problem_size;  // sizes, then variants
  // Their names, where the file says them, as our own do; else both are empty.
  std::vector<std::string> size_names, variant_names;
  std::vector<search::Parameter> parameters;    // domains in recorded order
  std::vector<std::string> objectives{"time"};  // names of measurements, the primary one first
  std::vector<bool> higher_is_better;           // of each objective; empty: as their names suggest
  std::vector<RecordedTrial> trials;            // in recorded order
  bool unfinished = false;  // the file lacked its end: its writer still runs, or was stopped; a half trial was dropped
  // What of the file was left out or not taken as it stands there, each a sentence for the user.
  std::vector<std::string> notes = {};

  // Whether they hold the same data; being unfinished and notes are not data.
  friend bool operator==(const RecordedSpace& a, const RecordedSpace& b);
};

// The measurement under `name`, or nothing.
std::optional<double> find_measurement(const RecordedTrial& trial, const std::string& name);

// Of at least one number.
double median_of(std::vector<double> numbers);

// A run takes some time, and what says that it took none, or less, would win: such a trial becomes a failure. Returns
// why; empty if its times can be believed, or if it is a failure already.
std::string doubt_times(RecordedTrial& trial);
// Makes it a failure for this reason, which it returns.
std::string spoil(RecordedTrial& trial, std::string why);

// Gives every parameter without a domain the values that its trials have: numbers ascending, texts as they appear.
void set_seen_domains(RecordedSpace& space);

// What a name suggests: rates ("GFLOP/s", "GFLOPS", "score") are better when higher, times and energies when lower.
bool higher_is_better(const std::string& objective);
// Of objective number i: what the file says, else what the name suggests.
bool higher_is_better(const RecordedSpace& space, std::size_t i);

// As sessions hold it: objectives to be maximised are negated; the median is of the runs, or the recorded time if there
// are none; measuring took the sum of the runs (what replaying charges for it). The configuration is left empty.
search::Trial to_trial(const RecordedSpace& space, const RecordedTrial& recorded);

}  // namespace warptune::db
