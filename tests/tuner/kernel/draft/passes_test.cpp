// Tests passes of the draft alone: on the facts of a small source, or on a draft that is made by hand.
#include "tuner/kernel/draft/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/kernel/draft/passes/arguments.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::draft {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the work after the passes that choose and read the launches.
Work read_work(const SourceFacts& facts) {
  Work work{.facts = facts};
  work.sites = choose_sites(facts, "", work.draft.guesses);
  for (Site& site : work.sites) read_site(facts, site);
  return work;
}

ParameterDraft parameter(const std::string& name, std::vector<std::int64_t> values, std::int64_t fallback, Use use) {
  return {.name = name, .values = std::move(values), .fallback = fallback, .use = use};
}

constexpr char two_steps[] = R"(
__global__ void first(const float* x, float* t) { t[threadIdx.x] = x[threadIdx.x]; }
__global__ void second(const float* t, float* y) { y[threadIdx.x] = t[threadIdx.x]; }
__global__ void other(const float* x, float* z) { z[threadIdx.x] = x[threadIdx.x]; }
void run(float* x, float* t, float* y, float* z) {
  first<<<1, 64>>>(x, t);
  second<<<1, 64>>>(t, y);
  other<<<1, 64>>>(x, z);
}
)";

TEST(ChooseSites, TakesTheLaunchesThatExchangeDataAndNamesTheOthers) {
  const SourceFacts facts(two_steps);
  std::vector<std::string> guesses;
  const std::vector<Site> sites = choose_sites(facts, "second", guesses);
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].kernel->name, "first");
  EXPECT_EQ(sites[1].kernel->name, "second");
  EXPECT_THAT(guesses, ElementsAre(HasSubstr("launches other as well")));
}

TEST(ChooseSites, RefusesAKernelThatIsNotThere) {
  const SourceFacts facts(two_steps);
  std::vector<std::string> guesses;
  EXPECT_THROW(choose_sites(facts, "third", guesses), RequestError);
}

TEST(ClassifyIntegers, TellsParametersFromSizesAndReturnsConstantsThatCouldBeTuned) {
  const SourceFacts facts(R"(
#define TILE 16
#define WIDTH 1024
struct Shape { enum { BLOCK_X = 32 }; };
enum { BLOCK_ROWS = 8 };
__global__ void k(float* x) { x[blockIdx.x * TILE + threadIdx.x + WIDTH * BLOCK_ROWS] = 1; }
)");
  Work work = read_work(facts);
  const std::vector<std::string> constants = classify_integers(work);
  ASSERT_NE(work.draft.find_parameter("TILE"), nullptr);
  EXPECT_EQ(work.draft.find_parameter("TILE")->fallback, 16);
  ASSERT_NE(work.draft.find_size("WIDTH"), nullptr);
  EXPECT_TRUE(work.draft.find_size("WIDTH")->define);
  EXPECT_THAT(constants, ElementsAre(HasSubstr("#define BLOCK_ROWS 8")));
  EXPECT_TRUE(work.meanings.fixed.contains("BLOCK_ROWS"));
}

TEST(FindShifts, FindsAScalarThatMovesAnIndexAndNoBound) {
  const SourceFacts facts(R"(
__global__ void k(float* y, int n, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i + offset] = 1;
}
)");
  Work work = read_work(facts);
  find_shifts(work.sites.front());
  EXPECT_THAT(work.sites.front().body.shifts, ElementsAre("offset"));
}

// A site whose grid the host gives as n / TILE along x, before any pass has seen the geometry.
Work with_grid(const SourceFacts& facts) {
  Work work = read_work(facts);
  work.sites.front().grid[0] =
      CExpression{CExpression::Kind::call, "ceildiv", 0, {CExpression::name("n"), CExpression::name("TILE")}};
  work.draft.parameters.push_back(parameter("TILE", {16, 32}, 16, Use::tile));
  return work;
}

TEST(WholeBlocksOf, AsksForWholeBlocksWhereNoIndexIsCompared) {
  const SourceFacts facts("__global__ void k(float* y, int n) { y[blockIdx.x * TILE + threadIdx.x] = 1; }");
  const Work work = with_grid(facts);
  const std::vector<WholeBlocks> parts = whole_blocks_of(work, work.sites.front());
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts.front().text, "n % TILE");
}

