// Implements `warptune report`, which writes sessions of the store as a page that needs nothing but a browser, and
// `warptune plot`, which draws a session in the terminal.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/charts.h"
#include "tuner/results/report/plot/plots.h"

namespace warptune::tuner::cli {

namespace {

struct ReportArguments {
  std::vector<std::string> sessions;
  std::string output = "report.html";
  bool without_charts = false;
};

std::string title_of(const std::vector<PageSession>& sessions) {
  const db::SessionKey& key = sessions.front().session.key;
  if (sessions.size() == 1)
    return fmt::format("{} {} on {} - Warptune", key.kernel, search::to_text(key.problem()), key.device.name);
  return fmt::format("{}, {} sessions - Warptune", key.kernel, sessions.size());
}

std::vector<PageSession> load_all(const std::vector<std::string>& references, const db::StoreSet& stores) {
  std::vector<PageSession> sessions;
  for (const std::string& reference : references) {
    PageSession session = load_page_session(reference, stores);
    const bool twice =
        std::ranges::any_of(sessions, [&](const PageSession& other) { return other.reference == session.reference; });
    if (twice) continue;
    explain_page(session);
    sessions.push_back(std::move(session));
  }
  return sessions;
}

void say_written(const std::string& file, std::size_t bytes, std::size_t sessions) {
  if (file == "-") return;
  say(fmt::format("wrote {}: {} session{}, {:.1f} MB; open it in a browser", file, sessions, sessions == 1 ? "" : "s",
                  static_cast<double>(bytes) / 1e6));
}

void run_report(const ReportArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  const std::vector<std::string> newest{""};
  const std::vector<PageSession> sessions = load_all(options.sessions.empty() ? newest : options.sessions, stores);
  PageOptions page;
  page.title = title_of(sessions);
  if (!options.without_charts) page.charts = chart_library();
  const std::string html = page_html(page_data_text(sessions), page);
  write_output(options.output, html);
  say_written(options.output, html.size(), sessions.size());
}

}  // namespace

void add_report(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("report", "Write sessions as a page with charts, one file for a browser");
  auto options = std::make_shared<ReportArguments>();
  verb->add_option("sessions", options->sessions,
                   "numbers or names of sessions (STORE:NUMBER in another store), or kernels for their latest "
                   "sessions; default: the latest")
      ->type_name("SESSION");
  verb->option_defaults()->group(group::output);
  verb->add_option("--output,-o", options->output, "the page; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_flag("--without-charts", options->without_charts, "tables only: a file of a hundredth of the size");
  add_database_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the session that was tuned last", "warptune report"},
                       {"two GPUs side by side", "warptune report 3 7 -o h100_h200.html"}});
  verb->callback([options, &context] { run_report(*options, context); });
}

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
