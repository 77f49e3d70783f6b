// Registers the verbs, in the order in which help lists them.
#include "tuner/program/cli/grammar/verbs.h"

#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/start/version.h"

namespace warptune::tuner::cli {

namespace {

void show_help_last(CLI::App& verb) {
  verb.get_help_ptr()->group(group::output);
  for (CLI::App* one : verb.get_subcommands([](const CLI::App*) { return true; })) show_help_last(*one);
}

// Makes flags refuse values. CLI11 would take "--keep-going=2" for "--keep-going" alone.
void refuse_values_of_flags(CLI::App& verb) {
  for (CLI::Option* option :
       verb.get_options([](const CLI::Option* one) { return one->nonpositional() && one->get_expected_max() == 0; }))
    option->disable_flag_override();
  for (CLI::App* below : verb.get_subcommands([](const CLI::App*) { return true; })) refuse_values_of_flags(*below);
}

// Returns whether an empty value of the option is a choice of its own. An empty name or note means none, and an empty
// --cache-url means no shared cache. Hidden verbs may have empty values, since the program itself calls them.
bool may_be_empty(const CLI::App& verb, const CLI::Option& option) {
  if (verb.get_group().empty() || option.get_name() == "--cache-url") return true;
  const bool label = verb.get_name() == "name" || verb.get_name() == "note";
  return label && option.get_positional() && option.get_name() != "session";
}

// Makes options refuse empty values. A script may fill an option from a variable that is not set, and "" would silently
// be the default, or everything, or every network address. This check runs before all others of the option.
void refuse_empty_values(CLI::App& verb) {
  const CLI::Validator not_empty(
      [](const std::string& value) { return value.empty() ? std::string(no_value) : std::string(); }, "");
  for (CLI::Option* option : verb.get_options([](const CLI::Option* one) { return one->get_expected_min() > 0; }))
    if (!may_be_empty(verb, *option)) option->transform(not_empty);
  for (CLI::App* below : verb.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_values(*below);
}

}  // namespace

void add_verbs(CLI::App& program, Context& context) {
  program.name("warptune");
  program.description(
      "Tunes GPU kernel parameters: compiles, verifies and measures configurations, and keeps the best");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_help_flag("-h,--help", "show this help and exit");
  program.set_version_flag("--version", version_text, "show the version and the compilers found, and exit");
  program.require_subcommand(0, 1);  // 0: the message of an error then names the word in the verb's place
  add_templates(program, context);
  add_init(program, context);
  add_devices(program, context);
  add_doctor(program, context);
  add_roofs(program, context);
  add_tune(program, context);
  add_run(program, context);
  add_judge(program, context);
  add_submit(program, context);
  add_work(program, context);
  add_agent(program, context);
  add_queue(program, context);
  add_cancel(program, context);
  add_wait(program, context);
  add_quota(program, context);
  add_space(program, context);
  add_strategies(program, context);
  add_compare(program, context);
  add_best(program, context);
  add_history(program, context);
  add_show(program, context);
  add_explain(program, context);
  add_serve(program, context);
  add_report(program, context);
  add_plot(program, context);
  add_diff(program, context);
  add_select(program, context);
  add_export(program, context);
  add_check(program, context);
  add_revalidate(program, context);
  add_import(program, context);
  add_merge(program, context);
  add_gc(program, context);
  add_grant(program, context);
  add_cache(program, context);
  add_help(program);
  add_completions(program);
  add_man(program);
  add_parse(program);
  add_worker(program, context);
  // The footer is set after the verbs are added, because they would inherit it.
  program.footer(
      "`warptune help VERB` explains a verb, with examples.\n\n"
      "Exit codes: 0 success, 1 internal error, 2 usage, 3 template or request,\n"
      "4 no device, 5 store, 6 nothing correct, 7 device lost, 8 regression,\n"
      "9 not current, 10 check failed, 11 work not done, 12 slower machine,\n"
      "130 interrupted.");
  refuse_values_of_flags(program);
  refuse_empty_values(program);
  show_help_last(program);
  program.get_version_ptr()->group(group::output);
}

}  // namespace warptune::tuner::cli
