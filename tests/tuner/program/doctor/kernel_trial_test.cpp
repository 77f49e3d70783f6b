// The trial kernel, on the host's backend and on backends that fail in their ways.
#include <gmock/gmock.h>

#include <algorithm>

#include "tuner/device/device_error.h"
#include "tuner/program/doctor/diagnosis.h"

namespace warptune::tuner::doctor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

BackendEntry host_backend() {
  return *std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
}

TEST(DoctorsKernel, RunsOnTheHost) {
  const auto findings = try_kernel(host_backend(), {});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].health, Health::ok) << findings[0].what;
  EXPECT_THAT(findings[0].what, HasSubstr("right"));
}

TEST(DoctorsKernel, WithoutACompilerIsAnErrorWithARemedy) {
  BackendOptions options;
  options.host_compiler = "/nonexistent/c++";
  const auto findings = try_kernel(host_backend(), options);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].health, Health::error);
  EXPECT_THAT(findings[0].what, HasSubstr("/nonexistent/c++"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("install"));
}

// A compiler that drops the kernel's statements: what it makes loads and runs.
class Forgetful : public Compiler {
 public:
  explicit Forgetful(std::unique_ptr<Compiler> real) : real_(std::move(real)) {}
  std::string version() const override { return "forgetful 1"; }
  std::string preprocess(const CompileRequest& request) override { return real_->preprocess(request); }
  CompileResult compile(const CompileRequest& request) override {
    CompileRequest other = request;
    other.source = "__global__ void doctor(int* out, int factor) {}";
    return real_->compile(other);
  }

 private:
  std::unique_ptr<Compiler> real_;
};

TEST(DoctorsKernel, ThatGivesAWrongResultIsAnError) {
  BackendEntry backend = host_backend();
  backend.compiler = [](const DeviceInfo& device, const BackendOptions& options) -> std::unique_ptr<Compiler> {
    return std::make_unique<Forgetful>(host_backend().compiler(device, options));
  };
  const auto findings = try_kernel(backend, {});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].health, Health::error);
  EXPECT_THAT(findings[0].what, AllOf(HasSubstr("wrong"), HasSubstr("element 0 is -1 instead of 1")));
}

TEST(DoctorsKernel, HasNothingToSayWhereThereIsNoDevice) {
  BackendEntry backend = host_backend();
  backend.devices = [](const BackendOptions&, std::string&) { return std::vector<DeviceInfo>(); };
  EXPECT_THAT(try_kernel(backend, {}), IsEmpty());
}

TEST(DoctorsKernel, OfADeviceThatCannotBeOpenedSaysWhy) {
  BackendEntry backend = host_backend();
  backend.open = [](const DeviceInfo&, const BackendOptions&) -> std::unique_ptr<Device> {
    throw NoDeviceError("the device is in use; end the others");
  };
  const auto findings = try_kernel(backend, {});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].what, HasSubstr("the device is in use"));
  EXPECT_EQ(findings[0].remedy, "end the others");
}

}  // namespace
}  // namespace warptune::tuner::doctor
