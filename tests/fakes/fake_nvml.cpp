// The part of NVIDIA's management library that the cuda backend uses.
#include "tests/fakes/fake_nvml.h"

#include <cstdio>

namespace {

warptune::tuner::fakes::FakeNvml control;

template <typename T>
int answer(T* to, T value) {
  ++control.questions;
  if (control.result == 0) *to = value;
  return control.result;
}

}  // namespace

extern "C" {

warptune::tuner::fakes::FakeNvml* fake_nvml_control() {
  return &control;
}

int nvmlInit_v2() {
  return 0;
}

int nvmlShutdown() {
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  std::snprintf(text, bytes, "999.42.01");
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char*, void** device) {
  *device = &control;
  return 0;
}

int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  return answer(mhz, control.clock_mhz);
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return answer(milliwatts, control.power_mw);
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return answer(milliwatts, control.power_limit_mw);
}

int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  return answer(celsius, control.celsius);
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return answer(millijoules, control.energy_mj);
}

int nvmlDeviceGetEccMode(void*, int* current, int* pending) {
  *pending = control.ecc;
  return answer(current, control.ecc);
}
}
