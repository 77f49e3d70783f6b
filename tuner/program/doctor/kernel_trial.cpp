// Checks whether a kernel compiles, runs and gives the right result, through the same interfaces as every trial.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tuner/device/device_error.h"
#include "tuner/program/doctor/diagnosis.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::doctor {

namespace {

constexpr int blocks = 3, threads = 64, elements = blocks * threads;

constexpr const char* source = R"(
__global__ void doctor(int* out, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = factor * i + 1;
}
)";

std::string first_error(const std::string& log) {
  const std::size_t error = log.find("error");
  const std::size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

MachineCode compile(Compiler& compiler) {
  CompileRequest request;
  request.name = "doctor.cu";
  request.source = source;
  request.kernels = {"doctor"};
  CompileResult result = compiler.compile(request);
  if (result.code) return *std::move(result.code);
  throw DeviceError(
      search::Outcome::compile_error, "",
      fmt::format("{} does not compile a kernel of three lines ({}); install the compiler again, with its "
                  "standard library's headers",
                  compiler.version(), first_error(result.log)));
}

std::vector<int> run(Device& device, const MachineCode& code) {
  std::vector<int> out(elements, -1);
  const auto memory = device.allocate(sizeof(int) * out.size());
  device.upload(memory->span(), std::as_bytes(std::span(out)));
  const auto module = device.load(code);
  std::uint64_t address = memory->span().address;
  int factor = 3;
  const std::array<void*, 2> arguments{&address, &factor};
  module->kernel("doctor").launch({{blocks, 1, 1}, {threads, 1, 1}, 0}, arguments);
  device.synchronize();
  device.download(std::as_writable_bytes(std::span(out)), memory->span());
  return out;
}

// Returns which element is wrong; empty if all are right.
std::string difference(const std::vector<int>& out) {
  for (int i = 0; i < elements; ++i)
    if (out[static_cast<std::size_t>(i)] != 3 * i + 1)
      return fmt::format("element {} is {} instead of {}", i, out[static_cast<std::size_t>(i)], 3 * i + 1);
  return {};
}

Finding try_on(const BackendEntry& backend, const DeviceInfo& info, const BackendOptions& options) {
  const std::string device = fmt::format("{} ({})", info.id, info.name);
  try {
    const double begin_s = steady_s();
    const MachineCode code = compile(*backend.compiler(info, options));
    const double compiled_s = steady_s();
    const std::string wrong = difference(run(*backend.open(info, options), code));
    if (wrong.empty())
      return {Health::ok,
              fmt::format("{}: compiled in {:.1f} s, ran in {:.1f} s, right", device, compiled_s - begin_s,
                          steady_s() - compiled_s),
              ""};
    return {Health::error, fmt::format("{}: a kernel ran, but its result is wrong: {}", device, wrong),
            "nothing measured here can be trusted: check the driver, the compiler and the device's own tests"};
  } catch (const search::Error& error) {
    Finding finding = finding_of(error.what(), Health::error);
    finding.what = device + ": " + finding.what;
    return finding;
  }
}

}  // namespace

std::vector<Finding> try_kernel(const BackendEntry& backend, const BackendOptions& options) {
  BackendOptions patient = options;
  patient.compile_timeout_s = 40;
  patient.kernel_timeout_s = 10;
  std::string why_none;
  std::vector<Finding> findings;
  for (const DeviceInfo& info : backend.devices(patient, why_none)) findings.push_back(try_on(backend, info, patient));
  return findings;
}

}  // namespace warptune::tuner::doctor
