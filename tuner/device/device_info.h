// Declares what is known of a device: its identity, its limits and its rates.
#pragma once

#include <cstdint>
#include <string>

#include "search/value.h"

namespace warptune::tuner {

// Describes what a device is and what it can do. Its numbers are bytes, kHz and counts; 0 means unknown or, for the
// host, without limit.
struct DeviceInfo {
  std::string id;            // what --device takes: "cuda:0", "host"
  std::string backend;       // "cuda", "host", "replay"
  std::string name;          // "NVIDIA H200", "AMD EPYC"
  std::string uuid;          // stable for one physical device
  std::string architecture;  // what code is compiled for: "sm_90", "x86_64"
  std::string driver;        // driver version; empty if there is none
  // Identifies what else the device's code depends on: the host's instruction sets and C library, which its name does
  // not tell.
  std::string code_traits;
  std::int64_t compute_capability = 0;  // 90 for 9.0; 0 on the host

  std::int64_t max_threads_per_block = 0;
  std::int64_t max_block_x = 0, max_block_y = 0, max_block_z = 0;
  std::int64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  std::int64_t max_registers_per_block = 0;
  std::int64_t max_registers_per_multiprocessor = 0;
  std::int64_t max_shared_memory_per_block = 0;        // without opting in
  std::int64_t max_shared_memory_per_block_optin = 0;  // dynamic, after opting in
  std::int64_t max_shared_memory_per_multiprocessor = 0;
  std::int64_t max_constant_memory = 0;  // bytes of __constant__ variables of a module
  std::int64_t max_threads_per_multiprocessor = 0;
  std::int64_t max_blocks_per_multiprocessor = 0;
  std::int64_t multiprocessors = 0;
  std::int64_t warp_size = 32;
  std::int64_t clock_khz = 0;
  std::int64_t memory_clock_khz = 0;
  std::int64_t memory_bus_bits = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t total_memory_bytes = 0;
  std::int64_t ecc = 0;            // 1: the memory corrects errors, at some cost
  std::int64_t power_limit_w = 0;  // what the board may draw, as enforced now

  // Returns the peak of the memory interface in GB/s (10^9), for two transfers a clock over the bus; 0 if unknown.
  double memory_bandwidth_gbs() const {
    return 2.0 * static_cast<double>(memory_clock_khz) * static_cast<double>(memory_bus_bits) / 8 / 1e6;
  }

  // Returns whether it is this machine's processor. What runs there shares its memory, caches and file descriptors with
  // us.
  bool is_host() const { return backend == "host"; }

  // Returns the integers above by name ("max_threads_per_block", …), for expressions in manifests, the store and
  // reports.
  search::NamedValues limits() const;
};

// Returns the memory in whole GiB, by which models are told apart. It is rounded because drivers take a little of the
// memory for themselves.
std::int64_t memory_gib(const DeviceInfo& device);

// Devices of one model take each other's places: their times compare, and they share sessions. The driver may differ.
bool same_model(const DeviceInfo& a, const DeviceInfo& b);

}  // namespace warptune::tuner
