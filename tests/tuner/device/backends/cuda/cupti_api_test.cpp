// The structures that the backend declares for itself are NVIDIA's, where its headers are there to say so.
#include "tuner/device/backends/cuda/sensors/cupti_api.h"

#include <gtest/gtest.h>

#include <vector>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define HAS_CUPTI
#endif

namespace warptune::tuner::cuda::cupti {
namespace {

#ifdef HAS_CUPTI

template <class Ours, class Member>
std::size_t place_of(Member Ours::*member) {
  static Ours object;
  return static_cast<std::size_t>(reinterpret_cast<char*>(&(object.*member)) - reinterpret_cast<char*>(&object));
}

// The size as CUPTI reckons it, and the places of members.
template <class Ours, class... Member>
void expect_same(std::size_t size, const std::vector<std::size_t>& places, Member Ours::*... members) {
  EXPECT_EQ(size_of<Ours>, size);
  EXPECT_EQ(std::vector<std::size_t>{place_of(members)...}, places);
}

TEST(CuptiApi, StructuresOfTheHostAreAsInNvidiasHeaders) {
  expect_same(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_Initialize_Params, profilerType),
               offsetof(CUpti_Profiler_Host_Initialize_Params, pChipName),
               offsetof(CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage),
               offsetof(CUpti_Profiler_Host_Initialize_Params, pHostObject)},
              &HostInitialize::type, &HostInitialize::chip, &HostInitialize::availability, &HostInitialize::host);
  expect_same(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_Deinitialize_Params, pHostObject)}, &HostDeinitialize::host);
  expect_same(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject),
               offsetof(CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames),
               offsetof(CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics)},
              &AddMetrics::host, &AddMetrics::names, &AddMetrics::count);
  expect_same(CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject),
               offsetof(CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize)},
              &ConfigImageSize::host, &ConfigImageSize::bytes);
  expect_same(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_GetConfigImage_Params, pHostObject),
               offsetof(CUpti_Profiler_Host_GetConfigImage_Params, configImageSize),
               offsetof(CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage)},
              &ConfigImage::host, &ConfigImage::bytes, &ConfigImage::image);
  expect_same(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
              {offsetof(CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize),
               offsetof(CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage),
               offsetof(CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses)},
              &NumberOfPasses::bytes, &NumberOfPasses::image, &NumberOfPasses::passes);
  using Theirs = CUpti_Profiler_Host_EvaluateToGpuValues_Params;
  expect_same(CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
              {offsetof(Theirs, pHostObject), offsetof(Theirs, pCounterDataImage),
               offsetof(Theirs, counterDataImageSize), offsetof(Theirs, rangeIndex), offsetof(Theirs, ppMetricNames),
               offsetof(Theirs, numMetrics), offsetof(Theirs, pMetricValues)},
              &Evaluate::host, &Evaluate::data, &Evaluate::bytes, &Evaluate::range, &Evaluate::names, &Evaluate::count,
              &Evaluate::values);
}

TEST(CuptiApi, StructuresOfTheDeviceAreAsInNvidiasHeaders) {
  expect_same<Initialize>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE, {});
  using Supported = CUpti_Profiler_DeviceSupported_Params;
  expect_same(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
              {offsetof(Supported, cuDevice), offsetof(Supported, isSupported), offsetof(Supported, vGpu),
               offsetof(Supported, confidentialCompute), offsetof(Supported, wsl), offsetof(Supported, api)},
              &DeviceSupported::device, &DeviceSupported::supported, &DeviceSupported::virtual_gpu,
              &DeviceSupported::confidential_computing, &DeviceSupported::wsl, &DeviceSupported::api);
  expect_same(
      CUpti_Device_GetChipName_Params_STRUCT_SIZE,
      {offsetof(CUpti_Device_GetChipName_Params, deviceIndex), offsetof(CUpti_Device_GetChipName_Params, pChipName)},
      &ChipName::device, &ChipName::name);
  using Available = CUpti_Profiler_GetCounterAvailability_Params;
  // Grown since: the beginning is what counts.
  EXPECT_LE(size_of<CounterAvailability>, sizeof(Available));
  EXPECT_EQ(place_of(&CounterAvailability::image), offsetof(Available, pCounterAvailabilityImage));
  EXPECT_EQ(range_profiler, static_cast<int>(CUPTI_PROFILER_TYPE_RANGE_PROFILER));
  EXPECT_EQ(range_profiler, static_cast<int>(CUPTI_PROFILER_RANGE_PROFILING));
  EXPECT_EQ(configuration_supported, static_cast<int>(CUPTI_PROFILER_CONFIGURATION_SUPPORTED));
}

