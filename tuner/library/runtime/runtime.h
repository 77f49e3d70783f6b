// Declares warptune::runtime, which launches tuned kernels from an application's own context and streams.
//
//   warptune::runtime::Runtime runtime(options);                        // the context that is current here
//   auto gemm = runtime.load("templates/gemm", "gemm.wisdom.json");
//   gemm.launch(stream, {{"M", m}, {"N", n}, {"K", k}}, a, b, c, 1.0f, 0.0f);
//
// The first launch of a size chooses the configuration (tuner/results/wisdom/README.md has the rule), compiles it and
// plans the launches; later ones look it up. Nothing is ever tuned here. The library prints nothing and reads no
// environment. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warptune::runtime {

// An Error says what went wrong, with the compiler's log or the driver's own name for it, and what to do next.
// Arguments and sizes that do not fit the kernel throw std::invalid_argument instead.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A Stream is a CUstream or cudaStream_t; nullptr is the default stream.
using Stream = void*;

// A Size is one problem size, by the template's name for it. A launch needs all of them, in any order.
struct Size {
  Size() = default;
  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Size(std::string_view size, T number) : name(size), value(static_cast<std::int64_t>(number)) {}

  std::string_view name;
  std::int64_t value = 0;
};
using Sizes = std::initializer_list<Size>;

// A Variant is a choice of the problem that one loaded kernel is for, by the template's names: {"PRECISION", "double"},
// {"TRANSPOSE_A", true}.
struct Variant {
  Variant(std::string_view variant, const char* choice) : name(variant), value(choice) {}
  Variant(std::string_view variant, std::string choice) : name(variant), value(std::move(choice)) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Variant(std::string_view variant, T choice)
      : name(variant), value(std::is_same_v<T, bool> ? (choice ? "true" : "false") : std::to_string(+choice)) {}

  std::string name;
  std::string value;
};
using Variants = std::vector<Variant>;

// An Argument is one argument of a launch, a plain value: a device pointer (T*, CUdeviceptr or another unsigned integer
// of 64 bits) or a number. Numbers are converted to what the kernel takes: any number to a floating type, an integer to
// an integer type that holds it. A T* to numbers of more than a byte must point to what the buffer holds. A pointer to
// void, to bytes or to structures is not checked.
class Argument {
 public:
  enum class Kind { pointer, integer, unsigned_integer, real };  // unsigned_integer: of 64 bits; others fit an integer
  enum class Pointee { unknown, integer, real };

  template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_pointer_v<T>, int> = 0>
  Argument(T value) {  // NOLINT: implicit, so that a launch reads like a call
    if constexpr (std::is_pointer_v<T>) {
      bits_ = reinterpret_cast<std::uintptr_t>(value);
      point_to<std::remove_cv_t<std::remove_pointer_t<T>>>();
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::real;
      const double wide = static_cast<double>(value);
      std::memcpy(&bits_, &wide, sizeof bits_);
    } else {
      kind_ = std::is_unsigned_v<T> && sizeof(T) == 8 ? Kind::unsigned_integer : Kind::integer;
      bits_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }
  Argument(std::nullptr_t) {}  // NOLINT: for a buffer that this launch does not use

  Kind kind() const { return kind_; }
  std::uint64_t bits() const { return bits_; }
  Pointee pointee() const { return pointee_; }
  std::size_t pointee_bytes() const { return pointee_bytes_; }  // 0 if unknown

 private:
  template <class T>
  void point_to() {
    if constexpr (std::is_arithmetic_v<T>) {
      if (sizeof(T) == 1) return;
      pointee_ = std::is_floating_point_v<T> ? Pointee::real : Pointee::integer;
      pointee_bytes_ = sizeof(T);
    }
  }

  Kind kind_ = Kind::pointer;
  Pointee pointee_ = Pointee::unknown;
  std::uint8_t pointee_bytes_ = 0;
  std::uint64_t bits_ = 0;
};

// Says where a configuration came from.
enum class Source {
  device,        // measured on a device of this name
  architecture,  // on another one of the same compute capability
  // Nothing is known, or nothing known is allowed at this size. The configuration is the template's default, or if that
  // is not allowed either, the allowed configuration nearest to it.
  default_configuration,
};

struct Choice {
  Source source = Source::default_configuration;
  std::string configuration;   // "BLOCK=256,VECTOR=4"
  std::string measured_sizes;  // "M=4096,K=4096": of the entry that was taken; empty for the default
  double time_ms = 0;          // as measured there; 0 for the default
  // If true, this size was never measured, and the configuration is that of the nearest size by the wisdom's rule.
  bool predicted = false;
  // The regret of a prediction, on the average and at worst, is what leaving measured sizes out has shown: 0.02 is 2 %
  // slower than the size's own best. Both are negative where the wisdom does not say, and where nothing is predicted.
  double expected_regret = -1, worst_regret = -1;
};

// A Parameter is one argument that a launch takes.
struct Parameter {
  std::string name;
  std::string type;     // "float", "int64": of a buffer's elements
  bool buffer = false;  // a device pointer; else a number
  bool optional = false;
};

struct CaptureOptions {
  bool data = false;  // the inputs' contents too, as .npy files beside the capture
};
inline constexpr CaptureOptions with_data{true};

// A Kernel is a loaded template, and a cheap handle to shared state. All members may be called from many threads at
// once.
class Kernel {
 public:
  // Returns what `launch` takes, in order: the buffers and the constant scalars (alpha) that this variant's launches
  // use; other scalars are computed from the sizes. Constants may be left out from the end; then they are the
  // template's.
  const std::vector<Parameter>& parameters() const;