TEST(WholeBlocksOf, AsksForNothingWhereTheIndexHasABound) {
  const SourceFacts facts(
      "__global__ void k(float* y, int n) { int i = blockIdx.x * TILE + threadIdx.x; if (i < n) y[i] = 1; }");
  const Work work = with_grid(facts);
  EXPECT_THAT(whole_blocks_of(work, work.sites.front()), IsEmpty());
}

TEST(ConstrainToWholeBlocks, RoundsAGuessedSizeUpAndAddsTheConstraint) {
  Draft draft;
  draft.sizes.push_back({.name = "n", .value = 1000, .on_host = 100, .is_guess = true});
  draft.parameters.push_back(parameter("TILE", {16, 32}, 16, Use::tile));
  constrain_to_whole_blocks(draft, {{CExpression::name("n"), CExpression::name("TILE"), "n % TILE", "k"}});
  EXPECT_EQ(draft.find_size("n")->value, 1008);
  EXPECT_EQ(draft.find_size("n")->on_host, 96);
  EXPECT_THAT(draft.constraints, ElementsAre("n % TILE == 0"));
}

TEST(ChooseDefaults, LowersTheLargestGuessUntilTheConstraintsHold) {
  Draft draft;
  draft.parameters.push_back(parameter("A", {8, 16, 32}, 32, Use::tile));
  draft.parameters.push_back(parameter("B", {8, 16, 32}, 16, Use::tile));
  for (ParameterDraft& any : draft.parameters) any.comment = "a guess: the source defines it nowhere";
  draft.constraints.emplace_back("A * B <= 256");
  choose_defaults({}, draft);
  EXPECT_EQ(draft.find_parameter("A")->fallback, 16);
  EXPECT_EQ(draft.find_parameter("B")->fallback, 16);
  EXPECT_THAT(draft.blanks, IsEmpty());
}

TEST(ChooseDefaults, LeavesABlankWhereTheSourceGivesAllValues) {
  Draft draft;
  draft.parameters.push_back(parameter("A", {8, 16, 32}, 32, Use::tile));
  draft.constraints.emplace_back("A <= 16");
  choose_defaults({}, draft);
  EXPECT_EQ(draft.find_parameter("A")->fallback, 32);
  EXPECT_THAT(draft.blanks, ElementsAre(HasSubstr("`A <= 16`")));
}

TEST(RequireOutput, LeavesABlankWhereNothingIsWritten) {
  Draft draft;
  draft.arguments.push_back({.name = "x", .type = "float"});
  require_output({}, draft);
  EXPECT_THAT(draft.blanks, ElementsAre(HasSubstr("which buffer is the output")));
}

TEST(SetRole, TellsOutputsFromBuffersThatAreReadAsWell) {
  const SourceFacts facts(
      "__global__ void k(const float* x, float* y, float* z) { int i = threadIdx.x; y[i] = x[i]; z[i] += x[i]; }");
  const Work work = read_work(facts);
  std::vector<std::string> roles;
  for (const FunctionParameter& each : work.sites.front().kernel->parameters) {
    ArgumentDraft argument{.name = each.name, .type = "float"};
    set_role(work.sites.front(), each, argument);
    roles.push_back(argument.role);
  }
  EXPECT_THAT(roles, ElementsAre("input", "output", "inout"));
}

TEST(RenameReserved, RenamesASizeWhereverItStands) {
  Draft draft;
  draft.sizes.push_back({.name = "max", .value = 4});
  draft.arguments.push_back({.name = "x", .shape = "max(max, 1)"});
  rename_reserved(draft);
  EXPECT_EQ(draft.sizes.front().name, "max_");
  EXPECT_EQ(draft.arguments.front().shape, "max(max_, 1)");
  EXPECT_THAT(draft.guesses, ElementsAre(HasSubstr("what the source calls max")));
}

TEST(BlockIndexOf, FindsWhatABlockCovers) {
  const auto index = parse_c(source_tokens("blockIdx.x * TILE + threadIdx.y"));
  ASSERT_TRUE(index);
  const BlockIndex parts = block_index_of(*index);
  EXPECT_EQ(parts.blocks, "blockIdx.x");
  EXPECT_EQ(parts.threads, "threadIdx.y");
  EXPECT_EQ(parts.covered, CExpression::name("TILE"));
}

}  // namespace

}  // namespace warptune::tuner::draft
