// Times kernels with as many rounds as make a launch long enough, and keeps the fastest of each roof.
#include "tuner/device/roofline/measure_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "tuner/device/roofline/roofline.h"
#include "warptune_roof_source.h"

namespace warptune::tuner {

namespace {

// These numbers are the same in roof_kernels.cu.
constexpr std::int64_t gpu_threads = 512, under_way = 8, chains = 8, shared_bytes_a_round = 4 * 512 * 16;
constexpr std::int64_t host_lanes = 64, host_shared_bytes_a_round = 4096 * 4, host_blocks_a_core = 4;
constexpr std::int64_t products = 8, quad = 16;
constexpr std::uint64_t most_rounds = 1u << 30;

CompileRequest request_of(std::vector<std::string> kernels) {
  CompileRequest request;
  request.name = "warptune/roofs.cu";
  request.source = roof_source;
  request.options = {"-std=c++17"};
  request.kernels = std::move(kernels);
  return request;
}

struct Shape {
  std::int64_t blocks = 1, threads = 1;
};

// Describes a kernel for one roof. `work(rounds)` is what a launch with so many rounds or passes does, in bytes or
// operations.
struct Probe {
  std::string roof, kernel, method;
  Shape shape;
  std::function<double(std::uint64_t rounds)> work;
  std::function<void(Kernel& kernel, const Shape& shape, std::uint64_t rounds)> launch;
};

class Prober {
 public:
  Prober(Device& device, Compiler& compiler, const RoofEffort& effort,
         const std::function<void(const std::string&)>& step)
      : device_(device), compiler_(compiler), effort_(effort), step_(step), sink_(device.allocate(64)) {}

  MeasuredRoofs run();

 private:
  bool host() const { return device_.info().is_host(); }
  std::int64_t multiprocessors() const { return std::max<std::int64_t>(1, device_.info().multiprocessors); }
  Shape full() const;
  std::int64_t memory_quads(std::int64_t chunk) const;
  std::vector<Probe> memory_probes();
  Probe l2_probe();
  std::vector<Probe> arithmetic_probes();
  std::vector<Probe> tensor_probes(bool wgmma);
  Probe tensor_probe(bool wgmma, bool tf32);
  void measure(const CompileRequest& request, const std::vector<Probe>& probes);
  double best_rate(Kernel& kernel, const Probe& probe);
  double best_ms(Kernel& kernel, const Probe& probe, std::uint64_t rounds, int samples);
  void keep(const Probe& probe, double rate);

  Device& device_;
  Compiler& compiler_;
  RoofEffort effort_;
  const std::function<void(const std::string&)>& step_;
  std::unique_ptr<Memory> sink_, from_, to_;
  MeasuredRoofs result_;
};

// Returns a shape with as many threads as the device holds.
Shape Prober::full() const {
  if (host()) return {multiprocessors() * host_blocks_a_core, 1};
  const std::int64_t resident = std::max<std::int64_t>(1, device_.info().max_threads_per_multiprocessor / gpu_threads);
  return {multiprocessors() * resident, gpu_threads};
}

// Returns how many pieces of 16 bytes are read: more than the caches hold, in whole chunks.
std::int64_t Prober::memory_quads(std::int64_t chunk) const {
  const DeviceInfo& info = device_.info();
  const auto most = static_cast<std::int64_t>(effort_.most_bytes);
  const std::int64_t wanted = host() ? 4 * info.l2_bytes : most;
  const std::int64_t room = info.total_memory_bytes > 0 ? info.total_memory_bytes / 8 : most;
  const std::int64_t bytes = std::min({std::max<std::int64_t>(wanted, 64 << 20), room, most});
  return std::max<std::int64_t>(1, bytes / quad / chunk) * chunk;
}

std::vector<Probe> Prober::memory_probes() {
  const Shape shape = full();
  const std::int64_t chunk = shape.blocks * shape.threads * under_way;
  const auto quads = static_cast<std::uint64_t>(memory_quads(chunk));
  from_ = device_.allocate(quads * quad);
  to_ = device_.allocate(quads * quad);
  const std::uint64_t from = from_->span().address, to = to_->span().address, sink = sink_->span().address;
  device_.copy(to_->span(), from_->span());  // pages that nobody wrote may not be there at all
  device_.copy(from_->span(), to_->span());
  const auto bytes = static_cast<double>(quads * quad);
  const std::string size = fmt::format("{:.2f} GiB", bytes / (1 << 30));
  return {{"dram", "roof_read", "reads of " + size, shape,
           [=](std::uint64_t passes) { return bytes * static_cast<double>(passes); },
           [=](Kernel& kernel, const Shape& at, std::uint64_t passes) {
             std::uint64_t a = from, n = quads, p = passes, s = sink;
             kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 4>{&a, &n, &p, &s});
           }},
          {"dram", "roof_copy", "a copy of " + size, shape, [=](std::uint64_t) { return 2 * bytes; },
           [=](Kernel& kernel, const Shape& at, std::uint64_t) {
             std::uint64_t a = from, b = to, n = quads;
             kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 3>{&a, &b, &n});
           }},
          l2_probe()};
}

