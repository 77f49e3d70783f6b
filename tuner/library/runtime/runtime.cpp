// Loads templates: a template and its wisdom become a Kernel.
#include "tuner/library/runtime/runtime.h"

#include "tuner/device/device_error.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/impl.h"
#include "tuner/library/runtime/kernel_impl.h"
#include "tuner/library/runtime/selection.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::runtime {

Runtime::Runtime(const Options& options) {
  try {
    impl_ = std::make_shared<Impl>(cuda_target(options), options);
  } catch (const tuner::NoDeviceError& error) {
    throw Error(error.what());
  }
}

namespace {

search::NamedValues chosen_variants(const tuner::KernelTemplate& kernel, const Variants& variants) {
  search::NamedValues chosen;
  for (const Variant& variant : variants) chosen.emplace_back(variant.name, variant.value);
  return resolve_problem(kernel, "", {{}, std::move(chosen)}).variants;
}

}  // namespace

Kernel Runtime::load(const std::filesystem::path& manifest, const std::filesystem::path& wisdom,
                     const Variants& variants) const {
  try {
    tuner::KernelTemplate kernel = tuner::load_template(manifest);
    tuner::Wisdom known = wisdom.empty() ? tuner::Wisdom{kernel.name, {}, {}} : tuner::read_wisdom(wisdom);
    require_fit(known, kernel, wisdom.string());
    search::NamedValues chosen = chosen_variants(kernel, variants);
    return Kernel(std::make_shared<Kernel::Impl>(std::move(kernel), std::move(known), std::move(chosen), impl_));
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
