// A program outside the tree that tunes an installed template through the installed library.
#include <cstdio>

#include "tuner/session/tuning.h"

int main() {
  warptune::TuneRequest request;
  request.manifest = std::filesystem::path(TEMPLATES) / "vector_add";
  request.device = "host";
  request.strategy = "random";
  request.budget.trials = 3;
  request.evaluator.policy.max_samples = 7;
  warptune::db::Store store = warptune::db::Store::open("consumer.db", warptune::db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  warptune::Tuning tuning(request, store, stop, nullptr);
  tuning.session().run();
  const auto& result = tuning.session().result();
  if (!result.best) return 1;
  std::printf("%s\n", tuning.space().key(result.trials[*result.best].configuration).c_str());
}
