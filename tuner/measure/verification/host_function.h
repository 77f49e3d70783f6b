// Declares the calls of a template's C++ functions, and the memory that they work on.
#pragma once

#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/backend.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/cache/code_cache.h"

namespace warptune::tuner {

// Memory on the host that is zero at first. Its pages cost nothing until they are touched, for buffers of gigabytes are
// made here. Large ones ask for huge pages, since the first touch of small pages takes longer than most functions do.
// Copies share the bytes.
class HostBytes {
 public:
  HostBytes() = default;
  // Throws std::bad_alloc.
  explicit HostBytes(std::size_t bytes);
  std::span<std::byte> span() const { return {data_.get(), bytes_}; }

 private:
  std::shared_ptr<std::byte> data_;
  std::size_t bytes_ = 0;
};

// Compiles and calls the template's C++ functions: fills, and a reference. Each is compiled once, all of them at the
// same time, through the cache. The cache also keeps what a long call has written, under the content of all that it
// depends on: the function's code, its numbers and the bytes that it reads. The class is for one thread; the template
// and the device must outlive it.
class HostFunctions {
 public:
  // Begins to compile, and waits for nothing.
  HostFunctions(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device,
                const BackendOptions& options, const CacheOptions& cache, bool with_reference);
  ~HostFunctions();
  HostFunctions(const HostFunctions&) = delete;
  HostFunctions& operator=(const HostFunctions&) = delete;

  // Calls a function with copies of its buffers, and returns those that it writes, `written`, by their names. `buffers`
  // holds device memory for every buffer argument; a reference's temporaries need none. What `written` buffers held is
  // handed over too if the function `continues` it. Throws WorkloadError or DeviceError.
  std::map<std::string, HostBytes> call(const HostFunction& function, const std::map<std::string, MemorySpan>& buffers,
                                        const std::set<std::string>& written, bool continues);
  // Stores what the latest call wrote for other sessions. The caller has found that it is right.
  void keep();
  // Says that the device's buffer holds these bytes from now on, so that functions that read it need not fetch them.
  // The bytes are kept only if there are such functions.
  void hold(const std::string& name, const HostBytes& bytes);
  // Drops the bytes that are held. Call it when the device's buffers change, or when no function will be called soon.
  void forget() { held_.clear(); }
  // Returns the seconds that calls would have taken, had their results not been known.
  double spared_s() const { return spared_s_; }

 private:
  struct Arguments;
  struct Loaded;
  struct Fresh {  // a result that is not kept yet
    std::string key;
    std::string bytes;
  };
  struct Held {  // what a buffer on the device holds
    HostBytes bytes;
    std::string hash;
  };
  const Loaded& load(const HostFunction& function);
  const Held& fetch(const std::string& name, const MemorySpan& buffer);
  void drop_changed(const Arguments& arguments);
  Arguments take_arguments(const HostFunction& function, const std::map<std::string, MemorySpan>& buffers,
                           const std::set<std::string>& written, bool continues);
  std::string key_of(const Loaded& loaded, const Arguments& arguments, const std::set<std::string>& written) const;
  double run(const HostFunction& function, const Loaded& loaded, Arguments& arguments);
  void remember(const std::string& key, double seconds, const std::vector<std::span<std::byte>>& results);
  bool recall(const std::string& key, const Arguments& arguments, const std::set<std::string>& written);

  const KernelTemplate& kernel_;
  search::NamedValues constants_;
  Device& device_;
  BackendOptions options_;
  CodeCache cache_;
  CacheOptions cache_options_;
  std::unique_ptr<Device> host_;
  std::string why_no_host_;
  std::unique_ptr<Compiler> compiler_;
  std::map<std::string, std::future<CompileResult>> compiling_;  // by the function's name
  std::map<std::string, std::unique_ptr<Loaded>> loaded_;
  Fresh fresh_;
  std::map<std::string, Held> held_;
  double spared_s_ = 0;
};

}  // namespace warptune::tuner
