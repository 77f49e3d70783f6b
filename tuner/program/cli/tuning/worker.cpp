// Implements the hidden verbs `warptune worker` and `keep-settings`, which sessions of this program start.
#include "tuner/measure/workers/process.h"
#include "tuner/measure/workers/settings_keeper.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

void add_worker(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("worker", "Serve a session of this program (it starts its workers itself)");
  verb->group("");  // not listed
  auto numbers = std::make_shared<std::vector<std::string>>();
  verb->add_option("numbers", *numbers)->expected(3);
  verb->callback([numbers, &context] { context.exit_code = workers::worker_main(*numbers); });

  CLI::App* keeper = program.add_subcommand("keep-settings", "Hold a device's clock and power cap for a session");
  keeper->group("");
  auto words = std::make_shared<std::vector<std::string>>();
  keeper->add_option("words", *words)->expected(4, 1000);
  keeper->callback([words, &context] { context.exit_code = workers::keep_settings(*words); });
}

}  // namespace warptune::tuner::cli
