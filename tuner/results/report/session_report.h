// Reports what a tuning session found, for people and for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/space/search_space.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/table.h"
#include "tuner/session/session.h"

namespace warptune::tuner {

// Returns the best `count` correct trials, the winner first: rank, time, metrics, uncertainty, configuration. Where
// there were finals, finalists stand first, as those ranked them. The time and its uncertainty are then the finals',
// and given for finalists only; what the search measured has a column of its own.
Table top_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                std::size_t count);

// Returns the same of a Pareto front, by the first objective.
Table front_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel);

// Returns what a session found, for programs: the Pareto front of several objectives, else the best five.
Table result_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel);

// Returns a text such as "9 candidates, 7 rounds; the next of them is 1.8 % ± 0.6 % slower"; it is empty without
// finals.
std::string finals_text(const SessionResult& result);

// Returns how often each way of failing occurred, with one message as an example.
Table failure_table(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel);

// Returns how a run went, for programs: its trials, those resumed, its times and why it ended.
Json json_of(const SessionResult& result);

// Returns the end of a tuning session for people: winner, speed-up over the default, the best five, what failed and
// why, in lines of `width` characters (0: as they come). Of a configuration it names what differs from the default.
// `standing` has names and sentences that follow the winner's figures (launch_view.h).
std::string session_report(const SessionResult& result, const search::SearchSpace& space, const KernelTemplate& kernel,
                           std::size_t width = 0,
                           const std::vector<std::pair<std::string, std::string>>& standing = {});

// Returns a time with its metrics in a line: "0.812 ms, 169.3 GFLOP/s".
std::string figures(double time_ms, const std::map<std::string, double>& metrics, const KernelTemplate& kernel);
// Returns the figures of one trial as the search measured it.
std::string figures(const search::Trial& trial, const KernelTemplate& kernel);

}  // namespace warptune::tuner
