// What the doctor says about drivers, compilers and machines that are broken in the usual ways.
#include "tuner/device/backends/cuda/examinations.h"

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"
#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tuner/device/backends/cuda/sensors/hardware.h"

namespace warptune::tuner::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* not_found =
    "libcuda.so.1 cannot be loaded (libcuda.so.1: cannot open shared object file): install the NVIDIA driver";

class CudaExaminations : public FakeGpu {
 protected:
  Finding driver() { return examine_driver(options_).at(0); }
};

TEST_F(CudaExaminations, TheDriverIsNamedWithItsVersionsAndDevices) {
  fake_->devices = 2;
  EXPECT_EQ(driver().health, Health::ok);
  EXPECT_THAT(driver().what,
              AllOf(HasSubstr("999.42.01"), HasSubstr("CUDA 13.0"), HasSubstr("2 devices"), HasSubstr("libcuda.so.1")));
}

TEST_F(CudaExaminations, HiddenDevicesAreAnErrorThatNamesTheVariable) {
  fake_->devices = 0;
  EXPECT_EQ(driver().health, Health::error);
  EXPECT_THAT(driver().remedy, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST_F(CudaExaminations, ADriverThatDoesNotStartGivesItsCode) {
  fake_->init = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  EXPECT_THAT(driver().what, HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
  EXPECT_THAT(driver().remedy, HasSubstr("reboot"));
}

TEST_F(CudaExaminations, SensorsAreReadOfEveryDevice) {
  const Finding fine = examine_sensors(options_).at(0);
  EXPECT_EQ(fine.health, Health::ok);
  EXPECT_THAT(fine.what, AllOf(HasSubstr("cuda:0"), HasSubstr("1980 MHz"), HasSubstr("350 W")));
  nvml_->result = 3;  // NVML_ERROR_NOT_SUPPORTED
  const Finding poor = examine_sensors(options_).at(0);
  EXPECT_EQ(poor.health, Health::warning);
  EXPECT_THAT(poor.what, HasSubstr("energy"));
}

TEST(CudaHardware, IsReadFromTheBusTheModuleAndTheNodes) {
  const TemporaryFolder root;
  EXPECT_FALSE(look_at_hardware(root.path()).present());
  root.write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  root.write("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  root.write("sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");  // its sound
  root.write("sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
  root.write("sys/bus/pci/devices/0000:02:00.0/vendor", "0x1002\n");
  root.write("sys/bus/pci/devices/0000:02:00.0/class", "0x030000\n");
  EXPECT_EQ(look_at_hardware(root.path()).gpus, 1);
  root.write("dev/nvidia-modeset", "");
  EXPECT_FALSE(look_at_hardware(root.path()).has_nodes);
  root.write("dev/nvidia0", "");
  root.write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed Oct 1\n");
  const Hardware hardware = look_at_hardware(root.path());
  EXPECT_TRUE(hardware.has_nodes);
  EXPECT_THAT(hardware.closed_nodes, IsEmpty());
  EXPECT_EQ(hardware.module_version, "580.159.04");
}

TEST(CudaHardware, WithoutAGpuAMissingDriverIsNoError) {
  const Finding finding = explain_driver(not_found, false, {});
  EXPECT_EQ(finding.health, Health::warning);
  EXPECT_THAT(finding.remedy, HasSubstr("--device host"));
}

TEST(CudaHardware, WithAGpuAMissingDriverIsToBeInstalled) {
  Hardware hardware;
  hardware.gpus = 1;
  const Finding finding = explain_driver(not_found, false, hardware);
  EXPECT_EQ(finding.health, Health::error);
  EXPECT_THAT(finding.what, HasSubstr("1 NVIDIA GPU is on the PCI bus"));
  EXPECT_THAT(finding.remedy, AllOf(HasSubstr("install NVIDIA's driver"), HasSubstr("--gpus all")));
}

TEST(CudaHardware, WithTheModuleALibraryIsMissing) {
  Hardware hardware;
  hardware.module_version = "580.159.04";
  const Finding finding = explain_driver(not_found, false, hardware);
  EXPECT_EQ(finding.health, Health::error);
  EXPECT_THAT(finding.what, HasSubstr("580.159.04"));
  EXPECT_THAT(finding.remedy, AllOf(HasSubstr("libcuda1"), Not(HasSubstr("reboot"))));
}

TEST(CudaHardware, NodesThatMayNotBeOpenedAreNamed) {
  Hardware hardware;
  hardware.has_nodes = true;
  hardware.closed_nodes = {"/dev/nvidia0"};
  const Finding finding = explain_driver("cuInit answers CUDA_ERROR_NO_DEVICE; check nvidia-smi", true, hardware);
  EXPECT_THAT(finding.what, AllOf(HasSubstr("CUDA_ERROR_NO_DEVICE"), HasSubstr("/dev/nvidia0")));
  EXPECT_THAT(finding.remedy, HasSubstr("usermod"));
}

TEST(CudaHeaders, ThatNoFolderHoldsAreMissing) {
  const TemporaryFolder one, other;
  for (const char* name : {"cuda_fp16.h", "cuda_bf16.h", "mma.h", "cuda/std/type_traits"}) one.write(name, "");
  other.write("cooperative_groups.h", "");
  EXPECT_THAT(missing_headers({one.path(), other.path()}), ElementsAre("cuda_pipeline.h"));
}

TEST(CudaCompiler, OfPyPiIsNamedWithItsBuiltIns) {
  BackendOptions options;
  options.library_directories = {FAKE_LIBRARIES_DIR "/nvrtc_apart"};
  const Finding finding = examine_nvrtc(options).at(0);
  EXPECT_EQ(finding.health, Health::ok) << finding.what;
  EXPECT_THAT(finding.what,
              AllOf(HasSubstr("NVRTC 13.77"), HasSubstr("libnvrtc-builtins.so.13.77"), HasSubstr("nvrtc_apart")));
}

}  // namespace
}  // namespace warptune::tuner::cuda
