// The part of NVIDIA's management library that the cuda backend uses.
#include "tests/fakes/fake_nvml.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

warptune::tuner::fakes::FakeNvml control;

template <typename T>
int answer(T* to, T value) {
  ++control.questions;
  if (control.result == 0) *to = value;
  return control.result;
}

// What a setter answers, after it has done it.
template <typename Change>
int set(int refusal, const char* line, Change change) {
  const char* said = std::getenv("FAKE_NVML_SET_RESULT");
  const int result = said ? std::atoi(said) : control.set_result != 0 ? control.set_result : refusal;
  if (result != 0) return result;
  change();
  const char* name = std::getenv("FAKE_NVML_LOG");
  if (std::FILE* log = name ? std::fopen(name, "a") : nullptr) {
    std::fprintf(log, "%s\n", line);
    std::fclose(log);
  }
  return 0;
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

const char* nvmlErrorString(int result) {
  return result == 4 ? "Insufficient Permissions" : "Unknown Error";
}

int nvmlDeviceSetGpuLockedClocks(void*, unsigned least, unsigned most) {
  if (least != most) return 2;
  return set(0, ("lock " + std::to_string(most)).c_str(), [&] { control.locked_mhz = most; });
}

int nvmlDeviceResetGpuLockedClocks(void*) {
  return set(0, "unlock", [] { control.locked_mhz = 0; });
}

int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
  return answer(milliwatts, control.cap_mw);
}

int nvmlDeviceGetPowerManagementLimitConstraints(void*, unsigned* least, unsigned* most) {
  *least = control.least_cap_mw;
  return answer(most, control.most_cap_mw);
}

int nvmlDeviceSetPowerManagementLimit(void*, unsigned milliwatts) {
  return set(control.cap_result, ("cap " + std::to_string(milliwatts)).c_str(), [&] { control.cap_mw = milliwatts; });
}

int nvmlDeviceGetEccMode(void*, int* current, int* pending) {
  *pending = control.ecc;
  return answer(current, control.ecc);
}
}
