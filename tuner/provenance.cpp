#include "tuner/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fstream>
#include <sstream>

#include "tuner/kernel/plan.h"

namespace warptune {

namespace {

std::string hash(const std::string& text) {
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
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

}  // namespace

std::string compiler_salt(const CompilerFacts& compiler) {
  return std::string(tool_version) + " " + hash(compiler.preprocessed);
}

db::DeviceRecord device_record(const DeviceInfo& device) {
  return {device.backend, device.name, device.uuid, device.architecture, device.driver, device.limits()};
}

db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, const CompilerFacts& compiler,
                           const NamedValues& sizes, const NamedValues& constants, const MeasurePolicy& policy) {
  NamedValues scope = constants;
  scope.insert(scope.end(), kernel.default_values.begin(), kernel.default_values.end());
  const CompileRequest request = compile_request(kernel, device.backend, kernel.default_values, scope);
  db::SessionKey key;
  key.kernel = kernel.name;
  key.device = device_record(device);
  key.compiler = compiler.version;
  // The raw text too: branches that the default's preprocessing drops belong to other configurations.
  key.source_hash = hash(compiler.preprocessed + request.source +
                         read(kernel.reference.default_configuration ? kernel.source : kernel.reference.source));
  key.manifest_hash = hash(without_comments(read(kernel.manifest)));
  key.options = fmt::format("{}", fmt::join(request.options, " "));
  key.problem_size = sizes;
  key.policy = policy.text();
  return key;
}

}  // namespace warptune
