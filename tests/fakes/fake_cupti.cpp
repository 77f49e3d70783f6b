// See fake_cupti.h. Compiled once more without the Range Profiler, as CUPTI before CUDA 12.6 is.
#include "tests/fakes/fake_cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/fakes/fake_cuda.h"
#include "tuner/device/backends/cuda/sensors/cupti_api.h"

namespace warptune::tuner::fakes {
namespace {

namespace cupti = cuda::cupti;

constexpr int invalid_parameter = 1, invalid_operation = 7, invalid_metric_name = 17;

struct Session {
  bool configured = false, started = false;
  std::size_t launches_before = 0, ranges = 0;
};

struct Fake {
  FakeCupti control;
  Session session;
  std::size_t metrics = 0;  // added to the latest host object
  bool poisoned = false;    // which knows no way on after an unknown metric
};

Fake& fake() {
  static Fake state;
  return state;
}

std::string after_colon(const std::string& text) {
  return text.substr(text.find(':') + 1);
}

void read_environment() {
  FakeCupti& control = fake().control;
  if (const char* result = std::getenv("FAKE_CUPTI_RESULT")) {
    const std::string text = result;
    control.results[text.substr(0, text.find(':'))] = std::atoi(after_colon(text).c_str());
  }
  if (const char* function = std::getenv("FAKE_CUPTI_HANG")) control.hang = function;
  if (const char* function = std::getenv("FAKE_CUPTI_CRASH")) control.crash = function;
}

#ifndef FAKE_CUPTI_OLD
// The fake driver of this process, by whichever path it was opened.
FakeCuda& driver() {
  std::string file;
  const auto look = [](dl_phdr_info* object, std::size_t, void* found) {
    const std::string name = object->dlpi_name ? object->dlpi_name : "";
    if (!name.ends_with("/libcuda.so.1")) return 0;
    *static_cast<std::string*>(found) = name;
    return 1;
  };
  dl_iterate_phdr(look, &file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return *reinterpret_cast<decltype(&fake_cuda_control)>(dlsym(library, "fake_cuda_control"))();
}

#endif

// What any function does before its own work: a refusal asked for, a hang, a crash, a structure of the wrong size.
template <class T>
int begin(const char* function, const T& parameters) {
  FakeCupti& control = fake().control;
  if (control.hang == function)
    for (;;) pause();
  if (control.crash == function) std::raise(SIGSEGV);
  if (parameters.struct_size != cupti::size_of<T> || parameters.reserved) control.misused = true;
  if (control.misused) return invalid_parameter;
  const auto found = control.results.find(function);
  return found == control.results.end() ? 0 : found->second;
}

int misuse() {
  fake().control.misused = true;
  return invalid_operation;
}

}  // namespace
}  // namespace warptune::tuner::fakes

using namespace warptune::tuner::fakes;
namespace api = warptune::tuner::cuda::cupti;

extern "C" {

FakeCupti* fake_cupti_control() {
  return &fake().control;
}

int cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return 0;
}

int cuptiGetResultString(int result, const char** name) {
  static const std::map<int, const char*> names = {
      {14, "CUPTI_ERROR_NOT_COMPATIBLE"},          {26, "CUPTI_ERROR_HARDWARE_BUSY"},
      {27, "CUPTI_ERROR_NOT_SUPPORTED"},           {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED"},
      {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"}, {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED"}};
  const auto found = names.find(result);
  if (found == names.end()) return invalid_parameter;
  *name = found->second;
  return 0;
}

int cuptiProfilerInitialize(api::Initialize* parameters) {
  read_environment();
  return begin("cuptiProfilerInitialize", *parameters);
}

int cuptiProfilerDeviceSupported(api::DeviceSupported* asked) {
  if (const int result = begin("cuptiProfilerDeviceSupported", *asked)) return result;
  const int yes = api::configuration_supported, no = 1;
  asked->architecture = asked->sli = asked->confidential_computing = asked->mining = asked->wsl = yes;
  asked->virtual_gpu = fake().control.is_virtual ? no : yes;
  asked->supported = fake().control.supported && !fake().control.is_virtual ? yes : no;
  return 0;
}

int cuptiProfilerGetCounterAvailability(api::CounterAvailability* asked) {
  if (const int result = begin("cuptiProfilerGetCounterAvailability", *asked)) return result;
  asked->bytes = 16;
  if (asked->image) std::memset(asked->image, 1, asked->bytes);
  return 0;
}

int cuptiDeviceGetChipName(api::ChipName* asked) {
  if (const int result = begin("cuptiDeviceGetChipName", *asked)) return result;
  asked->name = fake().control.chip.c_str();
  return 0;
}

int cuptiProfilerHostInitialize(api::HostInitialize* made) {
  if (const int result = begin("cuptiProfilerHostInitialize", *made)) return result;
  if (fake().control.chip != made->chip || !made->availability) return misuse();
  fake().metrics = 0;
  fake().poisoned = false;
  made->host = &fake();
  ++fake().control.open_hosts;
  return 0;
}

int cuptiProfilerHostDeinitialize(api::HostDeinitialize* end) {
  --fake().control.open_hosts;
  return begin("cuptiProfilerHostDeinitialize", *end);
}

int cuptiProfilerHostConfigAddMetrics(api::AddMetrics* add) {
  if (const int result = begin("cuptiProfilerHostConfigAddMetrics", *add)) return result;
  for (std::size_t i = 0; i < add->count; ++i)
    if (fake().control.lacking.contains(add->names[i])) {
      fake().poisoned = true;
      return invalid_metric_name;
    }
  if (fake().poisoned || fake().metrics > 0) return misuse();  // CUPTI 13.0 then answers 999, or plans 42 passes for 8
  fake().metrics = add->count;
  return 0;
}

int cuptiProfilerHostGetConfigImageSize(api::ConfigImageSize* size) {
  size->bytes = 64;
  return begin("cuptiProfilerHostGetConfigImageSize", *size);
}

int cuptiProfilerHostGetConfigImage(api::ConfigImage* image) {
  if (image->bytes != 64) return misuse();
  image->image[0] = 42;
  return begin("cuptiProfilerHostGetConfigImage", *image);
}

int cuptiProfilerHostGetNumOfPasses(api::NumberOfPasses* asked) {
  if (asked->image[0] != 42) return misuse();
  asked->passes = fake().control.passes;
  return begin("cuptiProfilerHostGetNumOfPasses", *asked);
}

int cuptiProfilerHostEvaluateToGpuValues(api::Evaluate* asked) {
  if (const int result = begin("cuptiProfilerHostEvaluateToGpuValues", *asked)) return result;
  if (asked->count != fake().metrics || asked->range >= fake().session.ranges) return misuse();
  const auto& known = fake().control.value;
  for (std::size_t i = 0; i < asked->count; ++i) {
    const auto found = known.find(asked->names[i]);
    asked->values[i] = (found == known.end() ? 100.0 : found->second) + static_cast<double>(asked->range);
  }
  return 0;
}

#ifndef FAKE_CUPTI_OLD

int cuptiRangeProfilerEnable(api::RangeEnable* enable) {
  if (const int result = begin("cuptiRangeProfilerEnable", *enable)) return result;
  if (!enable->context) return misuse();
  fake().session = {};
  fake().control.passes_run = 0;
  enable->object = &fake().session;
  ++fake().control.open_ranges;
  return 0;
}

int cuptiRangeProfilerDisable(api::RangeObject* object) {
  --fake().control.open_ranges;
  return begin("cuptiRangeProfilerDisable", *object);
}

int cuptiRangeProfilerGetCounterDataSize(api::CounterDataSize* size) {
  if (size->count != fake().metrics || size->most_nodes < size->most_ranges) return misuse();
  size->bytes = 8 * size->most_ranges;
  return begin("cuptiRangeProfilerGetCounterDataSize", *size);
}

int cuptiRangeProfilerCounterDataImageInitialize(api::CounterDataInitialize* image) {
  std::memset(image->data, 7, image->bytes);
  return begin("cuptiRangeProfilerCounterDataImageInitialize", *image);
}

int cuptiRangeProfilerSetConfig(api::RangeConfig* config) {
  if (const int result = begin("cuptiRangeProfilerSetConfig", *config)) return result;
  const bool ready = config->config[0] == 42 && config->data[0] == 7 && config->range == api::auto_range &&
                     config->replay == api::user_replay && config->nesting_levels == 1;
  if (!ready || config->data_bytes != 8 * config->most_ranges) return misuse();
  fake().session.configured = true;
  return 0;
}

int cuptiRangeProfilerStart(api::RangeObject* object) {
  if (const int result = begin("cuptiRangeProfilerStart", *object)) return result;
  Session& session = fake().session;
  if (!session.configured || session.started) return misuse();
  session.started = true;
  session.launches_before = driver().launches.size();
  return 0;
}

int cuptiRangeProfilerStop(api::RangeStop* stop) {
  if (const int result = begin("cuptiRangeProfilerStop", *stop)) return result;
  Session& session = fake().session;
  FakeCupti& control = fake().control;
  if (!session.started) return misuse();
  session.started = false;
  const std::size_t ranges = driver().launches.size() - session.launches_before;
  if (control.passes_run > 0 && ranges != session.ranges) return misuse();  // the passes must be the same work
  session.ranges = ranges;
  ++control.passes_run;
  stop->all_passes_submitted = control.ends && control.passes_run >= control.passes;
  return 0;
}

int cuptiRangeProfilerDecodeData(api::RangeDecode* decode) {
  decode->dropped = 0;
  return begin("cuptiRangeProfilerDecodeData", *decode);
}

int cuptiRangeProfilerGetCounterDataInfo(api::CounterDataInfo* info) {
  if (const int result = begin("cuptiRangeProfilerGetCounterDataInfo", *info)) return result;
  fake().session.ranges -= fake().control.lost_launches;
  info->ranges = fake().session.ranges;
  return 0;
}

#endif
}
