// Fills a DeviceInfo from the driver's attributes of a device.
#include "tuner/device/backends/cuda/driver/device_query.h"

#include <fmt/format.h>

#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {
namespace {

void require(const Driver& driver, CUresult result, const std::string& attempted) {
  if (result == CUDA_SUCCESS) return;
  throw NoDeviceError(
      fmt::format("{} failed: {}; check that nvidia-smi works on this machine", attempted, driver.error_text(result)));
}

class Query {
 public:
  Query(const Driver& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {
    require_ok(driver.device_get(&device_, ordinal));
  }

  std::int64_t attribute(CUdevice_attribute which) const {
    int value = 0;
    require_ok(driver_.device_get_attribute(&value, which, device_));
    return value;
  }
  std::string name() const {
    char text[256] = {};
    require_ok(driver_.device_get_name(text, sizeof text, device_));
    return text;
  }
  std::string uuid() const {
    CUuuid uuid{};
    require_ok(driver_.device_get_uuid(&uuid, device_));
    return uuid_text(uuid);
  }
  std::int64_t total_memory_bytes() const {
    std::size_t bytes = 0;
    require_ok(driver_.device_total_mem(&bytes, device_));
    return static_cast<std::int64_t>(bytes);
  }

 private:
  void require_ok(CUresult result) const {
    require(driver_, result, fmt::format("asking the driver about cuda:{}", ordinal_));
  }

  const Driver& driver_;
  int ordinal_;
  CUdevice device_ = 0;
};

void fill_geometry(DeviceInfo& info, const Query& query) {
  info.max_threads_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_block_x = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  info.max_block_y = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  info.max_block_z = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  info.max_grid_x = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  info.max_grid_y = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  info.max_grid_z = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
}

void fill_multiprocessor(DeviceInfo& info, const Query& query) {
  info.max_registers_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.max_registers_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.max_shared_memory_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.max_shared_memory_per_block_optin = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.max_shared_memory_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.max_constant_memory = query.attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  info.max_threads_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.multiprocessors = query.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_size = query.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
}

void fill_memory(DeviceInfo& info, const Query& query) {
  info.clock_khz = query.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info.memory_clock_khz = query.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  info.memory_bus_bits = query.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info.l2_bytes = query.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.total_memory_bytes = query.total_memory_bytes();
}

DeviceInfo query_device(const Driver& driver, int ordinal, const std::string& driver_version) {
  const Query query(driver, ordinal);
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.backend = "cuda";
  info.name = query.name();
  info.uuid = query.uuid();
  info.driver = driver_version;
  info.compute_capability = 10 * query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                            query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.architecture = fmt::format("sm_{}", info.compute_capability);
  fill_geometry(info, query);
  fill_multiprocessor(info, query);
  fill_memory(info, query);
  return info;
}

}  // namespace

std::vector<DeviceInfo> query_devices(const Driver& driver, const std::string& driver_version) {
  int count = 0;
  require(driver, driver.device_get_count(&count), "counting the CUDA devices");
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(query_device(driver, ordinal, driver_version));
  return devices;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

}  // namespace warptune::tuner::cuda
