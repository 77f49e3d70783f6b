// Declares the entry of every strategy in the registry, with the source that the strategy is from. Each strategy is a
// .cpp file of its own. Rejected: a header for each, which declared one function.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the default strategy: a Gaussian process, relieved by local search when the model finds nothing or has become
// expensive.
StrategyEntry automatic_strategy();

// Returns the strategy that draws uniformly from the valid configurations, without repeats. It is the yardstick of
// every other strategy.
StrategyEntry random_strategy();

// Returns the strategy that tries a sample that covers the values of every parameter evenly (Latin-hypercube-like;
// McKay et al. 1979), then uniform samples.
StrategyEntry spread_strategy();

// Returns the strategy that tries every valid configuration once, in the space's order. Small spaces and recordings
// want this ("brute force").
StrategyEntry exhaustive_strategy();

// Returns hill climbing with random restarts (Russell and Norvig, "Artificial Intelligence", chapter 4). It moves to
// the first or the best better neighbour until there is none, then begins again from a uniform sample.
StrategyEntry hill_climbing_strategy();

// Returns multi-start local search after clustering methods (Rinnooy Kan and Timmer 1987). It takes a spread sample,
// then descends from its best member, the second best, and so on; then from uniform samples.
StrategyEntry multi_start_strategy();

// Returns iterated local search (Lourenço, Martin, Stützle 2003), which is a first-improvement descent over Hamming
// neighbours in random order. From a local optimum it jumps a few parameters away from the best, or now and then to a
// uniform sample.
StrategyEntry local_search_strategy();

// Returns basin hopping (Wales and Doye 1997), which is a random walk over local optima. Each jump is accepted by the
// Metropolis rule.
StrategyEntry basin_hopping_strategy();

// Returns tabu search (Glover 1989). It moves to the best of a few neighbours, even a worse one, and never back to
// recent places, except to the best of all.
StrategyEntry tabu_strategy();

// Returns simulated annealing (Kirkpatrick et al. 1983) over relative differences, so that one temperature suits every
// kernel. It is reheated from the best when it has frozen.
StrategyEntry annealing_strategy();

// Returns a steady-state genetic algorithm (Whitley 1989). It has tournaments, uniform crossover and mutation, and the
// child takes the place of the worst if it is better.
StrategyEntry genetic_strategy();

// Returns differential evolution (Storn and Price 1997), current-to-best/1/bin, on positions among values, without
// generations.
StrategyEntry differential_evolution_strategy();

// Returns particle swarm optimisation (Kennedy and Eberhart 1995) with constriction (Clerc and Kennedy 2002), on
// positions among values, without generations.
StrategyEntry particle_swarm_strategy();

// Returns the firefly algorithm (Yang 2009): each flies towards a better one, the nearer the stronger, with a random
// part.
StrategyEntry firefly_strategy();

// Returns estimation of distribution (univariate: Mühlenbein and Paaß 1996; incremental: Baluja 1994). Values that are
// frequent among the best configurations are drawn more often, values that are frequent among failures less.
StrategyEntry distribution_strategy();

// Returns a bandit over other strategies (Ansel et al. 2014, OpenTuner). Each is credited with the area under the curve
// of its recent new bests, plus a bonus for being tried rarely. The strategy with the best credit is asked next, and
// all learn from every result.
StrategyEntry bandit_strategy();

// Returns Bayesian optimisation with a Gaussian process.
StrategyEntry gaussian_process_strategy();

// Returns sequential model-based search with a random forest (Hutter, Hoos and Leyton-Brown 2011).
StrategyEntry random_forest_strategy();

// Returns sequential model-based search with Parzen estimators of the good and the bad (Bergstra et al. 2011).
StrategyEntry parzen_strategy();

// Returns the strategy that tries again what earlier sessions tried.
StrategyEntry repeat_strategy();

}  // namespace warptune::search
