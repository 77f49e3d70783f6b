// A T1 file tuned against its .cu on the host backend; its reference is the kernel's own default configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/t1/t1.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

constexpr char document[] = R"json({
  "General": {"BenchmarkName": "scale"},
  "ConfigurationSpace": {
    "TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[2**i for i in range(5, 8)]", "Default": 32},
                         {"Name": "tile", "Type": "int", "Values": "[1, 2]", "Default": 1},
                         {"Name": "width", "Type": "int", "Values": "[3, 5]", "Default": 5},
                         {"Name": "bug", "Type": "int", "Values": "[0, 1]", "Default": 0}],
    "Conditions": [{"Expression": "width == 5", "Parameters": ["width"]}]},
  "KernelSpecification": {
    "Language": "CUDA", "CompilerOptions": ["-std=c++14"], "KernelName": "scale", "KernelFile": "scale.cu",
    "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"}, "GridDivX": ["block_size_x", "tile"],
    "ProblemSize": [1000], "SharedMemory": 0,
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
       "Size": "ProblemSize[0]", "FillValue": 0.0, "Output": 1},
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random",
       "Size": "ProblemSize[0] + max(width) - 1", "FillValue": 1.0},
      {"Name": "weights", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "MemType": "Constant",
       "FillType": "Random", "Size": "max(width)", "FillValue": 1.0},
      {"Name": "n", "Type": "int", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 1000}]}}
)json";

constexpr char source[] = R"(
__constant__ float weights[8];
extern "C" __global__ void scale(float* out, const float* in, int n) {
  for (int t = 0; t < tile; ++t) {
    const int i = (blockIdx.x * tile + t) * block_size_x + threadIdx.x;
    if (i >= n) continue;
    float sum = bug ? 1.0f : 0.0f;
    for (int k = 0; k < width; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
  }
}
)";

TEST(T1OnHost, EveryConfigurationMustReproduceTheDefaultsOutput) {
  const TemporaryFolder folder;
  folder.write("scale.cu", source);
  TuneRequest request;
  request.manifest = folder.write("scale.json", document);
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.min_samples = request.evaluator.policy.max_samples = 1;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  ASSERT_EQ(tuning.session().result().trials.size(), 12u);
  for (const search::Trial& trial : tuning.session().result().trials) {
    const bool bug = search::to_integer(tuning.space().values(trial.configuration)[3].second) == 1;
    EXPECT_EQ(trial.outcome, bug ? search::Outcome::wrong_result : search::Outcome::correct) << trial.message;
  }
}

// As Kernel Tuner's files have it: the kernel takes the constant as a parameter, and reads the variable.
TEST(T1OnHost, FillsTheVariableOfAConstantThatTheKernelTakesToo) {
  const TemporaryFolder folder;
  folder.write("blur.cu", R"(
#ifndef kernel_tuner
#define block_size_x 1
#endif
__constant__ float weights[3];
__global__ void blur(float* out, const float* in, const float* taken) {
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < 1000; i += grid_size_x * block_size_x)
    out[i] = taken[1] == weights[1] ? in[i] * weights[2] : -1;
}
)");
  TuneRequest request;
  request.manifest = folder.write("blur.json", R"json({
    "ConfigurationSpace": {"TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[32, 64]"}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "blur", "KernelFile": "blur.cu", "CompilerOptions": ["-arch=sm_80", "-O3"],
      "ProblemSize": [1000], "LocalSize": {"X": "block_size_x"},
      "Arguments": [
        {"Name": "out", "Type": "float", "Size": 1000, "FillValue": 0.0, "AccessType": "WriteOnly", "MemoryType": "Vector"},
        {"Name": "in", "Type": "float", "Size": 1000, "FillType": "Generator", "DataSource": "i",
         "AccessType": "ReadOnly", "MemoryType": "Vector"},
        {"Name": "weights", "Type": "float", "Size": 3, "FillType": "Generator", "DataSource": "i + 1",
         "MemType": "Constant", "AccessType": "ReadOnly", "MemoryType": "Vector"}],
      "ReferenceArguments": [{"Name": "r", "TargetName": "out", "FillType": "Generator", "DataSource": "3 * i"}]}})json");
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.min_samples = request.evaluator.policy.max_samples = 1;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  ASSERT_EQ(tuning.session().result().trials.size(), 2u);
  for (const search::Trial& trial : tuning.session().result().trials)
    EXPECT_EQ(trial.outcome, search::Outcome::correct) << trial.message;
}

// The reference is data, the second input a file, and the output what the kernel adds to.
TEST(T1OnHost, TunesAsKttDoes) {
  const TemporaryFolder folder;
  folder.write("add.cu", R"(
__global__ void add(const float* a, const float* b, float* result, const float scalar) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  result[index] += a[index] + b[index] + scalar + (BLOCK == 64);
}
)");
  const std::array<float, 256> ones = [] {
    std::array<float, 256> content{};
    content.fill(1);
    return content;
  }();
  folder.write("b.bin", std::string(reinterpret_cast<const char*>(ones.data()), sizeof ones));
  TuneRequest request;
  request.manifest = folder.write("add.json", R"json({
    "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "uint", "Values": "[32, 64, 128]"}]},
    "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 2}],
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "CompilerOptions": ["-use_fast_math", ""],
      "GlobalSize": {"X": "256"}, "GlobalSizeType": "OpenCL", "LocalSize": {"X": "BLOCK"},
      "Arguments": [
        {"Name": "a", "Type": "float", "Size": 256, "FillType": "Generator", "DataSource": "i", "AccessType": "ReadOnly",
         "MemoryType": "Vector"},
        {"Name": "b", "Type": "float", "Size": 256, "FillType": "BinaryRaw", "DataSource": "b.bin",
         "AccessType": "ReadOnly", "MemoryType": "Vector"},
        {"Name": "result", "Type": "float", "Size": 256, "FillValue": 2.0, "AccessType": "WriteOnly",
         "MemoryType": "Vector"},
        {"Name": "scalar", "Type": "float", "FillValue": 3.0, "MemoryType": "Scalar"}],
      "ReferenceArguments": [{"Name": "r", "TargetName": "result", "FillType": "Generator", "DataSource": "i + 6",
                              "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.1}]}})json");
  request.device = "host";
  request.strategy = "exhaustive";
  request.evaluator.policy.min_samples = request.evaluator.policy.max_samples = 1;
  db::Store store = db::Store::open(folder.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  ASSERT_EQ(tuning.session().result().trials.size(), 2u);
  for (const search::Trial& trial : tuning.session().result().trials) {
    const bool wrong = search::to_integer(tuning.space().values(trial.configuration)[0].second) == 64;
    EXPECT_EQ(trial.outcome, wrong ? search::Outcome::wrong_result : search::Outcome::correct) << trial.message;
  }
}

TEST(T1OnHost, SaysWhatAFileLacks) {
  const TemporaryFolder folder;
  const auto file = folder.write("scale.json", document);
  try {
    load_t1(file);
    FAIL() << "loaded without its source";
  } catch (const ManifestError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("KernelFile"));
  }
}

}  // namespace
}  // namespace warptune::tuner
