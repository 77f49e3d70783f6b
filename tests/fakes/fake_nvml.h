// The control of the fake management library: what its one device says about itself.
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
};

}  // namespace warptune::tuner::fakes

extern "C" warptune::tuner::fakes::FakeNvml* fake_nvml_control();
