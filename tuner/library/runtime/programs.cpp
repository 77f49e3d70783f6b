// Finds programs by a hash of what is compiled.
#include "tuner/library/runtime/programs.h"

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

// A BorrowedCompiler refers to the target's compiler, since the cache wants to own the one that it uses.
class BorrowedCompiler : public tuner::Compiler {
 public:
  explicit BorrowedCompiler(tuner::Compiler& compiler) : compiler_(compiler) {}
  std::string version() const override { return compiler_.version(); }
  std::string preprocess(const tuner::CompileRequest& request) override { return compiler_.preprocess(request); }
  tuner::CompileResult compile(const tuner::CompileRequest& request) override { return compiler_.compile(request); }

 private:
  tuner::Compiler& compiler_;
};

std::string what_failed(const tuner::CompileRequest& request, const tuner::CompileResult& result, double limit_s) {
  if (result.timed_out)
    return fmt::format("compiling {} took longer than {} s and was ended: give Options::compile_timeout_s more\n{}",
                       request.name, limit_s, result.log);
  if (result.unfinished)
    return fmt::format("compiling {} did not end, which is not its source's fault:\n{}", request.name, result.log);
  return fmt::format("{} does not compile:\n{}", request.name, result.log);
}

}  // namespace

Programs::Programs(Target& target, const Options& options)
    : target_(target),
      compile_timeout_s_(options.compile_timeout_s),
      compiler_(std::make_unique<BorrowedCompiler>(target.compiler()), target.info(), {options.cache_folder},
                tuner::CachedCompiler::Includes::preprocessed) {}

std::shared_ptr<Program> Programs::get(const tuner::CompileRequest& request) {
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

tuner::MachineCode Programs::code(const tuner::CompileRequest& request) {
  auto [result, hit, shared] = compiler_.fetch(request);
  if (!result.code) throw Error(what_failed(request, result, compile_timeout_s_));
  ++(hit ? from_disk_ : compiled_);
  return *std::move(result.code);
}

}  // namespace warptune::runtime
