#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/support/boxes_template.h"
#include "tests/support/copying_template.h"
#include "tests/support/places.h"
#include "tests/support/variant_template.h"
#include "tests/tuner/library/runtime/two_stage_template.h"
#include "tuner/library/runtime/host.h"
#include "tuner/library/runtime/runtime.h"
#include "tuner/measure/cache/code_cache.h"

namespace warptune::runtime {
namespace {

using testing::HasSubstr;

class HostRuntime : public testing::Test {
 protected:
  HostRuntime() { tuner::write_two_stage_template(folder_); }

  // One call's data.
  struct Call {
    explicit Call(std::size_t n) : in(n, 1.5f), out(n) {}
    std::vector<float> in, out;
    float offset = 10;
    int used = 0;

    template <class... More>
    void launch(const Kernel& kernel, More... more) {
      kernel.launch(nullptr, {{"n", static_cast<std::int64_t>(in.size())}}, in.data(), &offset, out.data(), &used,
                    more...);
    }
    bool all_are(float expected) const {
      return std::ranges::all_of(out, [&](float value) { return value == expected; });
    }
  };

  Kernel load(std::vector<tuner::WisdomEntry> entries) {
    return runtime_.load(folder_.path(), tuner::write_two_stage_wisdom(folder_, std::move(entries)));
  }
  template <class Action>
  static std::string error_of(Action action) {
    try {
      action();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  Runtime runtime_ = host_runtime();
};

TEST_F(HostRuntime, RefusesATemplateThatCopiesInStreamsOfItsOwn) {
  const TemporaryFolder folder;
  write_copying_template(folder);
  const Kernel kernel = runtime_.load(folder.path());
  std::vector<float> in(1000), out(1000);
  EXPECT_THAT(error_of([&] {
                kernel.launch(nullptr, {{"n", 1000}}, in.data(), out.data());
              }),
              HasSubstr("copying copies between host and device in streams of its own"));
}

TEST_F(HostRuntime, LaunchesTheDefaultWhenNothingIsKnown) {
  const Kernel kernel = runtime_.load(folder_.path());
  Call call(1000);
  call.launch(kernel);
  call.launch(kernel);  // scratch memory is zero again
  EXPECT_TRUE(call.all_are(2 * 1.5f + 10)) << call.out[0];
  EXPECT_EQ(call.used, 32);
  EXPECT_EQ(kernel.choice({{"n", 1000}}).source, Source::default_configuration);
}

TEST_F(HostRuntime, LaunchesTheBestForThisDeviceAtTheNearestSize) {
  const Kernel kernel = load({tuner::two_stage_entry(runtime_.device_name(), 0, 1000, 64),
                              tuner::two_stage_entry(runtime_.device_name(), 0, 100000, 128),
                              tuner::two_stage_entry("another", 0, 4000, 32)});
  Call small(4000), large(40000);
  small.launch(kernel);
  large.launch(kernel);
  EXPECT_EQ(small.used, 64);
  EXPECT_EQ(large.used, 128);
  const Choice choice = kernel.choice({{"n", 4000}});
  EXPECT_EQ(choice.source, Source::device);
  EXPECT_EQ(choice.configuration, "BLOCK=64,EACH=1");
  EXPECT_EQ(choice.measured_sizes, "n=1000");
  EXPECT_TRUE(choice.predicted);
  EXPECT_LT(choice.expected_regret, 0) << "the wisdom does not say";
  EXPECT_FALSE(kernel.choice({{"n", 1000}}).predicted);
}

TEST_F(HostRuntime, AnotherDeviceOfTheArchitectureIsBetterThanTheDefault) {
  const Kernel kernel =
      load({tuner::two_stage_entry("another", 0, 1000, 128), tuner::two_stage_entry("a GPU", 90, 1000, 64)});
  EXPECT_EQ(kernel.choice({{"n", 1000}}).source, Source::architecture);
  Call call(1000);
  call.launch(kernel);
  EXPECT_EQ(call.used, 128);
}

// Size 1000 of float is the nearest to 1000, and no answer for double.
TEST_F(HostRuntime, ALoadedKernelIsOfOneVariantAndUsesNoOthersWisdom) {
  const TemporaryFolder folder;
  write_variant_template(folder);
  const auto entry = [&](const char* precision, std::int64_t n, std::int64_t block) {
    tuner::WisdomEntry made = tuner::two_stage_entry(runtime_.device_name(), 0, n, block);
    made.sizes = {{"n", n}, {"count", std::int64_t{1}}};
    made.variants = {{"PRECISION", std::string(precision)}, {"NEGATED", true}, {"ORDER", std::string("backward")}};
    made.values = {{"BLOCK", block}};
    return made;
  };
  tuner::Wisdom wisdom{"turned", {{"BLOCK", std::int64_t{64}}}, {entry("float", 4, 64), entry("double", 9000, 32)}};
  normalize(wisdom);
  const auto file = folder.write("wisdom.json", wisdom_text(wisdom));
  const auto load = [&](const Variants& variants) { return runtime_.load(folder.path(), file, variants); };

  const Kernel kernel = load({{"PRECISION", "double"}, {"NEGATED", true}, {"ORDER", "backward"}});
  EXPECT_EQ(kernel.choice({{"n", 4}, {"count", 1}}).configuration, "BLOCK=32");
  EXPECT_EQ(kernel.choice({{"n", 4}, {"count", 1}}).measured_sizes, "n=9000,count=1");
  const std::vector<double> in = {1, 2, 3, 4.5};
  std::vector<double> out(4);
  kernel.launch(nullptr, {{"n", 4}, {"count", 1}}, in.data(), out.data());
  EXPECT_EQ(out, (std::vector<double>{-9, -6, -4, -2}));
  EXPECT_EQ(load({{"NEGATED", true}}).choice({{"n", 4}, {"count", 1}}).source, Source::default_configuration);
  EXPECT_THAT(error_of([&] { load({{"PRECISION", "half"}}); }), HasSubstr("expected one of float, double"));
  EXPECT_THAT(error_of([&] { load({{"NEGATED", 1}}); }), HasSubstr("expected one of false, true"));
}

TEST_F(HostRuntime, SkipsWhatTheTemplateForbidsAtThisSize) {
  const Kernel kernel = load({tuner::two_stage_entry(runtime_.device_name(), 0, 1000, 64, 4),
                              tuner::two_stage_entry(runtime_.device_name(), 0, 9000, 128, 2)});
  EXPECT_EQ(kernel.choice({{"n", 1004}}).configuration, "BLOCK=64,EACH=4");
  EXPECT_EQ(kernel.choice({{"n", 1002}}).configuration, "BLOCK=128,EACH=2");
  EXPECT_EQ(kernel.choice({{"n", 1001}}).source, Source::default_configuration);
}

// The template with its default blocks of 128, and one more constraint.
void write_two_stage_template_with(const TemporaryFolder& folder, const std::string& constraint) {
  std::string manifest = tuner::two_stage_manifest;
  const auto replace = [&](const std::string& old, const std::string& text) {
    manifest.replace(manifest.find(old), old.size(), text);
  };
  replace("default = 32", "default = 128");
  replace("[\"n % EACH == 0\"", "[\"n % EACH == 0\", \"" + constraint + '"');
  folder.write("template.toml", manifest);
}

TEST_F(HostRuntime, NeverLaunchesADefaultThatTheTemplateForbidsAtThisSize) {
  write_two_stage_template_with(folder_, "n % BLOCK == 0");
  const Kernel kernel = runtime_.load(folder_.path());
  EXPECT_EQ(kernel.choice({{"n", 256}}).configuration, "BLOCK=128,EACH=1");
  EXPECT_EQ(kernel.choice({{"n", 192}}).configuration, "BLOCK=64,EACH=1") << "the nearest that is allowed";
  EXPECT_EQ(kernel.choice({{"n", 192}}).source, Source::default_configuration);
  Call call(96);
  call.launch(kernel);
  EXPECT_EQ(call.used, 32);
  EXPECT_TRUE(call.all_are(13));
  call = Call(100);
  const std::string error = error_of([&] { call.launch(kernel); });
  EXPECT_THAT(error, HasSubstr("two_stage forbids BLOCK=128,EACH=1 for n=100: n % BLOCK == 0"));
  EXPECT_EQ(call.used, 0);
}

TEST_F(HostRuntime, ChangesTwoParametersOfAForbiddenDefaultIfOneIsNotEnough) {
  write_two_stage_template_with(folder_, "BLOCK * EACH <= 128 and EACH == (2 if n > 99 else 1)");
  const Kernel kernel = runtime_.load(folder_.path());
  EXPECT_EQ(kernel.choice({{"n", 98}}).configuration, "BLOCK=128,EACH=1");
  EXPECT_EQ(kernel.choice({{"n", 100}}).configuration, "BLOCK=64,EACH=2");
}

TEST_F(HostRuntime, WisdomThatIsForbiddenAtThisSizeDoesNotBringAForbiddenDefault) {
  write_two_stage_template_with(folder_, "n % BLOCK == 0");
  const Kernel kernel = load({tuner::two_stage_entry(runtime_.device_name(), 0, 1024, 128)});
  EXPECT_EQ(kernel.choice({{"n", 64}}).configuration, "BLOCK=64,EACH=1");
  EXPECT_THAT(error_of([&] { kernel.choice({{"n", 7}}); }), HasSubstr("two_stage forbids"));
}

TEST_F(HostRuntime, ConstantsAreTheCallersOrTheTemplates) {
  const Kernel kernel = runtime_.load(folder_.path());
  Call call(100);
  call.launch(kernel, 3.0);
  EXPECT_TRUE(call.all_are(3 * 1.5f + 10));
  call.launch(kernel, 4);
  EXPECT_TRUE(call.all_are(4 * 1.5f + 10));
  ASSERT_EQ(kernel.parameters().size(), 5u);
  EXPECT_EQ(kernel.parameters()[4].name, "factor");
  EXPECT_TRUE(kernel.parameters()[4].optional);
}

TEST_F(HostRuntime, ManyThreadsCompileOnceAndAllAreRight) {
  const Kernel kernel = runtime_.load(folder_.path());
  std::vector<Call> calls(6, Call(1000));
  {
    std::vector<std::jthread> threads;
    for (Call& call : calls)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) call.launch(kernel);
      });
  }
  for (const Call& call : calls) EXPECT_TRUE(call.all_are(13));
  EXPECT_EQ(runtime_.counts().compiled, 1);
}

TEST_F(HostRuntime, SizesOfOneConfigurationShareItsCode) {
  const Kernel kernel = runtime_.load(folder_.path());
  kernel.prepare({{"n", 10}});
  kernel.prepare({{"n", 20}});
  EXPECT_EQ(runtime_.counts().compiled, 1);
}

TEST_F(HostRuntime, TheFolderSparesTheNextProcessTheCompiler) {
  Options options;
  options.cache_folder = folder_.path() / "cache";
  const auto used_by_new_runtime = [&] {
    const Runtime runtime = host_runtime(options);
    Call call(100);
    call.launch(runtime.load(folder_.path()));
    EXPECT_TRUE(call.all_are(13));
    return runtime.counts();
  };
  EXPECT_EQ(used_by_new_runtime().compiled, 1);
  EXPECT_EQ(used_by_new_runtime().loaded_from_disk, 1);
  for (const auto& file : std::filesystem::recursive_directory_iterator(options.cache_folder))
    if (file.is_regular_file()) std::filesystem::resize_file(file.path(), file.file_size() - 1);
  EXPECT_EQ(used_by_new_runtime().compiled, 1);  // a damaged file is no code
  folder_.write("kernel.cu", std::string(tuner::two_stage_kernel) + "// changed\n");
  EXPECT_EQ(used_by_new_runtime().compiled, 1);
}

TEST_F(HostRuntime, TheFolderIsACacheOfMachineCodeLikeAnyOther) {
  Options options;
  options.cache_folder = folder_.path() / "cache";
  Call call(100);
  call.launch(host_runtime(options).load(folder_.path()));
  EXPECT_EQ(tuner::CodeCache({options.cache_folder}).stats().entries, 1u);
}

TEST_F(HostRuntime, RefusesArgumentsThatDoNotFit) {
  const Kernel kernel = runtime_.load(folder_.path());
  float data[4] = {};
  int used = 0;
  EXPECT_THROW(kernel.launch(nullptr, {{"n", 4}}, data, data), std::invalid_argument);
  EXPECT_THROW(kernel.launch(nullptr, {{"n", 4}}, 1.5, data, data, &used), std::invalid_argument);
  EXPECT_THROW(kernel.launch(nullptr, {{"n", 4}}, data, data, data, &used, data), std::invalid_argument);
  EXPECT_THAT(error_of([&] {
                kernel.launch(nullptr, {{"n", 4}}, data);
              }),
              HasSubstr("takes in, offset, out, used, factor (optional); 1 arguments were given"));
  EXPECT_THAT(error_of([&] { kernel.prepare({{"m", 4}}); }), HasSubstr("unknown size 'm'"));
  EXPECT_THAT(error_of([&] { kernel.prepare({}); }), HasSubstr("missing size 'n'"));
  EXPECT_THAT(error_of([&] { kernel.prepare({{"n", 0}}); }), HasSubstr("not a positive size 'n'"));
  EXPECT_THAT(error_of([&] { kernel.prepare({{"n", 4}, {"n", 4}}); }), HasSubstr("repeated size 'n'"));
}

TEST_F(HostRuntime, RefusesAPointerToOtherNumbersAndAnIntegerThatIsNone) {
  const Kernel kernel = runtime_.load(folder_.path());
  float data[4] = {};
  double doubles[4] = {};
  int used = 0;
  EXPECT_THAT(error_of([&] {
                kernel.launch(nullptr, {{"n", 4}}, doubles, data, data, &used);
              }),
              HasSubstr("the argument in of the launch is a device pointer to float; the pointer given is to "
                        "floating-point numbers of 8 bytes"));
  EXPECT_THAT(error_of([&] {
                kernel.launch(nullptr, {{"n", 4}}, data, data, data, 3);
              }),
              HasSubstr("used of the launch is a device pointer; an integer was given"));
  EXPECT_THAT(error_of([&] { kernel.launch(nullptr, {{"n", 4}}, data, data, data, data); }), HasSubstr("used"));
  const void* unknown = data;
  EXPECT_EQ(
      error_of([&] {
        kernel.launch(nullptr, {{"n", std::size_t{4}}}, unknown, reinterpret_cast<std::uintptr_t>(data), data, &used);
      }),
      "no error");
}

// The documentation's example.
TEST_F(HostRuntime, TakesOnlyTheBuffersThatAVariantUses) {
  const std::filesystem::path gemm = std::filesystem::path(source_folder()) / "templates/gemm";
  const std::vector<float> a = {1, 2, 3, 4}, b = {1, 0, 0, 1};
  std::vector<float> c(4, 7);
  runtime_.load(gemm).launch(nullptr, {{"M", 2}, {"N", 2}, {"K", 2}}, a.data(), b.data(), c.data(), 1.0f, 0.0f);
  EXPECT_EQ(c, a);

  const Kernel doubles = runtime_.load(gemm, {}, {{"PRECISION", "double"}});
  ASSERT_EQ(doubles.parameters().size(), 5u);
  EXPECT_EQ(doubles.parameters()[0].name, "a_doubles");
  EXPECT_EQ(doubles.parameters()[3].name, "alpha_double");
}

// Whatever the configuration: a launch that only a parameter rules out may run.
TEST_F(HostRuntime, TakesTheBuffersOfAllAlgorithmsOfAVariant) {
  const std::filesystem::path templates = std::filesystem::path(source_folder()) / "templates";
  const auto names = [&](const char* kernel, const Variants& variants) {
    std::vector<std::string> found;
    const Kernel loaded = runtime_.load(templates / kernel, {}, variants);
    for (const Parameter& parameter : loaded.parameters()) found.push_back(parameter.name);
    return found;
  };
  EXPECT_THAT(names("gemm_tensor", {{"PRECISION", "bfloat16"}}),
              testing::ElementsAre("a_bfloats", "b_bfloats", "c", "alpha", "beta"));
  EXPECT_THAT(names("gemm_tensor", {{"PRECISION", "bfloat16"}, {"FUSION", "bias_gelu"}}),
              testing::ElementsAre("a_bfloats", "b_bfloats", "d_bfloats", "vector", "residual_bfloats"));
  EXPECT_THAT(names("attention", {{"PRECISION", "half"}}),
              testing::ElementsAre("q_halves", "k_halves", "v_halves", "o_halves"));
}

TEST_F(HostRuntime, AKernelThatDoesNotCompileIsAnErrorWithTheLog) {
  folder_.write("kernel.cu", "#error this kernel is broken\n");
  const Kernel kernel = runtime_.load(folder_.path());
  EXPECT_THROW(kernel.prepare({{"n", 4}}), Error);
  EXPECT_THAT(error_of([&] { kernel.prepare({{"n", 4}}); }), HasSubstr("this kernel is broken"));
}

TEST_F(HostRuntime, RefusesWisdomOfAnotherVersionAndFilesThatAreNone) {
  EXPECT_THAT(error_of([&] { load({tuner::two_stage_entry("d", 0, 1, 48)}); }),
              HasSubstr("of another version of two_stage"));
  EXPECT_THROW(runtime_.load(folder_.path() / "no"), Error);
  EXPECT_THROW(runtime_.load(folder_.path(), folder_.path() / "template.toml"), Error);
}

TEST_F(HostRuntime, TakesWisdomThatFitsWhateverItsHashes) {
  tuner::WisdomEntry entry = tuner::two_stage_entry(runtime_.device_name(), 0, 1000, 64);
  entry.provenance.source_hash = entry.provenance.manifest_hash = "another";
  EXPECT_EQ(load({entry}).choice({{"n", 1000}}).configuration, "BLOCK=64,EACH=1");
}

TEST_F(HostRuntime, MakesTensorMapsOfTheCallersBuffers) {
  const TemporaryFolder boxes;
  write_boxes_template(boxes);
  const Kernel kernel = runtime_.load(boxes.path());
  alignas(16) float in[9 * 40], out[9 * 40];
  std::iota(std::begin(in), std::end(in), 1.0f);
  kernel.launch(nullptr, {{"ROWS", 9}, {"COLUMNS", 40}}, +in, +out);
  for (std::size_t i = 0; i < std::size(in); ++i) EXPECT_EQ(out[i], 2 * in[i]) << i;
}

}  // namespace
}  // namespace warptune::runtime
