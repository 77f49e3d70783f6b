// Hashes sources, headers and manifests into the parts of a session's key.
#include "tuner/session/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "db/objectives.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/manifest/manifest_content.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/program.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

std::string read(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) throw RequestError(fmt::format("cannot read {}, which a session's key is made of", file.string()));
  return *std::move(text);
}

std::string model_text(const db::DeviceRecord& device) {
  std::string text = device.name;
  if (device.memory_gib > 0) text += fmt::format(", {} GiB", device.memory_gib);
  if (device.multiprocessors > 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  return text;
}

// Returns the values sorted by name. Older stores did not keep the manifest's order, so the same values may come in
// another one.
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

static std::string manifest_hash(const KernelTemplate& kernel) {
  return content_hash(kernel.program ? kernel.program->description : measured_content(kernel.manifest));
}

db::SessionKey session_key(const KernelTemplate& kernel, const DeviceInfo& device, const CompilerFacts& compiler,
                           const Problem& problem, const search::NamedValues& constants, const MeasurePolicy& policy,
                           const std::string& objective) {
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  const auto requests = compile_requests(kernel, device.backend, kernel.default_values, scope);
  db::SessionKey key;
  key.kernel = kernel.name;
  key.device = device_record(device);
  key.compiler = compiler.version;
  // The raw text counts, too: branches that the default's preprocessing drops belong to other configurations.
  std::string text = compiler.preprocessed;
  for (const CompileRequest& request : requests) text += request.source;
  if (!kernel.program) text += read(kernel.reference.default_configuration ? kernel.source : kernel.reference.source);
  for (const HostFunction& fill : kernel.fills) text += read(fill.source);
  key.source_hash = content_hash(text + kernel.headers_hash + kernel.data_hash);
  key.manifest_hash = manifest_hash(kernel);
  key.options = fmt::format(
      "{}", fmt::join(kernel.program ? requests.front().options : options_for(kernel, device.backend), " "));
  key.problem_size = problem.sizes;
  key.variants = problem.variants;
  key.policy = db::with_objective(policy.text(), objective);
  return key;
}

bool has_manifest_of(const KernelTemplate& kernel, const db::SessionKey& key) {
  return key.manifest_hash == manifest_hash(kernel) || key.manifest_hash == earlier_manifest_hash(kernel);
}

std::string earlier_manifest_hash(const KernelTemplate& kernel) {
  return content_hash(kernel.program ? kernel.program->description : manifest_without_comments(kernel.manifest));
}

}  // namespace warptune::tuner
