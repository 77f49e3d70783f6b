// Search spaces: from text to a usable index, and what queries on it cost.
//
//   WARPTUNE_SPACES=folder space_bench [Google Benchmark's options]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "bench/space/space_file.h"

namespace warptune::tuner::bench {
namespace {

// Parameters and constraint texts in memory -> an index that answers everything: parsing, ordering, search, counting.
// Copying the input is part of it.
void construct(benchmark::State& state, const SpaceFile& file) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const search::SearchSpace space = search::SearchSpace::build(file.parameters, file.constraints);
    bytes = space.index_bytes();
    if (search::to_text(space.size()) != file.valid) state.SkipWithError("the count differs from the file's");
  }
  state.counters["index_bytes"] = static_cast<double>(bytes);
}

void at(benchmark::State& state, const SpaceFile& file) {
  const search::SearchSpace space = search::SearchSpace::build(file.parameters, file.constraints);
  search::Rng rng(1);
  std::vector<search::Count> indices(4096);
  for (search::Count& index : indices) index = rng.below(static_cast<std::uint64_t>(space.size()));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(space.at(indices[i++ % indices.size()]));
}

void index_of(benchmark::State& state, const SpaceFile& file) {
  const search::SearchSpace space = search::SearchSpace::build(file.parameters, file.constraints);
  search::Rng rng(1);
  const std::vector<search::Configuration> configurations = space.sample_distinct(4096, rng);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(space.index_of(configurations[i++ % configurations.size()]));
}

void sample(benchmark::State& state, const SpaceFile& file) {
  const search::SearchSpace space = search::SearchSpace::build(file.parameters, file.constraints);
  search::Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(space.sample(rng));
}

void hamming(benchmark::State& state, const SpaceFile& file) {
  const search::SearchSpace space = search::SearchSpace::build(file.parameters, file.constraints);
  search::Rng rng(1);
  const std::vector<search::Configuration> configurations = space.sample_distinct(4096, rng);
  std::size_t i = 0;
  std::size_t found = 0;
  for (auto _ : state) {
    const auto neighbours =
        space.neighbours(configurations[i++ % configurations.size()], search::Neighbourhood::hamming);
    found += neighbours.size();
    benchmark::DoNotOptimize(neighbours.data());
  }
  state.counters["neighbours"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}

void register_all(const std::vector<SpaceFile>& files) {
  using Query = void (*)(benchmark::State&, const SpaceFile&);
  const std::pair<const char*, Query> queries[] = {
      {"at", at}, {"index_of", index_of}, {"sample", sample}, {"hamming", hamming}};
  for (const SpaceFile& file : files)
    benchmark::RegisterBenchmark(("construct/" + file.name).c_str(), [&file](benchmark::State& state) {
      construct(state, file);
    })->Unit(benchmark::kMillisecond);
  for (const auto& [name, query] : queries)
    for (const SpaceFile& file : files)
      if (file.name == "hotspot" || file.name == "prl_32x32_ktt")
        benchmark::RegisterBenchmark((name + ("/" + file.name)).c_str(),
                                     [&file, query = query](benchmark::State& state) { query(state, file); });
}

}  // namespace
}  // namespace warptune::tuner::bench

int main(int argc, char** argv) {
  const char* folder = std::getenv("WARPTUNE_SPACES");
  if (folder == nullptr) {
    std::fputs("space_bench: set WARPTUNE_SPACES to the folder with the search spaces (*.json)\n", stderr);
    return 2;
  }
  const auto files = warptune::tuner::bench::read_spaces(folder);
  warptune::tuner::bench::register_all(files);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
