// Declares a compiler with a cache. It wraps the backend's own, so that code that compiles need not know of the cache.
// README.md describes the key and the files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/device/compile/compiler.h"
#include "tuner/device/device_info.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/measure/cache/shared_cache.h"

namespace warptune::tuner {

// Keeps on disk what it has compiled, and asks a shared cache, if one is named, for what others have compiled. The key
// is the content of all that the machine code depends on: source, the text of its includes (read once for each source
// and held for this object's life), defines, options, kernels and symbols, the device's architecture, the compiler's
// version, and `salt`. Errors of the source are kept, too. Time-outs and faults of the machine (the compiler was
// killed, no memory, no process, a full disk) are not kept. Those compiles are tried again
// (device/compile/compiler.h), and the caller has to deal with a result that is still unfinished.
class CachedCompiler : public Compiler {
 public:
  // `toolkit_includes` are searched for includes after the request's folders. `salt` stands for what the compiler adds
  // by itself, such as a shim's text.
  CachedCompiler(std::unique_ptr<Compiler> compiler, const DeviceInfo& device, CacheOptions cache,
                 std::vector<std::filesystem::path> toolkit_includes, std::string salt);

  // How the includes enter the key. `scanned` reads what the source may include, once for each source. `preprocessed`
  // runs the compiler's preprocessor for each request, which only programs that compile rarely can afford.
  enum class Includes { scanned, preprocessed };
  CachedCompiler(std::unique_ptr<Compiler> compiler, const DeviceInfo& device, CacheOptions cache, Includes includes);

  struct Fetched {
    CompileResult result;
    bool hit = false;     // nothing was compiled
    bool shared = false;  // it was taken from the shared cache
  };
  Fetched fetch(const CompileRequest& request);

  // Waits until the thread that sends to the shared cache has sent everything, for `patience_ms` at most.
  void flush(int patience_ms);
  // Returns what the user should hear of the shared cache (shared_cache.h), by a name of the kind.
  std::map<std::string, std::string> notices() const;

  std::string version() const override { return compiler_->version(); }
  std::string preprocess(const CompileRequest& request) override { return compiler_->preprocess(request); }
  CompileResult compile(const CompileRequest& request) override { return fetch(request).result; }

 private:
  std::string key(const CompileRequest& request);
  std::string texts(const CompileRequest& request);
  std::optional<CompileResult> fetch_shared(const std::string& name);

  std::unique_ptr<Compiler> compiler_;
  CodeCache cache_;
  std::unique_ptr<SharedCache> shared_;
  std::vector<std::filesystem::path> toolkit_includes_;
  Includes how_ = Includes::scanned;
  std::string machine_;  // the part of the key that is the same for every request
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> texts_;  // source -> a hash of it and its includes
};

}  // namespace warptune::tuner
