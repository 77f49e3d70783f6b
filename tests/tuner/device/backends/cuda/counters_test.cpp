// Hardware counters over a fake CUPTI: passes, values, and all that keeps them from being read.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/fakes/fake_cupti.h"
#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tuner/device/backends/cuda/examinations.h"
#include "tuner/device/backends/cuda/sensors/cupti.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CudaCounters : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    void* library = ::dlopen(FAKE_LIBRARIES_DIR "/cuda/libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    cupti_ = reinterpret_cast<decltype(&fake_cupti_control)>(::dlsym(library, "fake_cupti_control"))();
    *cupti_ = {};
    device_ = open();
    module_ = device_->load(code({"first", "second", "restore"}));
    fake_->launches.clear();
  }

  CountedWork two_launches() {
    return {[this] { module_->kernel("restore").launch({}, {}); },
            [this] {
              module_->kernel("first").launch({}, {});
              module_->kernel("second").launch({}, {});
            },
            {"first", "second"}};
  }

  // Each with its native name, and what it says.
  DeviceError refusal(const std::string& function, int result) {
    cupti_->results = {{function, result}};
    return error_of([this] { device_->profiler()->count(two_launches()); });
  }

  fakes::FakeCupti* cupti_ = nullptr;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

TEST_F(CudaCounters, AreThoseOfEachLaunchInOrder) {
  cupti_->value = {{"dram__bytes_read.sum", 4096}, {"lts__t_sector_hit_rate.pct", 50}};
  const auto launches = device_->profiler()->count(two_launches());
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].at("dram_read_bytes"), 4096);
  EXPECT_EQ(launches[1].at("dram_read_bytes"), 4097);
  EXPECT_EQ(launches[0].at("l2_hit_rate"), 50);
  EXPECT_FALSE(cupti_->misused);
}

TEST_F(CudaCounters, EveryPassBeginsWithTheFirstRunsDataAndCountsTheSameLaunches) {
  device_->profiler()->count(two_launches());
  EXPECT_EQ(cupti_->passes_run, 3u);
  std::vector<std::string> launches;  // once before the passes, for the driver to load the code
  for (int i = 0; i < 1 + 3; ++i) launches.insert(launches.end(), {"restore", "first", "second"});
  EXPECT_EQ(fake_->launches, launches);
}

TEST_F(CudaCounters, LeaveNothingSwitchedOn) {
  {
    const auto profiler = device_->profiler();
    profiler->count(two_launches());
    profiler->count(two_launches());
    EXPECT_EQ(cupti_->open_ranges, 0);
  }
  EXPECT_EQ(cupti_->open_hosts, 0);
  refusal("cuptiRangeProfilerStop", 26);
  EXPECT_EQ(cupti_->open_ranges, 0);
  EXPECT_EQ(cupti_->open_hosts, 0);
  EXPECT_EQ(fake_->current_depth, 0);
}