// Makes the probe of the L2. It reads a quarter of the cache, as one half of a large one may be far away, and no more
// than there is to read.
Probe Prober::l2_probe() {
  Shape shape{host() ? full().blocks : multiprocessors() * 2, full().threads};
  const auto there = static_cast<std::int64_t>(from_->span().bytes);
  const std::int64_t room = std::min(std::max<std::int64_t>(device_.info().l2_bytes / 4, 64 << 10), there) / quad;
  const std::int64_t least = host() ? host_lanes / 4 : under_way;
  if (shape.blocks * shape.threads * least > room) shape.blocks = multiprocessors();
  while (shape.blocks * shape.threads * least > room && shape.threads > 64) shape.threads /= 2;
  const std::int64_t chunk = shape.blocks * shape.threads * least;
  const auto quads = static_cast<std::uint64_t>(std::max<std::int64_t>(1, room / chunk) * chunk);
  const std::uint64_t from = from_->span().address, sink = sink_->span().address;
  const auto bytes = static_cast<double>(quads * quad);
  return {"l2",
          "roof_read_l2",
          fmt::format("reads of {:.1f} MiB", bytes / (1 << 20)),
          shape,
          [=](std::uint64_t passes) { return bytes * static_cast<double>(passes); },
          [=](Kernel& kernel, const Shape& at, std::uint64_t passes) {
            std::uint64_t a = from, n = quads, p = passes, s = sink;
            kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 4>{&a, &n, &p, &s});
          }};
}

std::vector<Probe> Prober::arithmetic_probes() {
  const Shape shape = full();
  const Shape shared{host() ? shape.blocks : multiprocessors() * 2, shape.threads};
  const std::uint64_t sink = sink_->span().address;
  const auto threads = static_cast<double>(shape.blocks * shape.threads);
  const double flops = threads * 2 * static_cast<double>(host() ? host_lanes : chains);
  const double bytes = static_cast<double>(shared.blocks * (host() ? host_shared_bytes_a_round : shared_bytes_a_round));
  const auto launch = [=](Kernel& kernel, const Shape& at, std::uint64_t rounds) {
    std::uint64_t r = rounds, s = sink;
    float factor = 0.5F, summand = 1.0F;
    kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 4>{&r, &factor, &summand, &s});
  };
  const auto operations = [=](std::uint64_t rounds) { return flops * static_cast<double>(rounds); };
  return {{"shared", "roof_shared", host() ? "reads of 16 KiB a core" : "reads of 16 bytes a thread", shared,
           [=](std::uint64_t rounds) { return bytes * static_cast<double>(rounds); },
           [=](Kernel& kernel, const Shape& at, std::uint64_t rounds) {
             std::uint64_t r = rounds, s = sink;
             kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 2>{&r, &s});
           }},
          {"fp32", "roof_fp32", "multiply-adds in registers", shape, operations, launch},
          {"fp64", "roof_fp64", "multiply-adds in registers", shape, operations, launch}};
}

Probe Prober::tensor_probe(bool wgmma, bool tf32) {
  const Shape shape = wgmma ? Shape{multiprocessors() * 4, 128} : Shape{multiprocessors() * 2, gpu_threads};
  const double depth = tf32 ? 8 : 16, blocks = static_cast<double>(shape.blocks);
  const double warps = static_cast<double>(shape.threads) / 32;
  const double flops = static_cast<double>(products) * 2 * depth * blocks * (wgmma ? 64 * 128 : warps * 16 * 8);
  const unsigned ones = tf32 ? 0x3f800000U : 0x3f803f80U;
  const std::uint64_t sink = sink_->span().address;
  return {tf32 ? "tensor_tf32" : "tensor_bf16",
          fmt::format("roof_{}mma_{}", wgmma ? "wg" : "", tf32 ? "tf32" : "bf16"),
          fmt::format("{}k{}", wgmma ? "wgmma m64n128" : "mma.sync m16n8", depth),
          shape,
          [=](std::uint64_t rounds) { return flops * static_cast<double>(rounds); },
          [=](Kernel& kernel, const Shape& at, std::uint64_t rounds) {
            std::uint64_t r = rounds, s = sink;
            unsigned bits = ones;
            kernel.launch({{at.blocks, 1, 1}, {at.threads, 1, 1}, 0}, std::array<void*, 3>{&r, &bits, &s});
          }};
}

