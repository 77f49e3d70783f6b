#include "tuner/session/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tuner/device/read_file.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/program.h"

namespace warptune::tuner {

namespace {

std::string read(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) throw RequestError(fmt::format("cannot read {}, which a session's key is made of", file.string()));
  return *std::move(text);
}

// Comments and layout mean nothing to a measurement. '#' inside a string is rare and only makes the hash stricter or
// equal for both versions.
std::string without_comments(const std::string& toml) {
  std::istringstream lines(toml);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    result += line.substr(first, last - first + 1) + '\n';
  }
  return result;
}

std::string model_text(const db::DeviceRecord& device) {
  std::string text = device.name;
  if (device.memory_gib > 0) text += fmt::format(", {} GiB", device.memory_gib);
  if (device.multiprocessors > 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  return text;
}

// Stores from before the manifest's order was kept have another one.
std::string sorted_text(search::NamedValues values) {
  std::ranges::sort(values, {}, &search::NamedValues::value_type::first);
  return search::to_text(values);
}

}  // namespace

std::vector<KeyDifference> key_differences(const db::SessionKey& recorded, const db::SessionKey& today) {
  std::vector<KeyDifference> differences;
  const auto compare = [&](const char* part, const std::string& then, const std::string& now, bool hashes = false) {
    if (then != now) differences.push_back({part, then, now, hashes});
  };
  const db::DeviceRecord &then = recorded.device, &now = today.device;
  compare("device", model_text(then), model_text(now));
  compare("architecture", then.architecture, now.architecture);
  compare("driver", then.driver, now.driver);
  compare("compiler", recorded.compiler, today.compiler);
  compare("source", recorded.source_hash, today.source_hash, true);
  compare("manifest", recorded.manifest_hash, today.manifest_hash, true);
  compare("options", recorded.options, today.options);
  compare("size", sorted_text(recorded.problem_size), sorted_text(today.problem_size));
  compare("variants", sorted_text(recorded.variants), sorted_text(today.variants));
  compare("policy", recorded.policy, today.policy);
  compare("capture", recorded.capture, today.capture, true);
  compare("restrictions", fmt::format("{}", fmt::join(recorded.restrictions, "; ")),
          fmt::format("{}", fmt::join(today.restrictions, "; ")));
  return differences;
}

std::string compiler_salt(const CompilerFacts& compiler, const std::string& headers_hash) {
  return std::string(tool_version) + " " + content_hash(compiler.preprocessed + headers_hash);
}

db::DeviceRecord device_record(const DeviceInfo& device) {
  return {device.backend,  device.name,        device.architecture,   device.driver,
          device.limits(), memory_gib(device), device.multiprocessors};
}

db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, const CompilerFacts& compiler,
                           const Problem& problem, const search::NamedValues& constants, const MeasurePolicy& policy) {
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  const auto requests = compile_requests(kernel, device.backend, kernel.default_values, scope);
  db::SessionKey key;
  key.kernel = kernel.name;
  key.device = device_record(device);
  key.compiler = compiler.version;
  // The raw text too: branches that the default's preprocessing drops belong to other configurations.
  std::string text = compiler.preprocessed;
  for (const CompileRequest& request : requests) text += request.source;
  if (!kernel.program) text += read(kernel.reference.default_configuration ? kernel.source : kernel.reference.source);
  for (const HostFunction& fill : kernel.fills) text += read(fill.source);
  key.source_hash = content_hash(text + kernel.headers_hash + kernel.data_hash);
  key.manifest_hash =
      content_hash(kernel.program ? kernel.program->description : without_comments(read(kernel.manifest)));
  key.options = fmt::format("{}", fmt::join(requests.front().options, " "));
  key.problem_size = problem.sizes;
  key.variants = problem.variants;
  key.policy = policy.text();
  return key;
}

}  // namespace warptune::tuner
