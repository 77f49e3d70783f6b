// The T4 results format of the auto-tuning community (github.com/odgaard/TuningSchema), version 1.0.0.
#pragma once

#include "db/interchange/json_records.h"
#include "db/interchange/recorded_space.h"

namespace warptune::db {

// Feeds on what read_json_records hands out of the collection "results". All throw std::invalid_argument.
class T4Reader {
 public:
  void add(const JsonHeader& header, const Json& record);
  // The header may come after the results, and holds the unit of their times.
  RecordedSpace finish(const JsonHeader& header);

 private:
  void begin(const Json& record);
  void scale_times(double milliseconds_a_unit);
  void set_domains(const Json& metadata);

  RecordedSpace space_;
};

}  // namespace warptune::db
