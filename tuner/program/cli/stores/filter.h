#pragma once

#include <memory>
#include <string>

#include "db/records.h"
#include "db/store_set.h"
#include "tuner/program/cli/grammar/context.h"

namespace warptune::tuner::cli {

// The options by which `best`, `history` and `export` choose sessions; read into a filter once the line is parsed.
struct FilterOptions {
  db::HistoryFilter filter;
  std::string kernel_path;  // if the kernel was named by its path
  std::string size;
  std::vector<std::string> variants;
  std::string outcome;
  std::string state;
  std::string sort = "newest";

  // A path leaves out the sessions of other templates of that name (leave_out_others). Throws RequestError or
  // std::invalid_argument for a size, variant or name that cannot be read.
  db::HistoryFilter resolved(const db::StoreSet& stores) const;
  // The same without a store: a path says no more than the kernel's name.
  db::HistoryFilter parsed() const;
};

// Of the filter's kernel, leaves out sessions that are not of the template at `path`, with a line on stderr: those
// whose manifest lies somewhere else, with other content. One whose manifest is gone may be of a folder that was moved.
void leave_out_others(db::HistoryFilter& filter, const std::string& path, const db::StoreSet& stores);

// " (did you mean gemm?)" for a kernel of which the stores have no session; empty if none has a name like it.
std::string did_you_mean_kernel(const std::string& kernel, const db::StoreSet& stores);

// What `best`, `check`, `export` and `revalidate` say where the filter chooses no winner.
std::string no_winner_matches(const db::HistoryFilter& filter, const db::StoreSet& stores);

// --device, --backend, --size, --variant, --driver: what winners are chosen by.
void add_choice_options(CLI::App& verb, FilterOptions& options);
// Whether the argument is a path to a folder, manifest or source, and no name.
bool is_template_path(const std::string& given);
// What the store calls the kernel that `tune` finds at a path; anything else is a name.
std::string stored_kernel_name(const std::string& given);
// The kernel whose sessions are meant, as the verb's first argument: its name, or a path to its folder, manifest or
// source, as `tune` takes it.
// A path is also where the template lies (`kernel_template`), with which winners are compared.
CLI::Option* add_kernel_argument(CLI::App& verb, FilterOptions& options, std::string* kernel_template = nullptr,
                                 const std::string& about = "a kernel template, by name or path; default: all");
// --since, --until, --outcome, --state.
void add_period_options(CLI::App& verb, FilterOptions& options);
// And --since, --until, --outcome, --state, --sort, --limit, --offset: what lists are cut by.
void add_list_options(CLI::App& verb, FilterOptions& options);

}  // namespace warptune::tuner::cli
