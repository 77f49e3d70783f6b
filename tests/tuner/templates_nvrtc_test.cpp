// Every template through the real NVRTC, which needs no GPU: the default configuration for each architecture in use
// compiles without spills; a spread sample compiles for the newest common one.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/cubin_resources.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/toolkit.h"
#include "tuner/device/backend.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {
namespace {

DeviceInfo gpu(int capability) {
  DeviceInfo device;
  device.id = "cuda:0";
  device.backend = "cuda";
  device.compute_capability = capability;
  device.architecture = "sm_" + std::to_string(capability);
  device.max_threads_per_block = 1024;
  device.max_block_x = device.max_block_y = 1024;
  device.max_block_z = 64;
  device.max_grid_x = 2147483647;
  device.max_grid_y = device.max_grid_z = 65535;
  device.max_shared_memory_per_block = 49152;
  device.max_shared_memory_per_block_optin = capability == 75 ? 65536 : 101376;
  device.max_threads_per_multiprocessor = capability == 75 ? 1024 : 2048;
  device.max_registers_per_block = device.max_registers_per_multiprocessor = 65536;
  device.multiprocessors = 40;
  return device;
}

std::vector<std::pair<DeviceInfo, std::unique_ptr<Compiler>>> compilers() {
  const auto cuda = std::ranges::find(backends(), std::string_view("cuda"), &BackendEntry::name);
  std::vector<std::pair<DeviceInfo, std::unique_ptr<Compiler>>> all;
  for (const int capability : {75, 80, 90, 100})
    all.emplace_back(gpu(capability), cuda->compiler(gpu(capability), toolkit_options()));
  return all;
}

class TemplatesUnderNvrtc : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      compilers_ = compilers();
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << "NVRTC is not on this machine: " << error.what();
    }
  }

  CompileResult compile(const DeviceInfo& device, Compiler& compiler, const search::NamedValues& configuration) {
    const search::NamedValues scope =
        scope_of(problem_constants(resolve_problem(kernel_, "", {}).values(), device), configuration);
    return compiler.compile(compile_request(kernel_, "cuda", configuration, scope));
  }

  KernelTemplate kernel_ = load_manifest(std::filesystem::path(source_folder() + "/templates") / GetParam());
  std::vector<std::pair<DeviceInfo, std::unique_ptr<Compiler>>> compilers_;
};

// The host's compiler takes some of C++ that NVRTC does not.
TEST(SupportKernelsUnderNvrtc, Compile) {
  KernelTemplate kernel;
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::i64})
    kernel.arguments.push_back({.name = "out", .type = type, .role = Role::output, .reference_type = type});
  kernel.arguments.front().reference_type = ElementType::f64;
  try {
    const auto all = compilers();
    const CompileResult result = all.front().second->compile(support_request(kernel));
    EXPECT_TRUE(result.code.has_value()) << result.log;
  } catch (const NoDeviceError& error) {
    GTEST_SKIP() << "NVRTC is not on this machine: " << error.what();
  }
}

// What a call into the device runtime keeps on the stack, in a kernel that launches another.
constexpr std::int64_t launch_frame_bytes = 16;
// What CUB spills with the policies that it has for compute capability 9.0: its scan on 8.0, its radix sort on 10.0.
constexpr std::int64_t cub_spilled_bytes = 8;

TEST_P(TemplatesUnderNvrtc, DefaultsCompileWithoutSpillsForEveryArchitecture) {
  const auto& own = kernel_.backend_options["cuda"];
  const bool launches = std::ranges::find(own, "-rdc=true") != own.end();
  const std::int64_t allowed = launches ? launch_frame_bytes : kernel_.name.starts_with("cub_") ? cub_spilled_bytes : 0;
  for (const auto& [device, compiler] : compilers_) {
    const CompileResult result = compile(device, *compiler, kernel_.default_values);
    ASSERT_TRUE(result.code.has_value()) << device.architecture << "\n" << result.log;
    for (const auto& [name, use] : cuda::cubin_resources(result.code->bytes)) {
      EXPECT_LE(use.local_bytes_per_thread, allowed) << device.architecture << " " << name;
      EXPECT_LE(use.registers_per_thread, 255);
      EXPECT_LE(use.static_shared_bytes, 49152);
    }
  }
}

TEST_P(TemplatesUnderNvrtc, ASpreadSampleCompiles) {
  const auto& [device, compiler] = compilers_.at(1);
  const search::SearchSpace space =
      build_space(kernel_, problem_constants(resolve_problem(kernel_, "", {}).values(), device));
  search::Rng rng(3);
  for (const search::Configuration& configuration : space.spread(2, rng)) {
    const CompileResult result = compile(device, *compiler, space.values(configuration));
    EXPECT_TRUE(result.code.has_value()) << space.key(configuration) << "\n" << result.log;
  }
}

TEST_P(TemplatesUnderNvrtc, TechniquesCompile) {
  const auto& [device, compiler] = compilers_.at(2);
  for (const Technique& technique : kernel_.techniques) {
    search::NamedValues configuration = kernel_.default_values;
    for (auto& [name, value] : configuration)
      if (const search::Value* choice = search::find_value(technique.parameters, name)) value = *choice;
    const CompileResult result = compile(device, *compiler, configuration);
    EXPECT_TRUE(result.code.has_value()) << technique.name << "\n" << result.log;
  }
}

// A template, the variant of its problem, and what else is demanded of its configurations.
struct Warpgroups {
  std::string name, variant, value;
  std::string demanded = "";
};

class WarpgroupsUnderNvrtc : public testing::TestWithParam<Warpgroups> {};

