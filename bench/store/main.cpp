// store_bench [TRIALS [speed|safety]]: fills a store of 2,000 sessions in a temporary folder (TMPDIR chooses where),
// prints its figures and ends with status 1 if a bound is not kept.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "bench/store/parts.h"

namespace {

// The folder, gone with everything in it at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "store-bench-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace warptune::tuner::bench;
  Scale scale;
  if (argc > 1) scale.trials = std::atoll(argv[1]);
  const std::string part = argc > 2 ? argv[2] : "";
  if (scale.trials < 2 * scale.sessions || (!part.empty() && part != "speed" && part != "safety")) {
    fmt::print(stderr, "usage: store_bench [TRIALS [speed|safety]], TRIALS at least {}\n", 2 * scale.sessions);
    return 2;
  }
  const Scratch scratch;
  Claims claims;
  if (part != "safety") {
    measure_batches(scratch.folder(), scale, claims);
    measure_lookups(scratch.folder(), claims);
    measure_pages(scratch.folder(), claims);
    measure_commits(scratch.folder(), claims);
  }
  if (part != "speed") {
    measure_kills(scratch.folder(), scale, claims);
    measure_writers(scratch.folder(), scale, claims);
  }
  return claims.all_kept() ? 0 : 1;
}
