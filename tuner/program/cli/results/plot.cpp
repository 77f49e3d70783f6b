// Implements `warptune plot`, which draws a session in the terminal.
#include <fmt/format.h>

#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/charts.h"
#include "tuner/results/report/plot/plots.h"

namespace warptune::tuner::cli {

namespace {

struct PlotArguments {
  std::string session;
  std::string what = "all";
  std::string across, down;
};

// Returns the two parameters of the heat map: as named, else those that tell most.
std::pair<std::string, std::string> chosen_pair(const PlotArguments& options, const PlottedSession& session) {
  std::string across = options.across, down = options.down;
  for (const std::string& name : telling_parameters(session)) {
    if (across.empty() && name != down) across = name;
    if (down.empty() && name != across) down = name;
  }
  return {across, down};
}

std::string drawn(const PlotArguments& options, const PlottedSession& session, const PlotStyle& style) {
  std::string text;
  const auto add = [&](const std::string& plot) { text += (text.empty() || plot.empty() ? "" : "\n") + plot; };
  const auto wanted = [&](const char* one) { return options.what == "all" || options.what == one; };
  if (wanted("convergence")) add(convergence_plot(session, style));
  if (wanted("histogram")) add(histogram_plot(session, style));
  const auto [across, down] = chosen_pair(options, session);
  if (wanted("heat-map") && !across.empty() && !down.empty()) add(heat_map_plot(session, across, down, style));
  return text;
}

void run_plot(const PlotArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  const PageSession page = load_page_session(options.session, context.open_stores());
  const PlottedSession session = plotted(page.session, page.trials);
  if (session.points.empty()) {
    say(fmt::format("session {} has no correct trial to draw; `warptune show {}` says what failed", page.reference,
                    page.reference));
    context.exit_code = nothing_correct;
    return;
  }
  constexpr std::size_t usual_width = 80, widest = 120;
  const std::size_t width = output_width();
  const std::string text = drawn(options, session, {width == 0 ? usual_width : std::min(width, widest), has_unicode()});
  if (text.empty()) say("there is nothing to draw: the session's configurations do not differ in this");
  write_output("", text);
}

}  // namespace

void add_plot(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "plot", "Plot a session in the terminal: convergence, times, a heat map of two parameters");
  auto options = std::make_shared<PlotArguments>();
  verb->add_option("session", options->session,
                   "a session's number or name (STORE:NUMBER in another store), or a kernel for its latest session; "
                   "default: the latest")
      ->type_name("SESSION");
  verb->add_option("--what", options->what, "which plot")
      ->check(one_of({"all", "convergence", "histogram", "heat-map"}))
      ->capture_default_str();
  verb->add_option("--across", options->across, "the heat map's horizontal parameter; default: an important one")
      ->type_name("PARAMETER");
  verb->add_option("--down", options->down, "the heat map's vertical parameter")->type_name("PARAMETER");
  add_database_option(*verb, context);
  verb->group(verbs::results);
  add_examples(
      *verb, {{"how the session that was tuned last went", "warptune plot"},
              {"two parameters against each other", "warptune plot 3 --what heat-map --across TILE_M --down TILE_N"}});
  verb->callback([options, &context] { run_plot(*options, context); });
}

}  // namespace warptune::tuner::cli
