// Adds options of verbs that compile and measure, and makes requests to measure again.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/check/today.h"
#include "tuner/session/request.h"

namespace warptune::tuner::cli {

void add_compile_jobs_option(CLI::App& verb, EvaluatorOptions& options);
// Adds the options of verbs that compile and measure: --compile-jobs, --compile-timeout.
void add_compile_options(CLI::App& verb, EvaluatorOptions& options);

// Adds -I to a verb that compiles. A folder that is not there is refused before anything is done: compilers ignore it,
// and the header that they do not find is then named instead of the folder that was mistyped.
void add_include_option(CLI::App& verb, std::vector<std::filesystem::path>& folders, const std::string& description);

// Adds the options that say how launches are made while they are measured, and what the GPU is set to meanwhile.
void add_deployment_options(CLI::App& verb, std::string& as, MeasurePolicy& policy);

// Returns the options with the folders and the compiler that the environment names.
EvaluatorOptions with_environment(EvaluatorOptions options);

// Returns a request to measure a session's problem again, by workers and under its own policy. Its template, device and
// capture are where `standing` has found them.
TuneRequest request_again(const db::SessionRecord& session, const Standing& standing, EvaluatorOptions evaluator);

}  // namespace warptune::tuner::cli