TEST(CuptiApi, StructuresOfRangesAreAsInNvidiasHeaders) {
  expect_same(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
              {offsetof(CUpti_RangeProfiler_Enable_Params, ctx),
               offsetof(CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject)},
              &RangeEnable::context, &RangeEnable::object);
  expect_same(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
              {offsetof(CUpti_RangeProfiler_Start_Params, pRangeProfilerObject)}, &RangeObject::object);
  expect_same(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
              {offsetof(CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject)}, &RangeObject::object);
  using Config = CUpti_RangeProfiler_SetConfig_Params;
  expect_same(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
              {offsetof(Config, pRangeProfilerObject), offsetof(Config, configSize), offsetof(Config, pConfig),
               offsetof(Config, counterDataImageSize), offsetof(Config, pCounterDataImage), offsetof(Config, range),
               offsetof(Config, replayMode), offsetof(Config, maxRangesPerPass), offsetof(Config, numNestingLevels),
               offsetof(Config, minNestingLevel), offsetof(Config, passIndex), offsetof(Config, targetNestingLevel)},
              &RangeConfig::object, &RangeConfig::config_bytes, &RangeConfig::config, &RangeConfig::data_bytes,
              &RangeConfig::data, &RangeConfig::range, &RangeConfig::replay, &RangeConfig::most_ranges,
              &RangeConfig::nesting_levels, &RangeConfig::least_nesting_level, &RangeConfig::pass,
              &RangeConfig::target_nesting_level);
  using Stop = CUpti_RangeProfiler_Stop_Params;
  expect_same(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
              {offsetof(Stop, pRangeProfilerObject), offsetof(Stop, passIndex), offsetof(Stop, targetNestingLevel),
               offsetof(Stop, isAllPassSubmitted)},
              &RangeStop::object, &RangeStop::pass, &RangeStop::target_nesting_level, &RangeStop::all_passes_submitted);
  expect_same(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
              {offsetof(CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject),
               offsetof(CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped)},
              &RangeDecode::object, &RangeDecode::dropped);
  using Size = CUpti_RangeProfiler_GetCounterDataSize_Params;
  expect_same(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
              {offsetof(Size, pRangeProfilerObject), offsetof(Size, pMetricNames), offsetof(Size, numMetrics),
               offsetof(Size, maxNumOfRanges), offsetof(Size, maxNumRangeTreeNodes), offsetof(Size, counterDataSize)},
              &CounterDataSize::object, &CounterDataSize::names, &CounterDataSize::count, &CounterDataSize::most_ranges,
              &CounterDataSize::most_nodes, &CounterDataSize::bytes);
  using Image = CUpti_RangeProfiler_CounterDataImage_Initialize_Params;
  expect_same(CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
              {offsetof(Image, pRangeProfilerObject), offsetof(Image, counterDataSize), offsetof(Image, pCounterData)},
              &CounterDataInitialize::object, &CounterDataInitialize::bytes, &CounterDataInitialize::data);
  using Info = CUpti_RangeProfiler_GetCounterDataInfo_Params;
  expect_same(CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
              {offsetof(Info, pCounterDataImage), offsetof(Info, counterDataImageSize), offsetof(Info, numTotalRanges)},
              &CounterDataInfo::data, &CounterDataInfo::bytes, &CounterDataInfo::ranges);
  EXPECT_EQ(auto_range, static_cast<int>(CUPTI_AutoRange));
  EXPECT_EQ(user_replay, static_cast<int>(CUPTI_UserReplay));
}

#else

TEST(CuptiApi, StructuresAreAsInNvidiasHeaders) {
  GTEST_SKIP() << "CUPTI's headers are not on this machine";
}

#endif

}  // namespace
}  // namespace warptune::tuner::cuda::cupti
