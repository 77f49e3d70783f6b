// The control of the fake management library: what its one device says about itself. With FAKE_NVML_LOG=FILE in the
// environment, each change of the device is a line there: "lock 1200", "unlock", "cap 300000".
#pragma once

namespace warptune::tuner::fakes {

struct FakeNvml {
  unsigned clock_mhz = 1980;
  unsigned power_mw = 350'000;
  unsigned power_limit_mw = 700'000;
  unsigned celsius = 45;
  unsigned long long energy_mj = 1'000'000;
  int ecc = 1;
  int result = 0;  // what every question about the device is answered with: an nvmlReturn_t
  int questions = 0;

  // What may be set, and what was.
  int set_result = 0;  // what setters answer: 4 is NVML_ERROR_NO_PERMISSION; FAKE_NVML_SET_RESULT says it to a process
  int cap_result = 0;  // the same of the power cap alone
  unsigned locked_mhz = 0;  // 0: not locked
  unsigned cap_mw = 700'000, least_cap_mw = 200'000, most_cap_mw = 700'000;
};

}  // namespace warptune::tuner::fakes

extern "C" warptune::tuner::fakes::FakeNvml* fake_nvml_control();
