// Asks the backends and the store for their versions.
#include "tuner/program/cli/start/version.h"

#include <fmt/format.h>

#include "db/health.h"
#include "tuner/device/examination.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

std::string built_by() {
#if defined(__clang__)
  return fmt::format("clang++ {}.{}.{}, {}", __clang_major__, __clang_minor__, __clang_patchlevel__,
                     WARPTUNE_BUILD_TYPE);
#else
  return fmt::format("g++ {}, {}", __VERSION__, WARPTUNE_BUILD_TYPE);
#endif
}

}  // namespace

std::string version_line() {
  return fmt::format("warptune {} ({})", tool_version, commit_text);
}

std::string version_text() {
  std::string text = version_line();
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("\n{:<10}{}", name, value);
  };
  add("built by", built_by());
  for (const SelfExamination& backend : self_examinations()) {
    std::string_view name = backend.backend;
    for (const std::string& line : backend.opened(backend_options())) {
      add(name, line);
      name = "";
    }
  }
  add("store", db::engine_version());
  return text;
}

}  // namespace warptune::tuner::cli
