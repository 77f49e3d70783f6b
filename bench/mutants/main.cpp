// mutants [--device ID] [--source FOLDER] [TEMPLATE…]: plants every listed bug and reports those that the verifier did
// not catch. FOLDER is the source tree: on another machine it is not where this was built from.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/mutants/mutant_run.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/system/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace warptune::tuner::mutants;

struct Count {
  int caught = 0, invisible = 0, missed = 0, unlisted = 0;
};

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), std::size_t{150}));
}

struct Request {
  std::string device = "host";
  fs::path source = WARPTUNE_SOURCE_DIR;
  std::vector<std::string> kernels;
};

// Throws std::runtime_error for an option without a value, and one that there is not.
Request parse(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--")) {
      request.kernels.push_back(argument);
    } else if (argument != "--device" && argument != "--source") {
      throw std::runtime_error(fmt::format("there is no option {}; there are --device and --source", argument));
    } else if (i + 1 == count) {
      throw std::runtime_error(fmt::format("{} needs a value", argument));
    } else if (argument == "--device") {
      request.device = arguments[++i];
    } else {
      request.source = arguments[++i];
    }
  }
  return request;
}

void try_bug(const Bug& bug, const Request& request, Count& count) {
  const std::string& device = request.device;
  const warptune::tuner::ScratchFolder scratch;
  const fs::path manifest = plant(bug, request.source / "templates", scratch.path());
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

std::vector<std::string> all_templates(const fs::path& source) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source / "templates"))
    if (fs::exists(entry.path() / "template.toml")) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool runs_on(const fs::path& kernel, const std::string& device) {
  return warptune::tuner::load_manifest(kernel).runs_on(device.substr(0, device.find(':')));
}

int run(const Request& request) {
  Count count;
  for (const std::string& kernel : request.kernels.empty() ? all_templates(request.source) : request.kernels) {
    const std::vector<Bug> bugs = read_bugs(request.source / "templates", kernel);
    if (bugs.empty()) {
      ++count.unlisted;
      fmt::print("NO BUGS    {0}: templates/{0}/bugs.toml is missing\n", kernel);
    }
    if (runs_on(request.source / "templates" / kernel, request.device)) {
      for (const Bug& bug : bugs) try_bug(bug, request, count);
    } else {
      fmt::print("skipped    {}: it does not run on {}\n", kernel, request.device);
    }
  }
  fmt::print("{} caught, {} invisible on {}, {} missed, {} templates without a list\n", count.caught, count.invisible,
             request.device, count.missed, count.unlisted);
  return count.missed + count.unlisted == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(parse(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "mutants: {}\n", error.what());
    return 2;
  }
}
