// The pipeline template's runs over the fake driver: what goes into which stream, and what waits for what.
#include "tuner/measure/memory/bound_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/support/places.h"
#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

class PipelineOnCuda : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    options_.library_directories.push_back(FAKE_LIBRARIES_DIR "/nvrtc");
    device_ = open();
    compiler_ = cuda::entry().compiler(device_->info(), options_);
    kernels_ = std::make_unique<SupportKernels>(*device_, *compiler_, kernel_);
    module_ = device_->load(code({"evaluate"}));
    fake_->on_launch = [this](const fakes::FakeLaunch& launch) { launched_in_.push_back(launch.stream); };
  }

  // 1000 elements, with these parameters instead of the default's.
  BoundPlan bind(const search::NamedValues& changes) {
    search::NamedValues scope =
        problem_constants({{"SIZE", std::int64_t{1000}}, {"DEGREE", std::int64_t{3}}}, device_->info());
    for (const auto& [name, value] : kernel_.default_values) {
      const search::Value* changed = search::find_value(changes, name);
      scope.emplace_back(name, changed ? *changed : value);
    }
    Plan plan = make_plan(kernel_, scope);
    for (const auto& [name, kind] : plan.host_memory) host_[name] = device_->transfers().allocate(4000, kind);
    for (const PlannedBuffer& buffer : plan.buffers) memory_[buffer.argument->name] = device_->allocate(buffer.bytes());
    return BoundPlan(std::move(plan), *module_,
                     {[this](const std::string& name) { return memory_.at(name)->span(); },
                      [this](const std::string& name) { return host_.at(name)->span(); }},
                     *device_, *kernels_);
  }

  // Streams of the copies in one direction, in order.
  std::vector<CUstream> copied_in(bool to_host) const {
    std::vector<CUstream> streams;
    for (const fakes::FakeCopy& copy : fake_->copies)
      if (copy.to_host == to_host) streams.push_back(copy.stream);
    return streams;
  }

  bool waited(CUstream waiting, CUstream waited_for) const {
    return std::ranges::any_of(fake_->waits, [&](const fakes::FakeWait& wait) {
      return wait.waiting == waiting && wait.waited_for == waited_for;
    });
  }

  KernelTemplate kernel_ = load_manifest(source_folder() + "/templates/pipeline");
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<SupportKernels> kernels_;
  std::unique_ptr<Module> module_;
  std::map<std::string, std::unique_ptr<HostMemory>> host_;
  std::map<std::string, std::unique_ptr<Memory>> memory_;
  std::vector<CUstream> launched_in_;
};

TEST_F(PipelineOnCuda, MovesEveryByteOnceEachWay) {
  BoundPlan bound = bind({{"CHUNKS", std::int64_t{4}}});
  bound.run();
  std::size_t in = 0, out = 0;
  for (const fakes::FakeCopy& copy : fake_->copies) (copy.to_host ? out : in) += copy.bytes;
  EXPECT_EQ(in, 4000u);
  EXPECT_EQ(out, 4000u);
  EXPECT_EQ(fake_->copies.size(), 8u);
  EXPECT_TRUE(std::ranges::all_of(fake_->copies, &fakes::FakeCopy::pinned));
}

TEST_F(PipelineOnCuda, CopiesPageableMemoryIfToldSo) {
  BoundPlan bound = bind({{"PINNED", false}});
  bound.run();
  EXPECT_FALSE(fake_->copies.empty());
  EXPECT_TRUE(std::ranges::none_of(fake_->copies, &fakes::FakeCopy::pinned));
}

TEST_F(PipelineOnCuda, KeepsAChunkInOneStreamAndChunksInDifferentOnes) {
  BoundPlan bound = bind({{"CHUNKS", std::int64_t{4}}, {"STREAMS", std::int64_t{3}}});
  bound.run();
  EXPECT_EQ(copied_in(false), launched_in_);
  EXPECT_EQ(copied_in(true), launched_in_);
  ASSERT_EQ(launched_in_.size(), 4u);
  EXPECT_EQ(std::set(launched_in_.begin(), launched_in_.end()).size(), 3u);
  EXPECT_EQ(launched_in_[0], launched_in_[3]);
}

TEST_F(PipelineOnCuda, BeginsEveryStreamAfterTheFirstAndEndsWithAllOfThem) {
  BoundPlan bound = bind({{"CHUNKS", std::int64_t{4}}, {"STREAMS", std::int64_t{3}}});
  bound.run();
  const CUstream first = launched_in_.at(0);
  for (const CUstream other : {launched_in_.at(1), launched_in_.at(2)}) {
    EXPECT_TRUE(waited(other, first));
    EXPECT_TRUE(waited(first, other));
  }
  module_->kernel("evaluate").launch({}, {});  // what follows is in the first again
  EXPECT_EQ(launched_in_.back(), first);
}

TEST_F(PipelineOnCuda, GivesEachStageAStreamThatWaitsForTheOneBefore) {
  BoundPlan bound = bind({{"ISSUE_ORDER", std::string("stages")}});
  bound.run();
  const CUstream in = copied_in(false).at(0), compute = launched_in_.at(0), out = copied_in(true).at(0);
  EXPECT_EQ(std::set({in, compute, out}).size(), 3u);
  EXPECT_TRUE(waited(compute, in));
  EXPECT_TRUE(waited(out, compute));
}

TEST_F(PipelineOnCuda, QueuesStepByStepIfToldSo) {
  BoundPlan bound = bind({{"ISSUE_ORDER", std::string("breadth_first")}, {"CHUNKS", std::int64_t{4}}});
  bound.run();
  ASSERT_EQ(fake_->copies.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(fake_->copies[i].to_host, i >= 4) << i;
}

TEST_F(PipelineOnCuda, InOneStreamNeedsNoEvents) {
  BoundPlan bound = bind({{"STREAMS", std::int64_t{1}}});
  bound.run();
  EXPECT_TRUE(fake_->waits.empty());
  EXPECT_FALSE(bound.only_kernels());  // and is never recorded into a graph
}

TEST_F(PipelineOnCuda, GoesBackToTheFirstStreamWhenALaunchIsRefused) {
  BoundPlan bound = bind({});
  bound.run();
  const CUstream first = launched_in_.at(0);
  fake_->refusals["cuMemcpyDtoHAsync"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_FALSE(error_of([&] { bound.run(); }).sticky());
  fake_->refusals.clear();
  module_->kernel("evaluate").launch({}, {});
  EXPECT_EQ(launched_in_.back(), first);
}

}  // namespace
}  // namespace warptune::tuner
