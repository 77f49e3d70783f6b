// Calls functions through the host backend, and keeps results of long calls in the code cache.
#include "tuner/measure/verification/host_function.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/cache/cached_compiler.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

namespace {

// The least time of a call whose results are kept. Computing shorter ones again is as fast as reading them.
constexpr double worth_keeping_s = 0.3;
// The results of one call may take the cache's limit divided by this. More would drive out what others need.
constexpr std::uint64_t most_of_the_limit = 4;

std::string description(const KernelTemplate& kernel, const HostFunction& function) {
  return fmt::format("the function {} ({}) of {}", function.name, kernel.shown(function.source).string(), kernel.name);
}

// Returns the host backend, which also compiles and calls plain C++. It treats a function as a kernel of one thread.
const BackendEntry& host_backend() {
  return *std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
}

std::array<std::byte, 8> address_bytes(void* address) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the size of a cache entry, which holds the seconds that were spent and then the results, one behind the
// other.
std::size_t entry_bytes(const std::vector<std::span<std::byte>>& results) {
  std::size_t bytes = sizeof(double);
  for (const auto& result : results) bytes += result.size();
  return bytes;
}

// Returns the temporary of this name, null if there is none. Temporaries are scratch memory of a reference and never
// leave the host.
const Argument* temporary(const KernelTemplate& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.reference.temporaries, name, &Argument::name);
  return found == kernel.reference.temporaries.end() ? nullptr : &*found;
}

}  // namespace

HostBytes::HostBytes(std::size_t bytes) : bytes_(bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  if (bytes < 2 * huge_page) {
    data_ = {static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1)), std::free};
    if (!data_) throw std::bad_alloc();
    return;
  }
  const std::size_t mapped = bytes + huge_page;
  void* const from = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED) throw std::bad_alloc();
  ::madvise(from, mapped, MADV_HUGEPAGE);  // a hint, which systems without huge pages refuse
  void* begin = from;
  std::size_t room = mapped;
  std::align(huge_page, bytes, begin, room);
  data_ = {static_cast<std::byte*>(begin), [from, mapped](std::byte*) { ::munmap(from, mapped); }};
}

struct HostFunctions::Loaded {
  std::unique_ptr<Module> module;
  std::string code_hash;
};

struct HostFunctions::Arguments {
  std::map<std::string, HostBytes> copies;
  std::vector<std::array<std::byte, 8>> values;  // in the function's order: numbers, or addresses of copies
  std::vector<std::string> names;                // the names of the values, empty for a number
  // The hashes of what the function may depend on. Other copies hold poison or nothing.
  std::map<std::string, std::string> read;
  std::set<std::string> shared;  // the copies among `read` that other functions get, too

  // Returns the copies that the function writes and that leave it, in the order in which they are kept.
  std::vector<std::span<std::byte>> results(const std::set<std::string>& written) const {
    std::vector<std::span<std::byte>> spans;
    for (const std::string& name : written)
      if (const auto copy = copies.find(name); copy != copies.end()) spans.push_back(copy->second.span());
    return spans;
  }
};

HostFunctions::HostFunctions(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device,
                             const BackendOptions& options, const CacheOptions& cache, bool with_reference)
    : kernel_(kernel), constants_(constants), device_(device), options_(options), cache_(cache), cache_options_(cache) {
  std::vector<HostFunction> functions = kernel.fills;
  if (with_reference && kernel.reference.function) functions.push_back(*kernel.reference.function);
  if (functions.empty()) return;
  const auto devices = host_backend().devices(options_, why_no_host_);
  if (devices.empty()) return;
  host_ = host_backend().open(devices.front(), options_);
  compiler_ = std::make_unique<CachedCompiler>(host_backend().compiler(devices.front(), options_), devices.front(),
                                               cache, CachedCompiler::Includes::preprocessed);
  for (const HostFunction& function : functions)
    compiling_[function.name] =
        std::async(std::launch::async, [this, request = function_compile_request(kernel_, function, constants_)] {
          return compiler_->compile(request);
        });
}

// Unloads modules before their device closes, and waits for compiles that are still running.
HostFunctions::~HostFunctions() {
  compiling_.clear();
  loaded_.clear();
}

const HostFunctions::Loaded& HostFunctions::load(const HostFunction& function) {
  if (!host_) throw WorkloadError(fmt::format("a C++ function needs the host backend: {}", why_no_host_));
  auto& loaded = loaded_[function.name];
  if (loaded) return *loaded;
  const AnnouncedStep step(options_, description(kernel_, function), true);
  const CompileResult result = compiling_.at(function.name).get();
  if (!result.code)
    throw WorkloadError(fmt::format("{} of {} does not compile with {}:\n{}", kernel_.shown(function.source).string(),
                                    kernel_.name, compiler_->version(), result.log));
  loaded = std::make_unique<Loaded>();
  loaded->module = host_->load(*result.code);
  loaded->code_hash = content_hash(text_of(result.code->bytes));
  return *loaded;
}

