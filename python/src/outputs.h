// What configurations compute: the contents of a kernel's outputs after a single run of each. They run in this process,
// so that the Python part calls this from a process of its own, which a kernel that crashes takes along.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/session/preparation.h"
#include "tuner/session/request.h"

namespace warptune::python {

// One problem on one device. Data is read and uploaded once, for it may be far larger than what a run takes. After a
// run that failed the device's context may be lost: make no further one of it.
class OutputRuns {
 public:
  // Throws search::Error for a template or a device that there is not.
  explicit OutputRuns(const tuner::TuneRequest& request);

  // By output. Nothing is compared. Throws search::Error for a configuration that does not compile or run.
  std::map<std::string, std::vector<std::byte>> run(const search::NamedValues& configuration);

 private:
  tuner::TuneRequest request_;
  tuner::PreparedProblem problem_;
  std::unique_ptr<tuner::Device> device_;
  std::unique_ptr<tuner::Compiler> compiler_;
  tuner::Workload workload_;  // of what is above it
};

}  // namespace warptune::python
