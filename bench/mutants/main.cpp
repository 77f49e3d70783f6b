// mutants [--device ID] [TEMPLATE…]: plants every listed bug and reports those that the verifier did not catch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/mutants/mutant_run.h"
#include "tuner/device/scratch_folder.h"
#include "tuner/kernel/manifest.h"

namespace {

namespace fs = std::filesystem;
using namespace warptune::tuner::mutants;

struct Count {
  int caught = 0, invisible = 0, missed = 0, unlisted = 0;
};

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), std::size_t{150}));
}

void try_bug(const Bug& bug, const std::string& device, Count& count) {
  const warptune::tuner::ScratchFolder scratch;
  const fs::path manifest = plant(bug, fs::path(WARPTUNE_SOURCE_DIR) / "templates", scratch.path());
  const MutantResult result = judge(manifest, bug, device);
  const auto here = [&](const std::string& backend) { return device.starts_with(backend); };
  const bool excused = std::ranges::any_of(bug.invisible_on, here);
  if (result.caught) {
    ++count.caught;
    fmt::print("caught     {}: {}\n           {}\n", bug.kernel, bug.name, first_line(result.how));
  } else if (excused) {
    ++count.invisible;
    fmt::print("invisible  {}: {}\n           {}\n", bug.kernel, bug.name, bug.reason);
  } else {
    ++count.missed;
    fmt::print("MISSED     {}: {}\n", bug.kernel, bug.name);
  }
  std::fflush(stdout);
}

std::vector<std::string> all_templates() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WARPTUNE_SOURCE_DIR "/templates"))
    if (fs::exists(entry.path() / "template.toml")) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool runs_on(const std::string& kernel, const std::string& device) {
  return warptune::tuner::load_manifest(fs::path(WARPTUNE_SOURCE_DIR) / "templates" / kernel)
      .runs_on(device.substr(0, device.find(':')));
}

int run(const std::vector<std::string>& kernels, const std::string& device) {
  Count count;
  for (const std::string& kernel : kernels) {
    const std::vector<Bug> bugs = read_bugs(WARPTUNE_SOURCE_DIR "/bench/mutants/bugs", kernel);
    if (bugs.empty()) {
      ++count.unlisted;
      fmt::print("NO BUGS    {}: bench/mutants/bugs/{}.toml is missing\n", kernel, kernel);
    }
    if (runs_on(kernel, device)) {
      for (const Bug& bug : bugs) try_bug(bug, device, count);
    } else {
      fmt::print("skipped    {}: it does not run on {}\n", kernel, device);
    }
  }
  fmt::print("{} caught, {} invisible on {}, {} missed, {} templates without a list\n", count.caught, count.invisible,
             device, count.missed, count.unlisted);
  return count.missed + count.unlisted == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> kernels(arguments + 1, arguments + count);
  std::string device = "host";
  if (kernels.size() >= 2 && kernels[0] == "--device") {
    device = kernels[1];
    kernels.erase(kernels.begin(), kernels.begin() + 2);
  }
  try {
    return run(kernels.empty() ? all_templates() : kernels, device);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mutants: {}\n", error.what());
    return 2;
  }
}
