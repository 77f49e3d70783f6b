// Declares the readers of two formats of others, which take one record after the other.
#pragma once

#include "db/interchange/json_records.h"
#include "db/interchange/recorded_space.h"

namespace warptune::db {

// Reads Kernel Tuner's cache files, from its first ones to 1.5. It takes the records that read_json_records() hands out
// of the collection "cache". All functions throw std::invalid_argument.
class KernelTunerReader {
 public:
  // Adds a record. Returns why it became a failure although it does not call itself one; empty if it did not.
  std::string add(const JsonHeader& header, const Json& record);
  RecordedSpace finish(const JsonHeader& header);

 private:
  void begin(const Json& header);

  bool begun_ = false;
  RecordedSpace space_;
};

// Reads the T4 results format of the auto-tuning community (github.com/odgaard/TuningSchema), version 1.0.0. It takes
// the records that read_json_records() hands out of the collection "results". All functions throw
// std::invalid_argument.
class T4Reader {
 public:
  // Adds a record. Returns why it became a failure although it calls itself correct; empty if it did not.
  std::string add(const JsonHeader& header, const Json& record);
  // Ends the reading. The header may come after the results, and holds the unit of their times.
  RecordedSpace finish(const JsonHeader& header);

 private:
  // Says which of a trial's numbers have which unit.
  struct Units {
    std::optional<double> times;      // milliseconds in the unit of "times", by the record's measurements
    std::vector<std::size_t> unsaid;  // measurements that are times and do not say their unit
  };

  void begin(const Json& record);
  std::string read_measurements(const Json& record, RecordedTrial& trial, Units& units) const;
  std::string complete(RecordedTrial& trial, Units& units, std::string doubt) const;
  void scale_times(const Json& metadata);
  void set_domains(const Json& metadata);

  RecordedSpace space_;
  std::vector<Units> units_;  // one for each trial
};

}  // namespace warptune::db
