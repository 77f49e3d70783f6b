// A program outside the tree that tunes an installed template through the installed library, into a store of its own.
#include <warptune/tune.h>

#include <cstdio>
#include <exception>

static int tune() {
  warptune::TuneRequest request;
  request.manifest = std::filesystem::path(TEMPLATES) / "vector_add";
  request.device = "host";
  request.strategy = "random";
  request.budget.trials = 3;
  request.evaluator.policy.max_samples = 7;
  const warptune::TunerResult result = warptune::tune(request, {.store = "consumer.db"});
  if (!result.best) return 1;
  std::printf("%s\n", warptune::to_text(*result.best).c_str());
  return 0;
}

int main() {
  try {
    return tune();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