// The path by warpgroups exists for compute capability 9.0 only. ptxas warns (C7508, C7510) when it ignores setmaxnreg
// or waits for each multiplication, which makes the path pointless.
TEST_P(WarpgroupsUnderNvrtc, CompileWithoutSpillsOrWarnings) {
  const auto cuda = std::ranges::find(backends(), std::string_view("cuda"), &BackendEntry::name);
  DeviceInfo device = gpu(90);
  device.max_shared_memory_per_block_optin = 232448;
  std::unique_ptr<Compiler> compiler;
  try {
    compiler = cuda->compiler(device, toolkit_options());
  } catch (const NoDeviceError& error) {
    GTEST_SKIP() << "NVRTC is not on this machine: " << error.what();
  }
  KernelTemplate kernel = load_manifest(source_folder() + "/templates/" + GetParam().name);
  search::NamedValues problem = resolve_problem(kernel, "large", {}).values();
  for (auto& [name, value] : problem)
    if (name == GetParam().variant) value = GetParam().value;
  const search::NamedValues constants = problem_constants(problem, device);
  const search::SearchSpace all = build_space(kernel, constants);
  EXPECT_TRUE(all.contains(all.find(kernel.default_values).value()));
  kernel.constraints.push_back("ALGORITHM != 'mma'");
  EXPECT_GT(4 * build_space(kernel, constants).size(), all.size());  // or a search would seldom see one
  if (!GetParam().demanded.empty()) kernel.constraints.push_back(GetParam().demanded);
  const search::SearchSpace space = build_space(kernel, constants);
  search::Rng rng(3);
  for (const search::Configuration& configuration : space.spread(12, rng)) {
    const search::NamedValues values = space.values(configuration);
    const search::NamedValues scope = scope_of(constants, values);
    const CompileResult result = compiler->compile(compile_request(kernel, "cuda", values, scope));
    ASSERT_TRUE(result.code.has_value()) << space.key(configuration) << "\n" << result.log;
    EXPECT_EQ(result.log.find("C75"), std::string::npos) << space.key(configuration) << "\n" << result.log;
    for (const auto& [name, use] : cuda::cubin_resources(result.code->bytes))
      EXPECT_EQ(use.local_bytes_per_thread, 0) << space.key(configuration);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Library, WarpgroupsUnderNvrtc,
    testing::Values(Warpgroups{"gemm_tensor", "FUSION", "none"}, Warpgroups{"gemm_tensor", "FUSION", "bias_gelu"},
                    Warpgroups{"gemm_tensor", "PRECISION", "tf32"}, Warpgroups{"gemm_tensor", "FUSION", "swiglu"},
                    Warpgroups{"gemm_tensor", "FUSION", "residual"},
                    Warpgroups{"gemm_tensor", "FUSION", "none", "LAST_WAVE == 'split'"},
                    Warpgroups{"gemm_tensor", "FUSION", "bias_gelu", "LAST_WAVE == 'split'"},
                    Warpgroups{"gemm_fp8", "SCALES", "tensor"}, Warpgroups{"gemm_fp8", "SCALES", "blockwise"},
                    Warpgroups{"gemm_grouped", "ROUTING", "ragged"},
                    Warpgroups{"gemm_int4", "ZERO_POINTS", "symmetric"},
                    Warpgroups{"gemm_int4", "ZERO_POINTS", "groups"}, Warpgroups{"attention", "PRECISION", "half"},
                    Warpgroups{"gemm_emulated", "", "all"}),
    [](const auto& chosen) {
      return chosen.param.name + "_" + chosen.param.value + (chosen.param.demanded.empty() ? "" : "_split");
    });

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates"))
    if (exists(entry.path() / "template.toml")) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Library, TemplatesUnderNvrtc, testing::ValuesIn(template_names()),
                         [](const auto& chosen) { return chosen.param; });

// As `warptune init` describes them.
TEST(WholeProgramUnderNvrtc, CompilesWithAHostPartInItsOwnHeaders) {
  const TemporaryFolder folder;
  folder.write("check.h",
               "#pragma once\n#include <cstdio>\n#include \"timer.h\"\n"
               "inline void check(cudaError_t e) { if (e != cudaSuccess) printf(\"%d\", e); }\n"
               "__device__ inline float twice(float x) { return 2 * x; }\n");
  folder.write("timer.h", "#include <cuda_runtime.h>\nstruct Timer { cudaEvent_t begin, end; };\n");
  folder.write("k.cu",
               "#include \"check.h\"\n#include \"check.h\"\n__managed__ float factor = 2;\n"
               "__global__ void k(float* y) { y[threadIdx.x] = twice(factor); }\n"
               "int main() { check(cudaDeviceSynchronize()); }\n");
  folder.write(
      "template.toml",
      "name = 'k'\nsource = 'k.cu'\nwhole_program = true\noptions_cuda = ['-default-device']\n[sizes]\nn = 64\n"
      "[parameters.B]\nvalues = [64]\ndefault = 64\n[arguments.y]\ntype = 'float'\nshape = ['n']\nrole = 'output'\n"
      "[[launches]]\nkernel = 'k'\ngrid = 1\nblock = 'B'\narguments = ['y']\n"
      "[reference]\ndefault_configuration = true\n");
  const KernelTemplate kernel = load_manifest(folder.path() / "template.toml");
  try {
    for (const auto& [device, compiler] : compilers()) {
      const search::NamedValues scope =
          scope_of(problem_constants(resolve_problem(kernel, "", {}).values(), device), kernel.default_values);
      const CompileResult result = compiler->compile(compile_request(kernel, "cuda", kernel.default_values, scope));
      EXPECT_TRUE(result.code) << result.log;
    }
  } catch (const NoDeviceError& error) {
    GTEST_SKIP() << "NVRTC is not on this machine: " << error.what();
  }
}

}  // namespace
}  // namespace warptune::tuner
