// Implements `warptune doctor`, which checks whether this machine can tune, and says what to fix.
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tuner/measure/cache/cache_options.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/start/version.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/program/doctor/diagnosis.h"
#include "tuner/program/doctor/render.h"
#include "tuner/results/report/text/document.h"

namespace warptune::tuner::cli {

namespace {

// Sets `found` to the place that `find` finds, or `why_not` to why there is none.
template <class Place, class Find>
void place(Place& found, std::string& why_not, Find find) {
  try {
    found = find();
  } catch (const std::invalid_argument& error) {
    why_not = error.what();
  }
}

doctor::Surroundings surroundings(const Context& context) {
  doctor::Surroundings around;
  around.backends = backend_options();
  if (const char* home = std::getenv("HOME")) around.home = home;
  if (const char* temporary = std::getenv("TMPDIR")) around.temporary = temporary;
  place(around.store, around.no_store,
        [&] { return context.databases.empty() ? default_database() : context.databases.front(); });
  place(around.cache, around.no_cache, default_cache_folder);
  around.cache_limit_bytes = CacheOptions().limit_bytes;
  place(around.shared_cache, around.no_shared_cache, [] { return shared_cache(); });
  around.templates = template_search_path();
  return around;
}

doctor::Page page_of_terminal() {
  doctor::Page page{.columns = help_width()};
  page.colour = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  return page;
}

Json diagnosis_json(const doctor::Diagnosis& diagnosis) {
  Json json = document("doctor", "findings", doctor::table_of(diagnosis));
  json["version"] = version_line();
  json["usable"] = diagnosis.usable;
  json["errors"] = diagnosis.count(Health::error);
  json["warnings"] = diagnosis.count(Health::warning);
  return json;
}

void examine(Context& context) {
  const doctor::Diagnosis diagnosis = doctor::diagnose(surroundings(context));
  switch (context.output_format()) {
    case Format::json:
      write_output("", text_of(diagnosis_json(diagnosis)));
      break;
    case Format::csv:
      write_output("", doctor::table_of(diagnosis).render(Format::csv));
      break;
    case Format::table:
      write_coloured(version_line() + "\n" + doctor::render(diagnosis, page_of_terminal()));
      say(doctor::conclusion(diagnosis));
  }
  if (diagnosis.usable.empty())
    context.exit_code = no_device;
  else if (!diagnosis.machine_is_fit())
    context.exit_code = store_error;
}

}  // namespace

void add_doctor(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("doctor", "Check whether this machine can tune, and say what to fix");
  add_format_option(*verb, context);
  add_database_option(*verb, context);
  verb->group(verbs::start);
  add_examples(*verb, {{"what there is, and what is missing", "warptune doctor"},
                       {"for a script", "warptune doctor --format json"}});
  verb->callback([&context] { examine(context); });
}

}  // namespace warptune::tuner::cli
