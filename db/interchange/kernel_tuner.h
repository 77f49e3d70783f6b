// Reads Kernel Tuner's cache files, from its first ones to 1.5.
#pragma once

#include "db/interchange/json_records.h"
#include "db/interchange/recorded_space.h"

namespace warptune::db {

// Takes the records that read_json_records() hands out of the collection "cache". All functions throw
// std::invalid_argument.
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

}  // namespace warptune::db