std::vector<Probe> Prober::tensor_probes(bool wgmma) {
  return {tensor_probe(wgmma, false), tensor_probe(wgmma, true)};
}

double Prober::best_ms(Kernel& kernel, const Probe& probe, std::uint64_t rounds, int samples) {
  Timing timing;
  timing.work = [&] { probe.launch(kernel, probe.shape, rounds); };
  timing.samples = samples;
  const std::vector<double> times = device_.sample_ms(timing);
  return std::max(*std::ranges::min_element(times), 1e-6);
}

// Measures with as many rounds as make a sample long enough. The first launches warm up as well.
double Prober::best_rate(Kernel& kernel, const Probe& probe) {
  std::uint64_t rounds = 1;
  for (double ms = best_ms(kernel, probe, rounds, 2); ms < effort_.sample_ms && rounds < most_rounds;
       ms = best_ms(kernel, probe, rounds, 2)) {
    if (probe.work(2) == probe.work(1)) break;  // this probe knows no rounds
    const double factor = std::clamp(effort_.sample_ms / ms * 1.1, 1.5, 64.0);
    rounds = static_cast<std::uint64_t>(std::ceil(static_cast<double>(rounds) * factor));
  }
  return probe.work(rounds) / (best_ms(kernel, probe, rounds, effort_.samples) / 1e3);
}

// Keeps the faster of two ways to one roof.
void Prober::keep(const Probe& probe, double rate) {
  const auto known = std::ranges::find(result_.roofs, probe.roof, &db::Roof::name);
  if (known == result_.roofs.end()) return result_.roofs.push_back({probe.roof, rate, probe.method});
  if (known->value < rate) *known = {probe.roof, rate, probe.method};
}

void Prober::measure(const CompileRequest& request, const std::vector<Probe>& probes) {
  if (step_) step_("compiling");
  const CompileResult compiled = compiler_.compile(request);
  if (!compiled.code) {
    result_.notes.push_back(fmt::format("{} does not compile {} for {}: {}", compiler_.version(),
                                        request.kernels.front(), device_.info().architecture, compiled.log));
    return;
  }
  const auto module = device_.load(*compiled.code);
  for (const Probe& probe : probes) try {
      if (step_) step_(fmt::format("{}, {}", roof_kind(probe.roof).title, probe.method));
      keep(probe, best_rate(module->kernel(probe.kernel), probe));
    } catch (const DeviceError& error) {
      if (error.sticky()) throw;
      result_.notes.push_back(fmt::format("{}, {}: {} ({})", probe.roof, probe.method, error.what(), error.code()));
    }
}

MeasuredRoofs Prober::run() {
  std::vector<Probe> probes = memory_probes();
  std::ranges::move(arithmetic_probes(), std::back_inserter(probes));
  const std::vector<CompileRequest> requests = roof_requests(device_.info());
  measure(requests.front(), probes);
  // What only newer devices have comes last: a kernel that loses the device has cost nothing else.
  for (std::size_t i = 1; i < requests.size(); ++i) measure(requests[i], tensor_probes(i == 2));
  std::ranges::sort(result_.roofs, {},
                    [](const db::Roof& roof) { return &roof_kind(roof.name) - roof_kinds().data(); });
  return std::move(result_);
}

}  // namespace

std::vector<CompileRequest> roof_requests(const DeviceInfo& device) {
  std::vector<CompileRequest> requests{
      request_of({"roof_read", "roof_copy", "roof_read_l2", "roof_shared", "roof_fp32", "roof_fp64"})};
  if (device.is_host()) requests.front().defines = {{"WARPTUNE_ROOFS_ON_HOST", "1"}};
  if (device.compute_capability < 80) return requests;
  requests.push_back(request_of({"roof_mma_bf16", "roof_mma_tf32"}));
  requests.back().defines = {{"WARPTUNE_MMA", "1"}};
  if (device.compute_capability != 90) return requests;
  requests.push_back(request_of({"roof_wgmma_bf16", "roof_wgmma_tf32"}));
  requests.back().defines = {{"WARPTUNE_WGMMA", "1"}};
  requests.back().options.push_back("--gpu-architecture=sm_90a");
  return requests;
}

MeasuredRoofs measure_roofs(Device& device, Compiler& compiler, const RoofEffort& effort,
                            const std::function<void(const std::string& step)>& on_step) {
  return Prober(device, compiler, effort, on_step).run();
}

}  // namespace warptune::tuner
