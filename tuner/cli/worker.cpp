#include "tuner/workers/worker.h"

#include "tuner/cli/verbs.h"

namespace warptune::tuner::cli {

void add_worker(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("worker", "Serve a session of this program (it starts its workers itself)");
  verb->group("");  // not listed
  auto numbers = std::make_shared<std::vector<std::string>>();
  verb->add_option("numbers", *numbers)->expected(3);
  verb->callback([numbers, &context] { context.exit_code = workers::worker_main(*numbers); });
}

}  // namespace warptune::tuner::cli