TEST_F(CudaCounters, ThatAChipLacksAreNamed) {
  cupti_->lacking = {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active"};
  const auto profiler = device_->profiler();
  EXPECT_THAT(profiler->lacking(), ElementsAre("pipe_fp64"));
  EXPECT_FALSE(profiler->count(two_launches()).at(0).contains("pipe_fp64"));
}

TEST_F(CudaCounters, HaveAnotherMetricWhereTheChipNamesItOtherwise) {
  cupti_->lacking = {"dram__bytes_read.sum"};
  cupti_->value = {{"dram__bytes_op_read.sum", 8192}};
  const auto profiler = device_->profiler();
  EXPECT_THAT(profiler->lacking(), IsEmpty());
  EXPECT_EQ(profiler->count(two_launches()).at(0).at("dram_read_bytes"), 8192);
}

TEST_F(CudaCounters, ThatThisUserMayNotReadSayHowToGetThePermission) {
  for (const char* function : {"cuptiProfilerInitialize", "cuptiRangeProfilerEnable", "cuptiRangeProfilerStart"}) {
    const DeviceError error = refusal(function, 35);
    EXPECT_EQ(error.code(), "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES") << function;
    EXPECT_THAT(error.what(), AllOf(HasSubstr("ERR_NVGPUCTRPERM"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"),
                                    HasSubstr("CAP_SYS_ADMIN")));
    EXPECT_FALSE(error.sticky());
  }
}

TEST_F(CudaCounters, SayWhatKeepsThemFromBeingRead) {
  EXPECT_THAT(refusal("cuptiRangeProfilerEnable", 26).what(), HasSubstr("dcgmi profman --pause"));
  EXPECT_THAT(refusal("cuptiProfilerDeviceSupported", 43).what(), HasSubstr("MIG"));
  EXPECT_THAT(refusal("cuptiProfilerInitialize", 14).what(), HasSubstr("does not fit the driver"));
  EXPECT_THAT(refusal("cuptiProfilerHostInitialize", 46).what(), HasSubstr("does not know this GPU"));
  // A number without a name, and without a remedy of its own.
  const DeviceError unknown = refusal("cuptiRangeProfilerDecodeData", 999);
  EXPECT_EQ(unknown.code(), "CUPTI error 999");
  EXPECT_THAT(unknown.what(), AllOf(HasSubstr("fetching the counters"), HasSubstr("ncu")));
}

TEST_F(CudaCounters, OfAVirtualGpuAreRefusedAsSuch) {
  cupti_->is_virtual = true;
  const DeviceError error = error_of([this] { device_->profiler(); });
  EXPECT_EQ(error.code(), "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED");
  EXPECT_THAT(error.what(), HasSubstr("virtual GPU"));
}

TEST_F(CudaCounters, ThatCannotBeReadAreNoLossOfTheDevice) {
  refusal("cuptiRangeProfilerStart", 35);
  EXPECT_EQ(device_->time_ms([this] { module_->kernel("first").launch({}, {}); }), 0.25);
}

TEST_F(CudaCounters, OfAKernelThatFailsAreItsError) {
  const auto profiler = device_->profiler();
  fake_->fault_at = 2;
  const DeviceError error = error_of([&] { profiler->count(two_launches()); });
  EXPECT_EQ(error.code(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(error.sticky());
}

TEST_F(CudaCounters, WithoutAnEndOfThePassesAreGivenUp) {
  cupti_->ends = false;
  EXPECT_THAT(error_of([this] { device_->profiler()->count(two_launches()); }).what(), HasSubstr("passes"));
}

TEST_F(CudaCounters, OfFewerLaunchesThanWereMadeAreNotTaken) {
  cupti_->lost_launches = 1;
  EXPECT_THAT(error_of([this] { device_->profiler()->count(two_launches()); }).what(),
              HasSubstr("2 launches were made, and 1 counted"));
}

TEST_F(CudaCounters, OfVeryManyLaunchesAreRefused) {
  EXPECT_THAT(error_of([this] {
                device_->profiler()->count({[] {}, [] {}, std::vector<std::string>(1001)});
              }).what(),
              HasSubstr("1000 are counted at most"));
}

TEST_F(CudaCounters, AreExaminedByTheDoctor) {
  const auto fine = cuda::examine_counters(options_);
  ASSERT_THAT(fine, SizeIs(1));
  EXPECT_EQ(fine[0].health, Health::ok);
  EXPECT_THAT(fine[0].what, AllOf(HasSubstr("CUPTI 130001"), HasSubstr("44 of 44")));
  for (const char* function : {"cuptiProfilerGetCounterAvailability", "cuptiRangeProfilerEnable"}) {
    cupti_->results = {{function, 35}};
    const auto poor = cuda::examine_counters(options_);
    EXPECT_EQ(poor.at(0).health, Health::warning) << function;
    EXPECT_THAT(poor[0].what, HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
    EXPECT_THAT(poor[0].remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  }
  EXPECT_EQ(cupti_->open_ranges, 0);
}

// What to do may be said in several clauses.
TEST_F(CudaCounters, AreExaminedByTheDoctorWithTheWholeRemedy) {
  cupti_->results = {{"cuptiProfilerInitialize", 999}};
  const auto poor = cuda::examine_counters(options_);
  EXPECT_THAT(poor.at(0).what, HasSubstr("starting CUPTI failed"));
  EXPECT_THAT(poor[0].remedy, testing::StartsWith("try `ncu`"));
}

TEST(LoadCupti, AMissingLibrarySaysWhereToGetIt) {
  try {
    cuda::load_cupti({{"libno_such_cupti.so.13"}, {"/nowhere"}, {}});
    FAIL() << "no DeviceError was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), "NO_CUPTI");
    EXPECT_THAT(error.what(), AllOf(HasSubstr("libno_such_cupti.so.13"), HasSubstr("nvidia-cuda-cupti")));
  }
}

TEST(LoadCupti, AnOldLibrarySaysWhatItLacks) {
  try {
    cuda::load_cupti({{"libcupti.so.13"}, {FAKE_LIBRARIES_DIR "/old_cupti"}, {}});
    FAIL() << "no DeviceError was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), "OLD_CUPTI");
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cuptiRangeProfilerEnable"), HasSubstr("12.6")));
  }
}

TEST(LoadCupti, LooksWhereToolkitsAndWheelsHaveIt) {
  BackendOptions options;
  options.library_directories = {"/toolkit/lib64"};
  EXPECT_THAT(cuda::cupti_places(options).first_folders,
              AllOf(Contains("/toolkit/lib64"), Contains("/toolkit/lib64/../extras/CUPTI/lib64")));
}

}  // namespace
}  // namespace warptune::tuner
