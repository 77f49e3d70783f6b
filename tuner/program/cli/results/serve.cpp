// Implements `warptune serve`, which shows the store in a browser.
#include <chrono>
#include <thread>

#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/page_server.h"

namespace warptune::tuner::cli {

namespace {

void run_serve(const Endpoint& endpoint, const Context& context) {
  if (context.has_store()) context.open_stores();  // what cannot be read is told now, and not by the first page
  const Interrupt interrupt;
  PageServer server(endpoint, context);
  write_output("", server.address() + '\n');
  say("open this address in a browser; Ctrl-C ends the server");
  while (!interrupt.flag().load()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

void add_serve(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("serve", "Show the store in a browser: sessions, winners, checks, reports");
  auto endpoint = std::make_shared<Endpoint>();
  verb->option_defaults()->group(group::output);
  verb->add_option("--port", endpoint->port, "the port; 0: a free one")->check(whole(0, 65535))->capture_default_str();
  verb->add_option("--host", endpoint->host, "the address to listen on; 0.0.0.0: all of this machine's")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_database_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the store in a browser of this machine", "warptune serve"},
                       {"on a server that others reach", "warptune serve --host 0.0.0.0 --port 8000"}});
  verb->callback([endpoint, &context] { run_serve(*endpoint, context); });
}

}  // namespace warptune::tuner::cli
