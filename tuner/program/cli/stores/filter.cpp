// Makes the store's filters from options, compares the templates of sessions with the one that is meant, and a filter's
// names and values with those that are known.
#include "tuner/program/cli/stores/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "search/spelling.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/manifest/manifest_content.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/dates.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

const std::map<std::string, db::HistorySort> sorts = {
    {"newest", db::HistorySort::newest}, {"oldest", db::HistorySort::oldest}, {"updated", db::HistorySort::updated},
    {"kernel", db::HistorySort::kernel}, {"device", db::HistorySort::device}, {"driver", db::HistorySort::driver},
    {"size", db::HistorySort::size},     {"state", db::HistorySort::state},   {"trials", db::HistorySort::trials}};

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const db::SessionState state : db::all_session_states) names.emplace_back(to_string(state));
  return names;
}

std::vector<std::string> outcome_names() {
  std::vector<std::string> names;
  for (const search::Outcome outcome : search::all_outcomes()) names.emplace_back(to_string(outcome));
  return names;
}

std::vector<std::string> sort_names() {
  std::vector<std::string> names;
  for (const auto& [name, sort] : sorts) names.push_back(name);
  return names;
}

// Returns the texts that decide what a search measures; empty if the template cannot be read.
std::string content_of(const fs::path& manifest) {
  try {
    const KernelTemplate kernel = load_template(manifest);
    return measured_content(kernel.manifest) + read_file(kernel.source).value_or("") +
           read_file(kernel.reference.source).value_or("");
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

bool is_template_path(const std::string& given) {
  if (given.empty()) return false;  // an empty argument means all kernels, and not this folder
  return is_file(given) || is_file(fs::path(given) / "template.toml");
}

void leave_out_others(db::HistoryFilter& filter, const std::string& path, const db::StoreSet& stores) {
  const fs::path own = fs::weakly_canonical(find_template(path));
  const std::string content = content_of(own);
  std::set<std::string> there;
  db::HistoryFilter all;
  all.kernel = filter.kernel;
  for (const auto& [session, store] : stores.history(all)) there.insert(session.manifest);
  for (const std::string& manifest : there) {
    if (!is_file(manifest) || fs::weakly_canonical(manifest) == own) continue;
    if (content_of(manifest) == content) continue;
    filter.other_manifests.push_back(manifest);
    say(fmt::format("left out: sessions of another {}, {}", filter.kernel, manifest));
  }
}

std::string stored_kernel_name(const std::string& given) {
  return is_template_path(given) ? load_template(find_template(given)).name : given;
}

std::string did_you_mean_kernel(const std::string& kernel, const db::StoreSet& stores) {
  if (kernel.empty()) return {};
  std::set<std::string> kernels;
  for (const auto& [session, store] : stores.history({})) kernels.insert(session.key.kernel);
  return kernels.contains(kernel) ? "" : search::did_you_mean(kernel, {kernels.begin(), kernels.end()});
}

std::string no_winner_matches(const db::HistoryFilter& filter, const db::StoreSet& stores) {
  for (const auto& [session, store] : stores.history(filter)) {
    if (session.state == db::SessionState::finished || session.correct_trials == 0) continue;
    if (stores.store(store).winner(session.id)) continue;
    const bool one = session.correct_trials == 1;
    return fmt::format(
        "no winner matches; session {} ({}) did not end: its {} correct trial{} kept, and the same `warptune tune` "
        "goes "
        "on with {}",
        session.id, session.key.kernel, session.correct_trials, one ? " is" : "s are", one ? "it" : "them");
  }
  return "no winner matches" + unknown_in(filter, stores) + "; `warptune history` lists the sessions there are";
}

db::HistoryFilter FilterOptions::resolved(const db::StoreSet& stores) const {
  db::HistoryFilter result = parsed();
  if (!kernel_path.empty()) leave_out_others(result, kernel_path, stores);
  return result;
}

db::HistoryFilter FilterOptions::parsed() const {
  db::HistoryFilter result = filter;
  result.problem_size = parse_sizes(size);
  result.variants = parse_variants(text_of_variants(variants));
  // "host" is what `tune --device host` calls the processor, which the store knows by its own name.
  if (result.device == "host" && result.backend.empty()) {
    result.backend = "host";
    result.device.clear();
  }
  result.outcome = search::outcome_from_string(outcome);
  result.state = db::session_state_from_string(state);
  result.sort = sorts.at(sort);
  const TimePoint now = std::chrono::system_clock::now();
  result.since = since_text(filter.since, now);
  result.until = until_text(filter.until, now);
  return result;
}

void add_choice_options(CLI::App& verb, FilterOptions& options) {
  verb.option_defaults()->group(group::sessions);
  verb.add_option("--device", options.filter.device,
                  "the device's name or a part of it, in any case; its UUID; or host")
      ->type_name("NAME");
  verb.add_option("--backend", options.filter.backend, "cuda, host …")->type_name("NAME");
  verb.add_option("--driver", options.filter.driver, "a driver version")->type_name("VERSION");
  verb.add_option("--size", options.size, "of these problem sizes, as M=1024,N=4k")->type_name("SIZES");
  add_variant_option(verb, options.variants);
  verb.add_option("--name", options.filter.name, "with this name (`tune --name`, `history name`)")->type_name("TEXT");
}

CLI::Option* add_kernel_argument(CLI::App& verb, FilterOptions& options, std::string* kernel_template,
                                 const std::string& about) {
  const auto assign = [&options, kernel_template](const std::string& given) {
    options.filter.kernel = stored_kernel_name(given);
    if (!is_template_path(given)) return;
    options.kernel_path = given;
    if (kernel_template && kernel_template->empty()) *kernel_template = given;
  };
  return verb.add_option_function<std::string>("kernel", assign, about)->type_name("KERNEL");
}

void add_period_options(CLI::App& verb, FilterOptions& options) {
  const auto date = [](const std::string& text) {
    try {
      parse_date(text, std::chrono::system_clock::now());
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  verb.option_defaults()->group(group::sessions);
  verb.add_option("--since", options.filter.since, "on or after this date: 30d, yesterday, last month, 2026-11-22")
      ->check(date)
      ->type_name("DATE");
  verb.add_option("--until", options.filter.until, "on or before this date; days and months count whole")
      ->check(date)
      ->type_name("DATE");
  verb.add_option("--search", options.filter.text, "part of the name, the note, the kernel or the device")
      ->type_name("TEXT");
  verb.add_option("--outcome", options.outcome, "with a trial of this outcome")->check(one_of(outcome_names()));
  verb.add_option("--state", options.state, "in this state")->check(one_of(state_names()));
}

void add_list_options(CLI::App& verb, FilterOptions& options) {
  add_period_options(verb, options);
  verb.option_defaults()->group(group::list);
  verb.add_option("--sort", options.sort, "order of the rows")->check(one_of(sort_names()))->capture_default_str();
  verb.add_option("--limit", options.filter.limit, "maximum number of rows; 0: all")
      ->check(whole(0, most_rows))
      ->capture_default_str();
  verb.add_option("--offset", options.filter.offset, "rows skipped first")
      ->check(whole(0, most_rows))
      ->capture_default_str();
}

namespace {

std::vector<std::string> listed(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

// Returns " (did you mean M?)", else "; it has M, N".
std::string instead(const std::string& mistyped, const std::set<std::string>& known) {
  if (const std::string nearest = search::did_you_mean(mistyped, listed(known)); !nearest.empty()) return nearest;
  return known.empty() ? "" : fmt::format("; it has {}", fmt::join(known, ", "));
}

std::set<std::string> names_of(const std::map<std::string, std::set<std::string>>& variants) {
  std::set<std::string> names;
  for (const auto& [name, values] : variants) names.insert(name);
  return names;
}

std::string subject(const KnownProblems& known) {
  return known.kernel.empty() ? "no kernel has a" : known.kernel + " has no";
}

// A variant whose values are integers may be chosen as a size.
std::string unknown_size(const std::string& name, const KnownProblems& known) {
  if (known.sizes.contains(name) || known.variants.contains(name)) return {};
  return fmt::format(": {} size {}{}", subject(known), name, instead(name, known.sizes));
}

std::string unknown_variant(const std::string& name, const std::string& value, const KnownProblems& known) {
  const auto found = known.variants.find(name);
  if (found == known.variants.end() && known.sizes.contains(name)) return {};
  if (found == known.variants.end())
    return fmt::format(": {} variant {}{}", subject(known), name, instead(name, names_of(known.variants)));
  if (found->second.contains(value)) return {};
  return fmt::format(": {} {}={}{}", subject(known), name, value, instead(value, found->second));
}

}  // namespace

void KnownProblems::add(const search::NamedValues& of_sizes, const search::NamedValues& of_variants) {
  for (const auto& [name, value] : of_sizes) sizes.insert(name);
  for (const auto& [name, value] : of_variants) variants[name].insert(search::to_text(value));
}

std::string unknown_in(const db::HistoryFilter& filter, const KnownProblems& known) {
  for (const auto& [name, value] : filter.problem_size)
    if (std::string unknown = unknown_size(name, known); !unknown.empty()) return unknown;
  for (const auto& [name, value] : filter.variants)
    if (std::string unknown = unknown_variant(name, search::to_text(value), known); !unknown.empty()) return unknown;
  return {};
}

std::string unknown_in(const db::HistoryFilter& filter, const db::StoreSet& stores) {
  if (std::string kernel = did_you_mean_kernel(filter.kernel, stores); !kernel.empty()) return kernel;
  if (filter.problem_size.empty() && filter.variants.empty()) return {};
  KnownProblems known{filter.kernel};
  db::HistoryFilter of_kernel;
  of_kernel.kernel = filter.kernel;
  const auto sessions = stores.history(of_kernel);
  for (const auto& [session, store] : sessions) known.add(session.key.problem_size, session.key.variants);
  return sessions.empty() ? "" : unknown_in(filter, known);
}

}  // namespace warptune::tuner::cli
