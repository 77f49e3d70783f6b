#pragma once

#include "tuner/cli/context.h"

namespace warptune::tuner::cli {

// Each adds one verb to the program; its callback sets `context.exit_code`.
void add_tune(CLI::App& program, Context& context);
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
void add_diff(CLI::App& program, Context& context);
void add_check(CLI::App& program, Context& context);
void add_revalidate(CLI::App& program, Context& context);
void add_select(CLI::App& program, Context& context);
void add_compare(CLI::App& program, Context& context);
void add_cache(CLI::App& program, Context& context);
void add_run(CLI::App& program, Context& context);
void add_worker(CLI::App& program, Context& context);

}  // namespace warptune::tuner::cli
