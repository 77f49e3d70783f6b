// The control of the fake CUPTI, which counts the launches of the fake driver (fake_cuda.h) and makes the rest up.
//
// A process that cannot reach it (a worker) is told through the environment, read by cuptiProfilerInitialize:
//   FAKE_CUPTI_RESULT=cuptiRangeProfilerEnable:35   a function, and what it answers instead of working
//   FAKE_CUPTI_HANG=cuptiRangeProfilerStart         a function that never comes back
//   FAKE_CUPTI_CRASH=cuptiRangeProfilerStart        a function that takes the process with it
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace warptune::tuner::fakes {

struct FakeCupti {
  // What the device and the library are like.
  std::string chip = "GH100";
  bool supported = true, is_virtual = false;
  std::size_t passes = 3;
  bool ends = true;                     // whether it ever says that all passes are done
  std::set<std::string> lacking;        // metrics
  std::map<std::string, double> value;  // by metric, of the first launch; of the next ones, one more each. Else 100
  std::map<std::string, int> results;   // by function: what it answers instead of working
  std::string hang, crash;              // functions
  std::size_t lost_launches = 0;        // so many are not counted

  // What was seen.
  std::size_t passes_run = 0;
  int open_hosts = 0, open_ranges = 0;
  bool misused = false;  // a structure's size was not CUPTI's, or an order of calls not the documented one
};

}  // namespace warptune::tuner::fakes

extern "C" {
warptune::tuner::fakes::FakeCupti* fake_cupti_control();
}
