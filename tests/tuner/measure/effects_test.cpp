// The effects that lectures state as figures, counted on the host: each technique of the library does what its manifest
// says that it does.
#include "tuner/measure/effects.h"

#include <gmock/gmock.h>

#include "tests/support/host_trials.h"
#include "tests/support/places.h"

namespace warptune::tuner {
namespace {

std::vector<std::string> templates_with_effects() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates")) {
    if (!exists(entry.path() / "template.toml")) continue;
    const KernelTemplate kernel = load_manifest(entry.path());
    if (std::ranges::any_of(kernel.techniques, [](const Technique& each) { return !each.effects.empty(); }))
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class Effects : public HostTrials, public testing::WithParamInterface<std::string> {
 protected:
  Effects() : HostTrials(GetParam()) {}
};

TEST_P(Effects, AreAsStated) {
  EXPECT_THAT(broken_effects(kernel_, info_, {}, compiler_), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Library, Effects, testing::ValuesIn(templates_with_effects()),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace warptune::tuner
