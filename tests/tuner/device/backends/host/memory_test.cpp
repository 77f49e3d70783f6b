// The memory of a launch: what it was not given is out of reach or noise, and nothing of it is there in the next
// launch.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/device_error.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::host {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::int64_t kib = 1024;

// Writes and reads single words of dynamic shared memory, and tells where they are.
const char* const touching = R"(
  extern __shared__ unsigned words[];
  __global__ void put(int at, unsigned value) { ((volatile unsigned*)words)[at] = value; }
  __global__ void get(int at, unsigned* out) { out[blockIdx.x] = ((volatile unsigned*)words)[at]; }
  __global__ void where(unsigned long long* out) { *out = (unsigned long long)words; }
)";

// Whether this process could read a byte there; the system looks for us.
bool within_reach(std::uint64_t address) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor from(ends[0]), to(ends[1]);
  return write(to.get(), reinterpret_cast<const void*>(address), 1) == 1;
}

std::uint64_t shared_address(Module& module, const LaunchGeometry& geometry) {
  Buffer<unsigned long long> out(1);
  launch(module, "where", geometry, out.get());
  return out.read()[0];
}

TEST(HostMemory, SharedMemoryFarBehindWhatALaunchAskedForIsOutOfReach) {
  auto module = build(request(touching, {"where"}));
  for (const std::int64_t bytes : {kib, 227 * kib, 100 * kib, kib}) {
    const std::uint64_t end = shared_address(*module, {{1}, {1}, bytes}) + static_cast<std::uint64_t>(bytes);
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    EXPECT_TRUE(within_reach(end - 1)) << bytes;
    for (std::uint64_t at = end + page; at < end + page + 40 * 1024; at += page)
      EXPECT_FALSE(within_reach(at)) << bytes;
  }
}

TEST(HostMemory, SharedMemoryFarBehindWhatAKernelDeclaresIsOutOfReach) {
  auto module = build(request(R"(
    __global__ void where(unsigned long long* out) { __shared__ unsigned tile[64]; *out = (unsigned long long)tile; }
  )",
                              {"where"}));
  const std::uint64_t at = shared_address(*module, {{1}, {1}});
  EXPECT_TRUE(within_reach(at + 255));
  EXPECT_FALSE(within_reach(at + 16 * 1024));
}

TEST(HostMemory, AWriteRightBehindSharedMemoryEndsTheLaunch) {
  auto module = build(request(touching, {"put", "where"}));
  const std::uint64_t at = shared_address(*module, {{1}, {1}, kib});
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (std::int64_t bytes : {kib, 4 * kib, 227 * kib}) {
    // Not at a page's end, behind which there is no memory.
    if ((at + static_cast<std::uint64_t>(bytes)) % page == 0) bytes -= 64;
    launch(*module, "put", {{1}, {1}, bytes}, static_cast<int>(bytes / 4) - 1, 1u);
    try {
      launch(*module, "put", {{1}, {1}, bytes}, static_cast<int>(bytes / 4), 1u);
      ADD_FAILURE() << "four bytes behind " << bytes << " were written";
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), "OUT_OF_BOUNDS");
      EXPECT_EQ(error.outcome(), search::Outcome::launch_error);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("kernel put"), HasSubstr("beyond its shared memory")));
    }
  }
}

TEST(HostMemory, LaunchesOfOneModuleMayAskForMoreAndLessInTurn) {
  auto module = build(request(touching, {"put", "get"}));
  Buffer<unsigned> out(4);
  for (const std::int64_t bytes : {kib, 227 * kib, 40 * kib, 2 * kib, 100 * kib}) {
    const int last = static_cast<int>(bytes / 4) - 1;
    launch(*module, "put", {{4}, {1}, bytes}, last, 7u);
    launch(*module, "get", {{4}, {1}, bytes}, last, out.get());
    EXPECT_THAT(out.read(), ::testing::Not(::testing::Contains(7u))) << bytes;
  }
}

