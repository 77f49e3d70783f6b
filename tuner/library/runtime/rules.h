// Tells what a template and a device allow at one size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/expression/expression.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/problem.h"

namespace warptune::runtime {

// Rules are the template's constraints and the device's limits, for one problem. The template must outlive them.
class Rules {
 public:
  Rules(const tuner::KernelTemplate& kernel, const tuner::Problem& problem, const tuner::DeviceInfo& device);

  bool allow(const search::NamedValues& configuration) const;
  // Returns the first rule that forbids the configuration, as its manifest writes it; empty if it is allowed.
  std::string broken_by(const search::NamedValues& configuration) const;

 private:
  struct Rule {
    search::Expression condition;
    std::string shown;  // in messages; empty: as the manifest writes it
  };

  search::NamedValues scope(const search::NamedValues& configuration) const;
  const Rule* first_broken(const search::NamedValues& scope) const;

  const tuner::KernelTemplate& kernel_;
  search::NamedValues constants_;
  std::vector<Rule> rules_;
};

// Returns the allowed configuration that differs from the template's default in the fewest parameters, two at most, and
// of these the one whose values are nearest in their domains. It is found by trying, without the whole space, which may
// be large. Returns nothing if there is none.
std::optional<search::NamedValues> nearest_to_default(const tuner::KernelTemplate& kernel, const Rules& rules);

}  // namespace warptune::runtime
