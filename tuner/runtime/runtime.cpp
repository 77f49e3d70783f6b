#include "tuner/runtime/runtime.h"

#include "tuner/device/device_error.h"
#include "tuner/kernel/template_file.h"
#include "tuner/runtime/impl.h"
#include "tuner/runtime/kernel_impl.h"
#include "tuner/runtime/selection.h"
#include "tuner/wisdom/wisdom_file.h"

namespace warptune::runtime {

Runtime::Runtime(const Options& options) {
  try {
    impl_ = std::make_shared<Impl>(cuda_target(options), options.cache_folder);
  } catch (const tuner::NoDeviceError& error) {
    throw Error(error.what());
  }
}

Kernel Runtime::load(const std::filesystem::path& manifest, const std::filesystem::path& wisdom) const {
  try {
    tuner::KernelTemplate kernel = tuner::load_template(manifest);
    tuner::Wisdom known = wisdom.empty() ? tuner::Wisdom{kernel.name, {}, {}} : tuner::read_wisdom(wisdom);
    require_fit(known, kernel, wisdom.string());
    return Kernel(std::make_shared<Kernel::Impl>(std::move(kernel), std::move(known), impl_));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

const std::string& Runtime::device_name() const {
  return impl_->target->info().name;
}

Counts Runtime::counts() const {
  return impl_->code.counts();
}

}  // namespace warptune::runtime
