// Gives the driver only those attributes that differ from a plain launch's, so that kernels without any go the way they
// always went. The carve-out is set on the function and not on the launch, because every driver knows that.
#include "tuner/device/backends/cuda/driver/launch.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "tuner/device/launch_attributes.h"

namespace warptune::tuner::cuda {
namespace {

// Clusters of up to this many blocks are portable to every device with clusters (CUDA C++ Programming Guide, "Thread
// Block Clusters").
constexpr std::int64_t portable_cluster = 8;

unsigned u(std::int64_t n) {
  return static_cast<unsigned>(n);
}

// Holds a launch's attributes, of which up to five can be given at once.
struct AttributeList {
  std::array<Driver::LaunchAttribute, 5> all{};
  unsigned count = 0;

  Driver::LaunchAttribute& add(int id) {
    all[count].id = id;
    return all[count++];
  }
  void add(int id, std::int64_t number) { add(id).value.number = static_cast<int>(number); }
  void add(int id, const Dim3& size) {
    auto& extents = add(id).value.extents;
    extents[0] = u(size.x), extents[1] = u(size.y), extents[2] = u(size.z);
  }
};

AttributeList list_of(const LaunchAttributes& attributes) {
  AttributeList list;
  if (attributes.cluster.volume() > 1) list.add(Driver::cluster_dimension, attributes.cluster);
  if (attributes.preferred_cluster.volume() > 1)
    list.add(Driver::preferred_cluster_dimension, attributes.preferred_cluster);
  if (attributes.programmatic) list.add(Driver::programmatic_stream_serialization, 1);
  if (attributes.cooperative) list.add(Driver::cooperative, 1);
  if (attributes.priority != 0) list.add(Driver::priority, attributes.priority);
  return list;
}

CUresult set(const Driver& driver, CUfunction function, int attribute, std::int64_t value) {
  return driver.function_set_attribute(function, static_cast<CUfunction_attribute>(attribute), static_cast<int>(value));
}

}  // namespace

bool fits(const LaunchGeometry& geometry) {
  const auto ok = [](std::int64_t n) { return n >= 0 && n <= std::numeric_limits<std::int32_t>::max(); };
  const auto ok3 = [ok](const Dim3& dim) { return ok(dim.x) && ok(dim.y) && ok(dim.z); };
  const LaunchAttributes& attributes = geometry.attributes;
  return ok3(geometry.grid) && ok3(geometry.block) && ok(geometry.dynamic_shared_bytes) && ok3(attributes.cluster) &&
         ok3(attributes.preferred_cluster);
}

std::string describe(const std::string& kernel, const LaunchGeometry& geometry) {
  const auto& [grid, block, shared, attributes] = geometry;
  const std::string further = attributes_text(named_attributes(attributes));
  return fmt::format("{} with grid {}x{}x{}, block {}x{}x{} and {} bytes of dynamic shared memory{}", kernel, grid.x,
                     grid.y, grid.z, block.x, block.y, block.z, shared, further.empty() ? "" : " (" + further + ")");
}

CUresult KernelSettings::prepare(const Driver& driver, CUfunction function, const LaunchGeometry& geometry) {
  const LaunchAttributes& attributes = geometry.attributes;
  CUresult result = CUDA_SUCCESS;
  if (geometry.dynamic_shared_bytes > allowed_) {
    result = set(driver, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, geometry.dynamic_shared_bytes);
    if (result == CUDA_SUCCESS) allowed_ = geometry.dynamic_shared_bytes;
  }
  if (result == CUDA_SUCCESS && attributes.carveout_percent != carveout_) {
    result = set(driver, function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, attributes.carveout_percent);
    if (result == CUDA_SUCCESS) carveout_ = attributes.carveout_percent;
  }
  const bool large =
      attributes.cluster.volume() > portable_cluster || attributes.preferred_cluster.volume() > portable_cluster;
  if (result == CUDA_SUCCESS && large && !large_clusters_) {
    result = set(driver, function, Driver::non_portable_cluster_size_allowed, 1);
    large_clusters_ = result == CUDA_SUCCESS;
  }
  return result;
}

CUresult launch(const Driver& driver, CUfunction function, const LaunchGeometry& geometry, CUstream stream,
                void** arguments) {
  const auto& [grid, block, shared, attributes] = geometry;
  AttributeList list = list_of(attributes);
  if (list.count == 0)
    return driver.launch_kernel(function, u(grid.x), u(grid.y), u(grid.z), u(block.x), u(block.y), u(block.z),
                                u(shared), stream, arguments, nullptr);
  if (!driver.launch_kernel_ex) return CUDA_ERROR_NOT_SUPPORTED;
  const Driver::LaunchConfig config{u(grid.x),  u(grid.y), u(grid.z), u(block.x),      u(block.y),
                                    u(block.z), u(shared), stream,    list.all.data(), list.count};
  return driver.launch_kernel_ex(&config, function, arguments, nullptr);
}

}  // namespace warptune::tuner::cuda
