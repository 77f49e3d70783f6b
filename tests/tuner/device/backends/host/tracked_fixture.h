// Kernels given as text that are compiled as tracked, and what the host backend says of their accesses.
#pragma once

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/access_report.h"

namespace warptune::tuner::host {

class Tracked : public testing::Test {
 protected:
  Tracked() : log_(std::make_shared<AccessLog>()) {
    BackendOptions options;
    options.host_threads = 2;
    options.accesses = log_;
    std::string why;
    device_ = entry().open(entry().devices(options, why).front(), options);
  }

  // Runs `kernel(float* data)` of the source. `floats` are the data's, which count up.
  void run(const std::string& source, const std::string& kernel, const LaunchGeometry& geometry,
           std::size_t floats = 4096) {
    *log_ = AccessLog();
    CompileRequest wanted = request(source, {kernel});
    wanted.tracked = true;
    CompileResult result = shared_compiler().compile(wanted);
    ASSERT_TRUE(result.code) << result.log;
    const auto module = device_->load(*result.code);
    const auto memory = device_->allocate(floats * sizeof(float));
    std::vector<float> values(floats);
    for (std::size_t i = 0; i < floats; ++i) values[i] = static_cast<float>(i);
    device_->upload(memory->span(), std::as_bytes(std::span(values)));
    log_->buffers = {{"data", memory->span().address, memory->span().bytes}};
    void* address = reinterpret_cast<void*>(memory->span().address);
    void* argument = &address;
    module->kernel(kernel).launch(geometry, {&argument, 1});
    device_->synchronize();
    device_->download(std::as_writable_bytes(std::span(values)), memory->span());
    data_ = std::move(values);
  }

  std::string findings() const {
    std::string text;
    for (const AccessFinding& finding : log_->findings) text += finding.message + "\n";
    return text;
  }
  std::int64_t count(Count kind) const { return log_->launches.at(0).counts[kind]; }

  std::shared_ptr<AccessLog> log_;
  std::unique_ptr<Device> device_;
  std::vector<float> data_;
};

}  // namespace warptune::tuner::host
