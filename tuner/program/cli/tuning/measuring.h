#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/check/today.h"
#include "tuner/session/request.h"

namespace warptune::tuner::cli {

void add_compile_jobs_option(CLI::App& verb, EvaluatorOptions& options);
// The options of verbs that compile and measure: --compile-jobs, --compile-timeout.
void add_compile_options(CLI::App& verb, EvaluatorOptions& options);

// -I, of verbs that compile. A folder that is not there is refused before anything is done: compilers ignore it, and
// the header that they do not find is then named instead of the folder that was mistyped.
void add_include_option(CLI::App& verb, std::vector<std::filesystem::path>& folders, const std::string& description);

// How launches are made while they are measured, and what the GPU is set to meanwhile.
void add_deployment_options(CLI::App& verb, std::string& as, MeasurePolicy& policy);

// With the folders and the compiler that the environment names.
EvaluatorOptions with_environment(EvaluatorOptions options);

// A session's problem, to be measured again by workers under its own policy, where it stands today.
TuneRequest request_again(const db::SessionRecord& session, const Standing& standing, EvaluatorOptions evaluator);

}  // namespace warptune::tuner::cli
