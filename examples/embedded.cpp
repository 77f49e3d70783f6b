// The runtime in an application: a template, the wisdom that tuning left, and launches. Runs on the host backend, so
// that it runs everywhere. With a GPU the differences are two: the runtime is made in the application's context,
//
//   cudaFree(0);  // or cuCtxSetCurrent: some context is current
//   const warptune::runtime::Runtime runtime(options);
//
// and the arguments are device pointers, on a stream of the application's (tuner/library/runtime/README.md).
//
//   example_embedded TEMPLATES [WISDOM]
#include <warptune/runtime_host.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace {

using warptune::runtime::Choice;
using warptune::runtime::Kernel;
using warptune::runtime::Source;

const char* words(Source source) {
  if (source == Source::device) return "measured on this device";
  if (source == Source::architecture) return "measured on another device of this architecture";
  return "the default: nothing is known";
}

// One "request" of the application's: vectors of any length.
bool add_vectors(const Kernel& kernel, std::int64_t size) {
  const auto count = static_cast<std::size_t>(size);
  std::vector<float> a(count, 1.25f), b(count, 2.5f), c(count);
  kernel.launch(nullptr, {{"SIZE", size}}, a.data(), b.data(), c.data());
  for (const float sum : c)
    if (std::abs(sum - 3.75f) > 0) return false;
  const Choice choice = kernel.choice({{"SIZE", size}});
  std::printf("%8lld elements: %s (%s)\n", static_cast<long long>(size), choice.configuration.c_str(),
              words(choice.source));
  return true;
}

int serve(const std::filesystem::path& templates, const std::filesystem::path& wisdom) {
  warptune::runtime::Options options;
  options.cache_folder = std::filesystem::temp_directory_path() / "warptune-example-cache";
  const warptune::runtime::Runtime runtime = warptune::runtime::host_runtime(options);
  const Kernel kernel = runtime.load(templates / "vector_add", wisdom);
  for (const std::int64_t size : {1000, 50000, 1000, 1000000})
    if (!add_vectors(kernel, size)) return 1;
  // What is worth tuning for: the next call, with its data, for `warptune tune vector_add --capture FILE`.
  const auto capture = std::filesystem::temp_directory_path() / "warptune-example-call.json";
  kernel.capture_next(capture);
  if (!add_vectors(kernel, 50000)) return 1;
  std::printf("recorded a call in %s\n", capture.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: example_embedded TEMPLATES [WISDOM]\n");
    return 2;
  }
  try {
    return serve(argv[1], argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
