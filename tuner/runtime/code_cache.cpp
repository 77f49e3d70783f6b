// See code_cache.h.
#include "tuner/runtime/code_cache.h"

#include <fmt/format.h>

#include "tuner/kernel/content_hash.h"

namespace warptune::runtime {

namespace {

std::string text_of(const tuner::CompileRequest& request) {
  std::string text = request.name + '\n' + request.source + '\n';
  for (const auto& [name, value] : request.defines) text += fmt::format("-D {}={}\n", name, value);
  for (const std::string& option : request.options) text += option + '\n';
  for (const auto* names : {&request.kernels, &request.symbols})
    for (const std::string& name : *names) text += name + '\n';
  return text;
}

}  // namespace

std::shared_ptr<Program> CodeCache::get(const tuner::CompileRequest& request) {
  const auto entry = [&] {
    const std::scoped_lock lock(mutex_);
    auto& slot = entries_[tuner::content_hash(text_of(request))];
    if (!slot) slot = std::make_shared<Entry>();
    return slot;
  }();
  const std::scoped_lock lock(entry->mutex);
  if (!entry->program) entry->program = target_.load(code(request));
  return entry->program;
}

tuner::MachineCode CodeCache::code(const tuner::CompileRequest& request) {
  std::filesystem::path file;
  if (!folder_.empty()) {
    // The preprocessed text too: an include that changed must not find the old code.
    tuner::Compiler& compiler = target_.compiler();
    file = folder_ / (tuner::content_hash(text_of(request) + compiler.preprocess(request) + compiler.version() +
                                          target_.info().architecture) +
                      ".code");
    if (auto known = read_code(file)) {
      ++from_disk_;
      return *std::move(known);
    }
  }
  tuner::CompileResult result = target_.compiler().compile(request);
  if (!result.code) throw Error(fmt::format("{} does not compile:\n{}", request.name, result.log));
  ++compiled_;
  if (!file.empty()) write_code(file, *result.code);
  return *std::move(result.code);
}

}  // namespace warptune::runtime
