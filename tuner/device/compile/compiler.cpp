// Looks for known words in each line of a log, and waits between attempts.
#include "tuner/device/compile/compiler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace warptune::tuner {

namespace {

bool is_the_sources_own(std::string_view line) {
  constexpr std::array<std::string_view, 4> words = {"#error", "static assertion", "static_assert", " | "};
  return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

bool is_the_machines(std::string_view line) {
  constexpr std::array<std::string_view, 15> words = {"signal terminated program",
                                                      "unable to execute command",
                                                      "internal compiler error",
                                                      "command failed due to signal",
                                                      "Killed",
                                                      "emory exhausted",
                                                      "out of memory",
                                                      "annot allocate",
                                                      "Resource temporarily unavailable",
                                                      "No space left",
                                                      "Disk quota exceeded",
                                                      "Input/output error",
                                                      "Too many open files",
                                                      "Permission denied",
                                                      "bad_alloc"};
  return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

}  // namespace

bool tells_of_the_machine(std::string_view log) {
  while (!log.empty()) {
    const auto end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    if (!is_the_sources_own(line) && is_the_machines(line)) return true;
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return false;
}

CompileResult compile_patiently(Compiler& compiler, const CompileRequest& request) {
  CompileResult result = compiler.compile(request);
  for (const int pause_ms : {50, 500}) {
    if (!result.unfinished) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    result = compiler.compile(request);
  }
  return result;
}

}  // namespace warptune::tuner
