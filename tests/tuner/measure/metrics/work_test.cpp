// The work that manifests state: how it is read, refused and evaluated, and that every template states it.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/places.h"
#include "tests/support/small_template.h"
#include "tuner/device/roofline/roofline.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/metrics/metrics.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

KernelTemplate with_work(const std::string& work) {
  const TemporaryFolder folder;
  write_doubling_template(folder, std::string(doubling_manifest) + "\n[work]\n" + work);
  return load_manifest(folder.path());
}

std::string work_error(const std::string& work) {
  try {
    with_work(work);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

search::NamedValues scope() {
  return {{"n", std::int64_t{1000}}, {"BLOCK", std::int64_t{64}}, {"EACH", std::int64_t{2}}};
}

TEST(StatedWork, IsEvaluatedForTheConfiguration) {
  const search::Work work = evaluate_work(with_work("flops = \"n * EACH\"\nbytes = \"8 * n\""), scope());
  EXPECT_EQ(work.flops, 2000);
  EXPECT_EQ(work.bytes, 8000);
  EXPECT_EQ(work.arithmetic, "fp32");
}

TEST(StatedWork, IsLeftOutWhereItHasNoValue) {
  const search::Work work = evaluate_work(with_work("flops = \"n / (EACH - 2)\"\nbytes = \"0 - n\""), scope());
  EXPECT_EQ(work, search::Work{});
  EXPECT_EQ(evaluate_work(with_work("bytes = \"n\""), scope()).arithmetic, "");
}

TEST(StatedWork, NamesItsArithmeticOrComputesTheName) {
  const auto arithmetic = [](const std::string& text) {
    return evaluate_work(with_work("flops = \"n\"\narithmetic = \"" + text + "\""), scope()).arithmetic;
  };
  EXPECT_EQ(arithmetic("tensor_bf16"), "tensor_bf16");
  EXPECT_EQ(arithmetic("'fp64' if EACH == 2 else 'fp32'"), "fp64");
  EXPECT_EQ(arithmetic("'fp64' if EACH == 4 else 'fp32'"), "fp32");
}

TEST(StatedWork, RefusesWhatItCannotMean) {
  EXPECT_THAT(work_error("flops = \"m\""), HasSubstr("'m' means nothing here"));
  EXPECT_THAT(work_error("flops = \"n\"\narithmetic = \"fp23\""), HasSubstr("did you mean fp32?"));
  EXPECT_THAT(work_error("arithmetic = \"fp32\""), HasSubstr("expected flops, bytes or both"));
  EXPECT_THAT(work_error("flop = \"n\""), HasSubstr("flop"));
}

class TemplatesWork : public testing::TestWithParam<std::string> {};

// Of each variant's values, at the default configuration.
TEST_P(TemplatesWork, IsStatedForEveryVariant) {
  const KernelTemplate kernel = load_manifest(source_folder() + "/templates/" + GetParam());
  ASSERT_TRUE(kernel.work.flops && kernel.work.bytes);
  DeviceInfo device;
  device.multiprocessors = 132;
  device.max_shared_memory_per_block_optin = 227 * 1024;
  Problem problem{kernel.sizes, {}};
  for (const search::Parameter& variant : kernel.variants)
    problem.variants.emplace_back(variant.name, variant.values[0]);
  const auto expect_work = [&] {
    const auto values = scope_of(problem_constants(problem.values(), device), kernel.default_values);
    const search::Work work = evaluate_work(kernel, values);
    EXPECT_GT(work.bytes.value_or(0), 0) << problem.text();
    ASSERT_TRUE(work.flops) << problem.text();
    EXPECT_EQ(is_arithmetic(work.arithmetic), *work.flops > 0) << work.arithmetic;
  };
  expect_work();
  for (std::size_t i = 0; i < kernel.variants.size(); ++i)
    for (const search::Value& value : kernel.variants[i].values) {
      problem.variants[i].second = value;
      expect_work();
    }
}

std::vector<std::string> library() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates"))
    if (std::filesystem::exists(entry.path() / "template.toml")) names.push_back(entry.path().filename().string());
  std::erase(names, "gemm_fp8");  // no roof of 8-bit floats is measured, against which its work would be held
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Library, TemplatesWork, testing::ValuesIn(library()),
                         [](const auto& information) { return information.param; });

}  // namespace
}  // namespace warptune::tuner
