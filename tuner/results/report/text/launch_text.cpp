// Writes the launches of a configuration's plan line by line.
#include "tuner/results/report/text/launch_text.h"

#include <fmt/format.h>

#include "tuner/device/launch_attributes.h"
#include "tuner/kernel/plan.h"

namespace warptune::tuner {

namespace {

// Returns "16 x 8"; dimensions of 1 behind the last other one are left out.
std::string dimensions_text(const Dim3& size) {
  if (size.z > 1) return fmt::format("{} x {} x {}", size.x, size.y, size.z);
  return size.y > 1 ? fmt::format("{} x {}", size.x, size.y) : fmt::format("{}", size.x);
}

std::string launch_text(const PlannedLaunch& launch) {
  const auto& [grid, block, shared, attributes] = launch.geometry;
  const std::string memory = shared > 0 ? fmt::format("{} bytes of", shared) : "no";
  const std::string further = attributes_text(named_attributes(attributes));
  return fmt::format("{}: grid {}, block {}, {} dynamic shared memory{}{}", launch.kernel, dimensions_text(grid),
                     dimensions_text(block), memory, further.empty() ? "" : ", ", further);
}

}  // namespace

std::string launches_text(const KernelTemplate& kernel, const search::NamedValues& scope) {
  if (kernel.program) return {};
  std::string text, last;
  std::size_t equal = 0;
  const auto end_line = [&] {
    if (equal == 0) return;
    text += (text.empty() ? "" : "\n") + (equal > 1 ? fmt::format("{} × ", equal) : "") + last;
    equal = 0;
  };
  for (const PlannedLaunch& launch : make_plan(kernel, scope).launches) {
    if (launch.copy) continue;
    const std::string line = launch_text(launch);
    if (line != last) end_line();
    last = line;
    ++equal;
  }
  end_line();
  return text;
}

}  // namespace warptune::tuner
