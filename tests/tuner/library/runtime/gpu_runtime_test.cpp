// The runtime on a real GPU; skipped where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/tuner/library/runtime/two_stage_template.h"
#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/device_error.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::tuner {
namespace {

using runtime::Kernel;
using runtime::Runtime;

constexpr std::size_t n = 100000;

// An application with the driver API: its context is current, streams and memory are its own.
class GpuRuntime : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    try {
      driver_ = cuda::load_driver({});
      driver_->device_get_count(&devices);
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    if (devices == 0) GTEST_SKIP() << "the driver lists no device";
    CUdevice device = 0;
    ASSERT_EQ(driver_->device_get(&device, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver_->primary_context_retain(&context_, device), CUDA_SUCCESS);
    ASSERT_EQ(driver_->context_push(context_), CUDA_SUCCESS);
    write_two_stage_template(files_);
  }

  // One stream's data, and one thread's use of it.
  class Client {
   public:
    Client(const cuda::Driver& driver, float value) : driver_(driver), value_(value) {
      EXPECT_EQ(driver_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      const std::size_t bytes[] = {4 * n, 4, 4 * n, 4};
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(driver_.mem_alloc(&buffers_[i], bytes[i]), CUDA_SUCCESS);
      const std::vector<float> in(n, value);
      const float offset = 10;
      driver_.memcpy_htod_async(buffers_[0], in.data(), 4 * n, stream_);
      driver_.memcpy_htod_async(buffers_[1], &offset, 4, stream_);
      wait();
    }
    ~Client() {
      for (const CUdeviceptr buffer : buffers_) driver_.mem_free(buffer);
      driver_.stream_destroy(stream_);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void launch(const Kernel& kernel) const {
      kernel.launch(stream_, {{"n", n}}, buffers_[0], buffers_[1], buffers_[2], buffers_[3], 3.0f);
    }
    bool is_right() const {
      std::vector<float> out(n);
      driver_.memcpy_dtoh_async(out.data(), buffers_[2], 4 * n, stream_);
      wait();
      return std::ranges::all_of(out, [&](float got) { return got == 3 * value_ + 10; });
    }
    int used_block() const {
      int used = 0;
      driver_.memcpy_dtoh_async(&used, buffers_[3], 4, stream_);
      wait();
      return used;
    }

   private:
    void wait() const {
      CUresult state = CUDA_ERROR_NOT_READY;
      while (state == CUDA_ERROR_NOT_READY) state = driver_.stream_query(stream_);
      EXPECT_EQ(state, CUDA_SUCCESS);
    }

    const cuda::Driver& driver_;
    float value_;
    CUstream stream_ = nullptr;
    CUdeviceptr buffers_[4] = {};
  };

  TemporaryFolder files_;
  std::shared_ptr<const cuda::Driver> driver_;
  CUcontext context_ = nullptr;
};

TEST_F(GpuRuntime, LaunchesTheBestForThisGpuRight) {
  const runtime::Runtime runtime;
  const Kernel kernel = runtime.load(
      files_.path(), write_two_stage_wisdom(files_, {two_stage_entry(runtime.device_name(), 0, n, 128, 2)}));
  const Client client(*driver_, 1.5f);
  client.launch(kernel);
  client.launch(kernel);
  EXPECT_TRUE(client.is_right());
  EXPECT_EQ(client.used_block(), 128);
}

TEST_F(GpuRuntime, ThreadsWithStreamsOfTheirOwnDoNotDisturbEachOther) {
  const runtime::Runtime runtime;
  const Kernel kernel = runtime.load(files_.path());
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Client>(*driver_, 0.5f * static_cast<float>(i)));
  {
    std::vector<std::jthread> threads;
    for (const auto& client : clients)
      threads.emplace_back([&] {
        driver_->context_push(context_);
        for (int i = 0; i < 50; ++i) client->launch(kernel);
      });
  }
  for (const auto& client : clients) EXPECT_TRUE(client->is_right());
  EXPECT_EQ(runtime.counts().compiled, 1);
}

TEST_F(GpuRuntime, TheFolderSparesTheNextProcessTheCompiler) {
  runtime::Options options;
  options.cache_folder = files_.path() / "cache";
  const Client client(*driver_, 2);
  client.launch(runtime::Runtime(options).load(files_.path()));
  const runtime::Runtime second(options);
  client.launch(second.load(files_.path()));
  EXPECT_TRUE(client.is_right());
  EXPECT_EQ(second.counts().compiled, 0);
  EXPECT_EQ(second.counts().loaded_from_disk, 1);
}

TEST_F(GpuRuntime, RecordsTheInputsOfACall) {
  const runtime::Runtime runtime;
  const Kernel kernel = runtime.load(files_.path());
  const Client client(*driver_, 2.5f);
  kernel.capture_next(files_.path() / "call.json", runtime::with_data);
  client.launch(kernel);
  EXPECT_TRUE(client.is_right());
  const Capture capture = read_capture(files_.path() / "call.json");
  const auto bytes = read_npy(capture.arguments.at("in"), ElementType::f32, n);
  float last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - 4, 4);
  EXPECT_EQ(last, 2.5f);
}

}  // namespace
}  // namespace warptune::tuner