void write_to_much_memory() {
  std::vector<std::unique_ptr<char, void (*)(void*)>> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.emplace_back(static_cast<char*>(std::malloc(200 * kib)), &std::free);
    std::fill_n(blocks.back().get(), 200 * kib, 'x');
  }
}

// The C library frees a thread's shared memory, and gives it to somebody else.
TEST(HostMemory, AThreadThatEndsLeavesNoMemoryOutOfReach) {
  auto module = build(request(touching, {"put"}));
  for (int i = 0; i < 8; ++i) {
    std::thread([&] {
      write_to_much_memory();
      launch(*module, "put", {{1}, {1}, kib}, 0, 1u);
    }).join();
  }
}

TEST(HostMemory, AModuleThatEndsLeavesNoMemoryOutOfReach) {
  for (int i = 0; i < 4; ++i) {
    auto module = build(request(touching, {"put"}));
    launch(*module, "put", {{1}, {1}, kib}, 0, 1u);
    module.reset();
    write_to_much_memory();
  }
}

// How many of 32 words of a local array are zeros, for each block; and the array is left as zeros.
const char* const local = R"(
  __device__ unsigned zeros(volatile unsigned* words, int step) {
    unsigned found = 0;
    for (int k = 0; k < 32; ++k) found += words[k * step] == 0;
    for (int k = 0; k < 32; ++k) words[k * step] = 0;
    return found;
  }
  template <int Bytes> __global__ void count(unsigned* out) {
    unsigned array[Bytes / 4];
    out[blockIdx.x] = zeros(array, Bytes / 128);
  }
  template <int Bytes> __global__ void count_waiting(unsigned* out) {
    unsigned array[Bytes / 4];
    __syncthreads();
    const unsigned found = zeros(array, Bytes / 128);
    if (threadIdx.x == 77) out[blockIdx.x] = found;
  }
  __global__ void count_below(unsigned* out) {
    unsigned here;
    volatile unsigned* below = &here;
    asm volatile("" : "+r"(below));
    out[blockIdx.x] = zeros(below - 20000, 500);
  }
)";

TEST(HostMemory, LocalMemoryIsNoiseAtEachDepthInEachLaunch) {
  const std::vector<std::string> kernels = {"count<512>",    "count<8192>",        "count<65536>",
                                            "count<196608>", "count_waiting<512>", "count_waiting<16384>",
                                            "count_below"};
  auto module = build(request(local, kernels));
  for (const std::string& kernel : kernels) {
    const unsigned threads = kernel.find("waiting") == kernel.npos ? 1 : 128;
    for (int run = 0; run < 3; ++run) {
      Buffer<unsigned> out(1);
      launch(*module, kernel, {{1}, {threads}}, out.get());
      EXPECT_THAT(out.read(), Each(::testing::Lt(8u))) << kernel << ", run " << run;
    }
  }
}

TEST(HostMemory, AllThatStaysWritableIsAmongTheVariablesWhateverItsName) {
  auto module = build(request(R"(
    __device__ int plain = 1;
    __device__ float warptune_kept[100];
    asm(".pushsection .bss\n.balign 64\nnowhere: .zero 4096\n.popsection");
    extern "C" __attribute__((visibility("hidden"))) float nowhere[];
    __global__ void where(void** out) {
      out[0] = &plain;
      out[1] = warptune_kept + 99;
      out[2] = nowhere + 1000;
      out[3] = (void*)((unsigned long)&plain | 4095);
    }
  )",
                              {"where"}));
  Buffer<std::uint64_t> out(4);
  launch(*module, "where", {{1}, {1}}, out.get());
  const auto name_at = [&](std::uint64_t address) -> std::string {
    for (const auto& [name, span] : module->variables())
      if (address >= span.address && address - span.address < span.bytes) return name;
    return "none";
  };
  const auto places = out.read();
  EXPECT_EQ(name_at(places[0]), "plain");
  EXPECT_EQ(name_at(places[1]), "warptune_kept");
  EXPECT_EQ(name_at(places[2]), "(without a name)");
  EXPECT_NE(name_at(places[3]), "none");
}

}  // namespace
}  // namespace warptune::tuner::host
