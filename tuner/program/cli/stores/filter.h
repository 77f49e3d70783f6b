// Reads the options by which verbs choose sessions and winners. Where nothing is found, it says what a mistyped name of
// a kernel, a size or a variant probably meant.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "db/records.h"
#include "db/store_set.h"
#include "tuner/program/cli/grammar/context.h"

namespace CLI {
class Option;
}  // namespace CLI

namespace warptune::tuner::cli {

// Filter options are those by which `best`, `history` and `export` choose sessions. They are read into a filter once
// the line is parsed.
struct FilterOptions {
  db::HistoryFilter filter;
  std::string kernel_path;  // set if the kernel was named by its path
  std::string size;
  std::vector<std::string> variants;
  std::string outcome;
  std::string state;
  std::string sort = "newest";

  // Returns the filter. A path leaves out the sessions of other templates of that name (leave_out_others). Throws
  // RequestError or std::invalid_argument for a size, variant or name that cannot be read.
  db::HistoryFilter resolved(const db::StoreSet& stores) const;
  // Returns the filter without a look at the stores. A path then says no more than the kernel's name.
  db::HistoryFilter parsed() const;
};

// Leaves out sessions of the filter's kernel that are not of the template at `path`, with a line on stderr: those whose
// manifest lies somewhere else, with other content. A session whose manifest is gone stays, since it may be of a folder
// that was moved.
void leave_out_others(db::HistoryFilter& filter, const std::string& path, const db::StoreSet& stores);

// Returns " (did you mean gemm?)" for a kernel of which the stores have no session; empty if none has a name like it.
std::string did_you_mean_kernel(const std::string& kernel, const db::StoreSet& stores);

// Returns what `best`, `check`, `export` and `revalidate` say where the filter chooses no winner.
std::string no_winner_matches(const db::HistoryFilter& filter, const db::StoreSet& stores);

// Adds --device, --backend, --size, --variant, --driver and --name, by which winners are chosen.
void add_choice_options(CLI::App& verb, FilterOptions& options);
// Returns whether the argument is a path to a folder, manifest or source, and no name.
bool is_template_path(const std::string& given);
// Returns what the store calls the kernel that `tune` finds at a path. Anything else is a name, and is returned.
std::string stored_kernel_name(const std::string& given);
// Adds the verb's first argument, which is the kernel whose sessions are meant: its name, or a path to its folder,
// manifest or source, as `tune` takes it. A path is also where the template lies (`kernel_template`), with which
// winners are compared.
CLI::Option* add_kernel_argument(CLI::App& verb, FilterOptions& options, std::string* kernel_template = nullptr,
                                 const std::string& about = "a kernel template, by name or path; default: all");
// Adds --since, --until, --search, --outcome and --state.
void add_period_options(CLI::App& verb, FilterOptions& options);
// Adds the options of add_period_options, and --sort, --limit and --offset, which cut lists.
void add_list_options(CLI::App& verb, FilterOptions& options);

// Known problems are the names and values of the problems that a store or a file of wisdom knows of a kernel.
struct KnownProblems {
  std::string kernel;  // empty: several
  std::set<std::string> sizes = {};
  std::map<std::string, std::set<std::string>> variants = {};  // with the values that they have, as text

  void add(const search::NamedValues& of_sizes, const search::NamedValues& of_variants);
};

// Returns ": gemm has no size SIEZ (did you mean SIZE?)", to be appended to the words that nothing was found, for the
// first name or value of the filter's problem that is not known; empty if all are.
std::string unknown_in(const db::HistoryFilter& filter, const KnownProblems& known);

// Does the same with what the stores hold. For a kernel without a session, it returns the nearest: " (did you mean
// gemm?)".
std::string unknown_in(const db::HistoryFilter& filter, const db::StoreSet& stores);

}  // namespace warptune::tuner::cli
