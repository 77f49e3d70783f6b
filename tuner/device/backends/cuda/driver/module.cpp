// Loads cubins with the driver, and reads from their bytes what the driver does not tell.
#include "tuner/device/backends/cuda/driver/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tuner/device/backends/cuda/compile/cubin.h"

namespace warptune::tuner::cuda {
namespace {

// Returns the sizes of each kernel's parameters. PTX has none to read, as with variables_of.
std::map<std::string, std::vector<std::size_t>> parameters_of(const MachineCode& code) {
  try {
    return cubin_parameters(code.bytes);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

// Returns the linkage names of variables. PTX, which a driver takes as well, has no symbol table to read.
std::vector<std::string> variables_of(const MachineCode& code) {
  try {
    return cubin_variables(code.bytes);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace

CudaKernel::CudaKernel(Context& context, const DeviceInfo& limits, CUfunction function, std::string name,
                       std::optional<std::vector<std::size_t>> parameter_bytes)
    : context_(context),
      limits_(limits),
      function_(function),
      name_(std::move(name)),
      parameter_bytes_(std::move(parameter_bytes)),
      settings_(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)) {}

std::int64_t CudaKernel::attribute(CUfunction_attribute which) const {
  int value = 0;
  context_.check(context_.driver().function_get_attribute(&value, which, function_), Step::other,
                 [&] { return fmt::format("asking what {} needs", name_); });
  return value;
}

double CudaKernel::occupancy(const LaunchGeometry& geometry) const {
  if (!fits(geometry) || limits_.max_threads_per_multiprocessor == 0) return 0;
  if (geometry.block.volume() > attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) return 0;
  const CUresult allowed = settings_.prepare(context_.driver(), function_, geometry);
  if (allowed == CUDA_ERROR_INVALID_VALUE) return 0;  // more than the device has
  context_.check(allowed, Step::launch, [&] { return "preparing " + describe(name_, geometry); });
  int blocks = 0;
  context_.check(
      context_.driver().occupancy_max_active_blocks(&blocks, function_, static_cast<int>(geometry.block.volume()),
                                                    static_cast<std::size_t>(geometry.dynamic_shared_bytes)),
      Step::other, [&] { return "computing the occupancy of " + describe(name_, geometry); });
  return static_cast<double>(blocks) * static_cast<double>(geometry.block.volume()) /
         static_cast<double>(limits_.max_threads_per_multiprocessor);
}

search::ResourceUse CudaKernel::resources(const LaunchGeometry& geometry) const {
  const auto current = context_.enter();
  search::ResourceUse use;
  use.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  use.local_bytes_per_thread = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  use.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  use.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  use.threads_per_block = geometry.block.volume();
  use.occupancy = occupancy(geometry);
  return use;
}

void CudaKernel::launch(const LaunchGeometry& geometry, std::span<void* const> arguments) {
  const auto current = context_.enter();
  const auto described = [&] { return "launching " + describe(name_, geometry); };
  context_.check(fits(geometry) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, Step::launch, described);
  context_.check(settings_.prepare(context_.driver(), function_, geometry), Step::launch, described);
  context_.note_launch(name_);
  context_.check(
      cuda::launch(context_.driver(), function_, geometry, context_.stream(), const_cast<void**>(arguments.data())),
      Step::launch, described);
}

CudaModule::CudaModule(Context& context, const DeviceInfo& limits, const MachineCode& code)
    : context_(context),
      limits_(limits),
      linkage_names_(code.linkage_names),
      variables_(variables_of(code)),
      parameters_(parameters_of(code)) {
  const auto current = context_.enter();
  context_.check(context_.driver().module_load_data(&module_, code.bytes.data()), Step::other, [&] {
    return fmt::format("loading a module of {} bytes for {}", code.bytes.size(), limits.architecture);
  });
}

CudaModule::~CudaModule() {
  context_.release([this] { context_.driver().module_unload(module_); });
}

const std::string& CudaModule::linkage_name(const std::string& name) const {
  const auto found = linkage_names_.find(name);
  if (found == linkage_names_.end())
    throw std::out_of_range(fmt::format("the module was compiled without a kernel or symbol named {}", name));
  return found->second;
}

Kernel& CudaModule::kernel(const std::string& name) {
  if (const auto known = kernels_.find(name); known != kernels_.end()) return *known->second;
  const std::string& linkage = linkage_name(name);
  const auto current = context_.enter();
  CUfunction function = nullptr;
  context_.check(context_.driver().module_get_function(&function, module_, linkage.c_str()), Step::other,
                 [&] { return fmt::format("finding the kernel {} ({})", name, linkage); });
  const auto told = parameters_.find(linkage);
  auto kernel = std::make_unique<CudaKernel>(context_, limits_, function, name,
                                             told == parameters_.end() ? std::nullopt : std::optional(told->second));
  return *kernels_.emplace(name, std::move(kernel)).first->second;
}

MemorySpan CudaModule::symbol(const std::string& name) {
  const std::string& linkage = linkage_name(name);
  const auto current = context_.enter();
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  context_.check(context_.driver().module_get_global(&address, &bytes, module_, linkage.c_str()), Step::other,
                 [&] { return fmt::format("finding the variable {} ({})", name, linkage); });
  return {address, bytes};
}

// The driver finds variables with internal linkage under their own names or not at all. Those that it does not find are
// left out.
std::vector<std::pair<std::string, MemorySpan>> CudaModule::variables() {
  std::vector<std::pair<std::string, MemorySpan>> found;
  const auto current = context_.enter();
  for (const std::string& name : variables_) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (context_.driver().module_get_global(&address, &bytes, module_, name.c_str()) == CUDA_SUCCESS && bytes > 0)
      found.emplace_back(name, MemorySpan{address, bytes});
  }
  return found;
}

}  // namespace warptune::tuner::cuda