HostFunctions::Arguments HostFunctions::take_arguments(const HostFunction& function,
                                                       const std::map<std::string, MemorySpan>& buffers,
                                                       const std::set<std::string>& written, bool continues) {
  Arguments arguments;
  for (const std::string& name : function.arguments) {
    const Argument* argument = kernel_.find_argument(name);
    arguments.names.push_back(argument && argument->role == Role::scalar ? "" : name);
    if (arguments.names.back().empty()) {
      arguments.values.push_back(scalar_bytes(argument->type, argument->value->evaluate(constants_)));
      continue;
    }
    HostBytes& copy = arguments.copies[name];
    if (const Argument* scratch = temporary(kernel_, name)) {
      copy = HostBytes(plan_buffer(*scratch, constants_).bytes());
    } else if (!written.contains(name)) {
      const Held& held = fetch(name, buffers.at(name));
      copy = held.bytes;
      arguments.read[name] = held.hash;
      arguments.shared.insert(name);
    } else {
      copy = HostBytes(buffers.at(name).bytes);
      if (continues) device_.download(copy.span(), buffers.at(name));
      // The copy of a plain output holds poison, which differs each time, so it is not hashed.
      if (continues && argument && argument->role == Role::inout)
        arguments.read[name] = content_hash(text_of(copy.span()));
    }
    arguments.values.push_back(address_bytes(copy.span().data()));
  }
  return arguments;
}

const HostFunctions::Held& HostFunctions::fetch(const std::string& name, const MemorySpan& buffer) {
  Held& held = held_[name];
  if (held.hash.empty()) {
    held.bytes = HostBytes(buffer.bytes);
    device_.download(held.bytes.span(), buffer);
    held.hash = content_hash(text_of(held.bytes.span()));
  }
  return held;
}

void HostFunctions::hold(const std::string& name, const HostBytes& bytes) {
  const auto reads = [&](const HostFunction& function) {
    return std::ranges::find(function.arguments, name) != function.arguments.end();
  };
  const auto& reference = kernel_.reference.function;
  if (std::ranges::count_if(kernel_.fills, reads) > 1 || (reference && reads(*reference)))
    held_[name] = {bytes, content_hash(text_of(bytes.span()))};
}

// Drops the copies that the function has changed, for it may use its inputs as scratch memory. The next function
// fetches them again.
void HostFunctions::drop_changed(const Arguments& arguments) {
  for (const std::string& name : arguments.shared)
    if (content_hash(text_of(arguments.copies.at(name).span())) != arguments.read.at(name)) held_.erase(name);
}

std::map<std::string, HostBytes> HostFunctions::call(const HostFunction& function,
                                                     const std::map<std::string, MemorySpan>& buffers,
                                                     const std::set<std::string>& written, bool continues) {
  fresh_ = {};
  const Loaded& loaded = load(function);
  Arguments arguments = take_arguments(function, buffers, written, continues);
  const std::string key = cache_.enabled() ? key_of(loaded, arguments, written) : "";
  if (!recall(key, arguments, written)) {
    const double seconds = run(function, loaded, arguments);
    drop_changed(arguments);
    if (!key.empty() && seconds > worth_keeping_s) remember(key, seconds, arguments.results(written));
  }
  std::erase_if(arguments.copies, [&](const auto& copy) { return !written.contains(copy.first); });
  return std::move(arguments.copies);
}

// Calls the function, and returns the seconds that it took.
double HostFunctions::run(const HostFunction& function, const Loaded& loaded, Arguments& arguments) {
  std::vector<void*> pointers;
  for (auto& value : arguments.values) pointers.push_back(value.data());
  const AnnouncedStep step(options_, description(kernel_, function), false);
  const double start_s = steady_s();
  loaded.module->kernel(function.name).launch({}, pointers);
  host_->synchronize();
  return steady_s() - start_s;
}

// Prepares an entry but does not store it. `keep` does so once the caller knows that the results are right.
void HostFunctions::remember(const std::string& key, double seconds, const std::vector<std::span<std::byte>>& results) {
  if (entry_bytes(results) > cache_options_.limit_bytes / most_of_the_limit) return;
  fresh_.key = key;
  fresh_.bytes.append(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  for (const auto& result : results) fresh_.bytes += text_of(result);
}

std::string HostFunctions::key_of(const Loaded& loaded, const Arguments& arguments,
                                  const std::set<std::string>& written) const {
  std::string text = "a function's results, 1;" + loaded.code_hash;
  for (std::size_t i = 0; i < arguments.names.size(); ++i) {
    const std::string& name = arguments.names[i];
    if (name.empty()) {
      text += fmt::format(";number {}", content_hash(text_of(arguments.values[i])));
      continue;
    }
    const auto bytes = arguments.copies.at(name).span();
    text += fmt::format(";{}:{} {} {}", name.size(), name, bytes.size(), written.contains(name) ? "written" : "");
    if (const auto read = arguments.read.find(name); read != arguments.read.end()) text += read->second;
  }
  return content_hash(text);
}

// Reads kept results. An entry of another size than expected is ignored; the cache itself rejects a damaged one.
bool HostFunctions::recall(const std::string& key, const Arguments& arguments, const std::set<std::string>& written) {
  if (key.empty()) return false;
  const auto results = arguments.results(written);
  const auto entry = cache_.get(key);
  if (!entry || entry->size() != entry_bytes(results)) return false;
  double seconds = 0;
  std::memcpy(&seconds, entry->data(), sizeof seconds);
  spared_s_ += seconds;
  std::size_t at = sizeof seconds;
  for (const auto& result : results) {
    std::memcpy(result.data(), entry->data() + at, result.size());
    at += result.size();
  }
  return true;
}

void HostFunctions::keep() {
  if (!fresh_.key.empty()) cache_.put(fresh_.key, fresh_.bytes);
  fresh_ = {};
}

}  // namespace warptune::tuner
