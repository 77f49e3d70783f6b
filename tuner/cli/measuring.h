#pragma once

#include "tuner/cli/context.h"
#include "tuner/measure/device_evaluator.h"

namespace warptune::cli {

// The options of verbs that compile and measure: --compile-jobs, --compile-timeout.
void add_compile_options(CLI::App& verb, EvaluatorOptions& options);

// With the folders and the compiler that the environment names.
EvaluatorOptions with_environment(EvaluatorOptions options);

}  // namespace warptune::cli