  // Queues the kernel's launches on the stream. The context must be current on the calling thread, as for
  // cuLaunchKernel. It waits for nothing, but for compiling when the size is new. Throws Error and
  // std::invalid_argument.
  template <class... Arguments>
  void launch(Stream stream, Sizes sizes, const Arguments&... arguments) const {
    const Argument list[sizeof...(Arguments) + 1] = {Argument(arguments)..., Argument(0)};
    launch_with(stream, sizes.begin(), sizes.size(), list, sizeof...(Arguments));
  }
  // Does the same for arguments whose number is known only at run time.
  void launch_with(Stream stream, const Size* sizes, std::size_t size_count, const Argument* arguments,
                   std::size_t argument_count) const;

  // Compiles and plans for a size now, so that its first launch is as fast as the others.
  void prepare(Sizes sizes) const { prepare_with(sizes.begin(), sizes.size()); }
  void prepare_with(const Size* sizes, std::size_t size_count) const;
  // Returns what a launch of this size uses, and compiles nothing. Throws Error, as a launch does, if the template
  // allows nothing there.
  Choice choice(Sizes sizes) const { return choice_with(sizes.begin(), sizes.size()); }
  Choice choice_with(const Size* sizes, std::size_t size_count) const;

  // The next launch is recorded in a file for `warptune tune --capture FILE`: its sizes and constants and, `with_data`,
  // its inputs as they are before the launch (which then waits for the stream). The file is written before anything is
  // launched.
  void capture_next(const std::filesystem::path& file, CaptureOptions options = {}) const;

  struct Impl;
  explicit Kernel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

struct Options {
  // Machine code is kept here for the next process, 2 GiB at most (tuner/measure/cache/code_cache.h: programs may share
  // the folder); empty: only in memory. A folder that cannot be written costs time, and is no error.
  std::filesystem::path cache_folder;
  // These folders are searched before the usual places, for libcuda.so.1 and NVRTC, and for the toolkit's headers.
  std::vector<std::filesystem::path> library_directories;
  std::vector<std::filesystem::path> cuda_include_directories;
  std::string host_compiler = "c++";  // of the host device (tuner/library/runtime/host.h)
  double compile_timeout_s = 60;      // for one program; 0: none
};

// Counts how often the slow path was taken.
struct Counts {
  std::int64_t compiled = 0;
  std::int64_t loaded_from_disk = 0;
};

// A Runtime has the kernels of one device and context. It is a handle too, and its members may be called from many
// threads at once. Kernels keep alive what they need of it. They must be destroyed before the context.
class Runtime {
 public:
  // Makes a runtime for the CUDA context that is current on the calling thread. Throws Error.
  explicit Runtime(const Options& options = {});

  // Loads a kernel from a template's folder or manifest, and a wisdom file; without one the default configuration is
  // all that is known. The kernel is for these variants, and for the template's defaults of others: only wisdom with
  // just these is used. Throws Error, also for wisdom that does not fit the template and for variants that it lacks.
  Kernel load(const std::filesystem::path& manifest, const std::filesystem::path& wisdom = {},
              const Variants& variants = {}) const;

  const std::string& device_name() const;
  Counts counts() const;

  struct Impl;
  explicit Runtime(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace warptune::runtime
