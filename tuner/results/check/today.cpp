// Makes the key that a session would have today, from its template, device and compiler as they are now.
#include "tuner/results/check/today.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/measurer.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/results/check/policy_text.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

// Remembers what a request was preprocessed to: the sizes of one kernel mostly ask for the same text, and the host's
// preprocessor is a process of its own.
class RememberingCompiler : public Compiler {
 public:
  explicit RememberingCompiler(std::unique_ptr<Compiler> inner) : inner_(std::move(inner)) {}

  std::string version() const override { return inner_->version(); }
  std::string preprocess(const CompileRequest& request) override {
    Request known{request.source, request.defines, request.options};
    const auto found = texts_.find(known);
    if (found != texts_.end()) return found->second;
    return texts_.emplace(std::move(known), inner_->preprocess(request)).first->second;
  }
  CompileResult compile(const CompileRequest& request) override { return inner_->compile(request); }

 private:
  using Request = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>, std::vector<std::string>>;
  std::unique_ptr<Compiler> inner_;
  std::map<Request, std::string> texts_;
};

std::string explain(const KeyDifference& difference) {
  if (difference.hashes) return difference.part + " (changed)";
  if (difference.today.empty()) return fmt::format("{} ({})", difference.part, difference.recorded);
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
  return fmt::format("{} ({} then, {} now)", difference.part, shown(difference.recorded), shown(difference.today));
}

std::string missing_template(const db::SessionRecord& session) {
  return session.manifest + " is gone; name with --template where it is now";
}

// Returns the differences that can be told without the sources.
std::vector<KeyDifference> device_differences(const db::SessionKey& recorded, const DeviceInfo& device) {
  db::SessionKey today = recorded;
  today.device = device_record(device);
  return key_differences(recorded, today);
}

// A session on a recorded call is measured again on that call's data or not at all.
void find_capture(const db::SessionRecord& session, Standing& standing) {
  const std::string& file = session.capture_file;
  if (!file.empty() && is_file(file))
    standing.capture = file;
  else
    standing.differences.push_back(
        {"capture", file.empty() ? "where the recorded call lies is not known" : file + " was not found", ""});
}

}  // namespace

std::string Standing::parts() const {
  std::string text;
  for (const KeyDifference& difference : differences) text += (text.empty() ? "" : ", ") + difference.part;
  return text;
}

std::string Standing::explanation() const {
  std::string text;
  for (const KeyDifference& difference : differences) text += (text.empty() ? "" : ", ") + explain(difference);
  return text;
}

Today::Today(BackendOptions options, TemplateFinder find, std::optional<workers::Program> program)
    : options_(std::move(options)), find_(std::move(find)), program_(std::move(program)) {}
Today::~Today() = default;

// Returns a device of the session's model, or null. Of several it prefers one with the same memory and multiprocessors;
// a driver's update may change the memory a little, so another will do.
const DeviceInfo* Today::find_device(const db::DeviceRecord& recorded) {
  if (!devices_)
    devices_ = with_variants(
        (program_ ? workers::FirstWorker(*program_).list_devices(options_) : list_devices(options_)).devices);
  const DeviceInfo* found = nullptr;
  for (const DeviceInfo& device : *devices_) {
    if (device.backend != recorded.backend || device.name != recorded.name) continue;
    const db::DeviceRecord here = device_record(device);
    if (here.memory_gib == recorded.memory_gib && here.multiprocessors == recorded.multiprocessors) return &device;
    if (!found) found = &device;
  }
  return found;
}

db::SessionKey Today::key_today(const db::SessionRecord& session, const Standing& standing) {
  auto& read = templates_[{standing.manifest, standing.capture}];
  if (!read) {
    auto texts = std::make_unique<SessionFiles>(
        TemplatePlace{standing.manifest, standing.capture, {}, {}, {}, {}, {}, {}, {}}, SessionFiles::Data::hashed);
    KernelTemplate kernel = load_template(texts->place());
    read = std::make_unique<Read>(Read{std::move(texts), std::move(kernel)});
  }
  const KernelTemplate& kernel = read->kernel;
  if (kernel.name != session.key.kernel)
    throw RequestError(fmt::format("{} is not the kernel {}; name the template of {} with --template", kernel.name,
                                   session.key.kernel, session.key.kernel));
  auto& compiler = compilers_[standing.device->id];
  if (!compiler)
    compiler = std::make_unique<RememberingCompiler>(backend_of(*standing.device).compiler(*standing.device, options_));
  const Problem problem = resolve_problem(kernel, "", {session.key.problem_size, session.key.variants});
  const search::NamedValues constants = problem_constants(problem.values(), *standing.device);
  const CompilerFacts facts = compiler_facts(kernel, standing.device->backend, *compiler, constants);
  db::SessionKey key =
      session_key(kernel, *standing.device, facts, problem, constants, standing.policy, session.objective);
  if (!standing.capture.empty()) key.capture = capture_hash(read_capture(standing.capture));
  key.restrictions = session.key.restrictions;
  if (has_manifest_of(kernel, session.key)) key.manifest_hash = session.key.manifest_hash;
  return key;
}

Standing Today::standing(const db::SessionRecord& session) {
  Standing standing;
  const db::DeviceRecord& recorded = session.key.device;
  standing.policy = policy_from_text(session.key.policy).value_or(MeasurePolicy{});
  if (const DeviceInfo* device = find_device(recorded))
    standing.device = *device;
  else
    standing.differences.push_back({"device", recorded.name + " is not on this machine", ""});
  standing.manifest = find_(session);
  standing.sources_not_kept = standing.manifest.empty() && session.manifest.empty();
  if (standing.sources_not_kept) {
    if (standing.device) standing.differences = device_differences(session.key, *standing.device);
    return standing;
  }
  if (standing.manifest.empty()) standing.differences.push_back({"template", missing_template(session), ""});
  if (!session.key.capture.empty()) find_capture(session, standing);
  if (!standing.current()) return standing;
  try {
    standing.key = key_today(session, standing);
    standing.differences = key_differences(session.key, *standing.key);
  } catch (const std::exception& error) {  // a manifest that no longer loads, no compiler, another set of sizes
    standing.differences.push_back({"template", error.what(), ""});
    standing.manifest.clear();
  }
  return standing;
}

}  // namespace warptune::tuner
