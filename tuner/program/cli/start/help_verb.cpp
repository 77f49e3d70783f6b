// Implements `warptune help`, which explains a verb, or lists them all.
#include "tuner/device/backends/host/compile/limits_page.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/start/guide.h"

namespace warptune::tuner::cli {

void add_help(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("help", "Explain a verb, or list them all");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("verb", *words, "a verb, a verb of a verb (cache stats), or host: what the host backend lacks");
  auto as_data = std::make_shared<bool>(false);
  verb->add_flag("--json", *as_data, "print verbs, options and exit codes as one JSON document");
  verb->group(verbs::program);
  add_examples(*verb, {{"what `tune` can do", "warptune help tune"},
                       {"what a kernel cannot use on the CPU", "warptune help host"},
                       {"the whole command line, for a program", "warptune help --json"}});
  verb->callback([words, as_data, &program] {
    if (*as_data) return write_output("", guide(program, find_verb(program, *words)).dump() + '\n');
    if (*words == std::vector<std::string>{"host"}) return write_output("", std::string(host::limits_page()));
    const CLI::App& asked = find_verb(program, *words);
    std::string name = program.get_name();
    for (const std::string& word : *words) name += ' ' + word;
    write_output("", HelpFormatter().make_help(&asked, name, CLI::AppFormatMode::Normal));
  });
}

}  // namespace warptune::tuner::cli
