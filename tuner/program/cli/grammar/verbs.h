// Declares the functions that add verbs to the program.
#pragma once

#include <CLI/CLI.hpp>

#include "tuner/program/cli/grammar/context.h"

namespace warptune::tuner::cli {

// Adds all verbs to the program; verbs.cpp has the only list of them.
void add_verbs(CLI::App& program, Context& context);

// Each adds one verb to the program; its callback sets `context.exit_code`.
void add_tune(CLI::App& program, Context& context);
void add_submit(CLI::App& program, Context& context);
void add_work(CLI::App& program, Context& context);
void add_agent(CLI::App& program, Context& context);
void add_queue(CLI::App& program, Context& context);
void add_cancel(CLI::App& program, Context& context);
void add_wait(CLI::App& program, Context& context);
void add_quota(CLI::App& program, Context& context);
void add_init(CLI::App& program, Context& context);
void add_doctor(CLI::App& program, Context& context);
void add_devices(CLI::App& program, Context& context);
void add_space(CLI::App& program, Context& context);
void add_strategies(CLI::App& program, Context& context);
void add_best(CLI::App& program, Context& context);
void add_history(CLI::App& program, Context& context);
void add_show(CLI::App& program, Context& context);
void add_export(CLI::App& program, Context& context);
void add_import(CLI::App& program, Context& context);
void add_merge(CLI::App& program, Context& context);
void add_gc(CLI::App& program, Context& context);
void add_grant(CLI::App& program, Context& context);
void add_serve(CLI::App& program, Context& context);
void add_report(CLI::App& program, Context& context);
void add_plot(CLI::App& program, Context& context);
void add_diff(CLI::App& program, Context& context);
void add_explain(CLI::App& program, Context& context);
void add_roofs(CLI::App& program, Context& context);
void add_check(CLI::App& program, Context& context);
void add_revalidate(CLI::App& program, Context& context);
void add_select(CLI::App& program, Context& context);
void add_compare(CLI::App& program, Context& context);
void add_cache(CLI::App& program, Context& context);
void add_run(CLI::App& program, Context& context);
void add_judge(CLI::App& program, Context& context);
void add_templates(CLI::App& program, Context& context);
void add_help(CLI::App& program);
void add_completions(CLI::App& program);
void add_man(CLI::App& program);
void add_parse(CLI::App& program);
void add_worker(CLI::App& program, Context& context);

}  // namespace warptune::tuner::cli
