// Chooses the configuration that a template gets on a device at a size.
#pragma once

#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/library/runtime/runtime.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::runtime {

struct Selection {
  Source source = Source::default_configuration;
  const tuner::WisdomEntry* entry = nullptr;  // of the wisdom; nullptr for the default or near it
  search::NamedValues values;                 // in the template's order
  bool predicted = false;                     // the entry is of another size
};

// Throws Error if the wisdom is of another kernel, or an entry has other names of parameters, sizes or variants than
// the template, or a value outside a domain: then it is of another version. Hashes are not compared: a changed comment
// of the source must not stop an application.
void require_fit(const tuner::Wisdom& wisdom, const tuner::KernelTemplate& kernel, const std::string& file);

// Selects the first candidate that the template's constraints and the device's limits allow for this problem, else the
// default if they allow it, else what is nearest to it. `wisdom` must outlive the selection. Throws Error if there is
// nothing.
Selection select(const tuner::KernelTemplate& kernel, const tuner::Wisdom& wisdom, const tuner::DeviceInfo& device,
                 const tuner::Problem& problem);

}  // namespace warptune::runtime
