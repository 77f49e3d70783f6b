// Which memory of the host's an argument is in, in manifests and plans; and what is done to its pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/managed_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/macro_check.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

KernelTemplate in_memory(const TextChanges& changes = {}) {
  const TemporaryFolder folder;
  write_managed_template(folder, changes);
  return load_manifest(folder.path());
}

std::string memory_error_after(const TextChanges& changes) {
  try {
    in_memory(changes);
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

std::string memory_error_after(const std::string& from, const std::string& to) {
  return memory_error_after({{from, to}});
}

// The input's pages are touched, which any memory allows.
const std::pair<std::string, std::string> without_prefetch = {
    R"(prefetch = { buffer = "in", offset = 10, elements = "n - 10", to = "device" })", R"(touch = { buffer = "in" })"};

std::string memory_plan_error(const KernelTemplate& kernel, const search::NamedValues& scope) {
  try {
    make_plan(kernel, scope);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

search::NamedValues memory_scope(const std::string& memory, bool prefetch = false) {
  return {{"n", std::int64_t{1000}}, {"MEMORY", memory}, {"PREFETCH", prefetch}};
}

TEST(HostMemoryKinds, AreWhatTheirParameterSays) {
  const KernelTemplate kernel = in_memory();
  for (const auto& [kind, name] : host_memory_kinds)
    if (kernels_reach(kind)) {
      EXPECT_THAT(make_plan(kernel, memory_scope(std::string(name))).host_memory, Each(Pair(testing::_, kind)));
    }
}

TEST(HostMemoryKinds, MayBeFixedOrFollowFromAnExpression) {
  const auto kind_of_in = [](const std::string& memory) {
    const KernelTemplate kernel = in_memory({without_prefetch, {"memory = \"MEMORY\"", "memory = \"" + memory + "\""}});
    return make_plan(kernel, memory_scope("managed")).host_memory.at("in");
  };
  EXPECT_EQ(kind_of_in("mapped"), HostMemoryKind::mapped);
  EXPECT_EQ(kind_of_in("'managed' if n > 10 else 'mapped'"), HostMemoryKind::managed);
}

TEST(HostMemoryKinds, ThatKernelsDoNotReachAreNoArgumentsOfTheirs) {
  const KernelTemplate kernel = in_memory();
  EXPECT_THAT(memory_plan_error(kernel, memory_scope("pinned")),
              AllOf(HasSubstr("doubling is called with in"), HasSubstr("pinned memory"), HasSubstr("`when`")));
  EXPECT_THAT(memory_error_after({without_prefetch, {"memory = \"MEMORY\"", "memory = \"pageable\""}}),
              HasSubstr("which only copies reach"));
}

TEST(HostMemoryKinds, OtherThanManagedAreNeverPrefetched) {
  EXPECT_THAT(memory_plan_error(in_memory(), memory_scope("mapped", true)),
              HasSubstr("only the pages of managed memory"));
  EXPECT_THAT(memory_error_after("memory = \"MEMORY\"", "memory = \"mapped\""), HasSubstr("can be prefetched"));
}

TEST(HostMemoryKinds, PrefetchAndTouchTheElementsThatTheirStepsName) {
  const Plan plan = make_plan(in_memory(), memory_scope("managed", true));
  ASSERT_THAT(plan.launches, SizeIs(4));
  const PlannedPages& in = plan.launches[0].pages.value();
  EXPECT_EQ(in.kind, PageStep::Kind::to_device);
  EXPECT_EQ(in.first_byte, 40u);
  EXPECT_EQ(in.bytes, 4 * 990u);
  EXPECT_EQ(plan.launches[2].pages.value().kind, PageStep::Kind::to_host);
  EXPECT_EQ(plan.launches[3].pages.value().kind, PageStep::Kind::touch);
  EXPECT_FALSE(plan.launches[3].pages.value().bytes.has_value());
}

TEST(HostMemoryKinds, MistypedAreRefusedWithTheWordThatWasMeant) {
  EXPECT_THAT(
      memory_error_after("memory = \"MEMORY\"", "memory = \"manged\""),
      AllOf(HasSubstr("expected device, host, pageable, pinned, mapped, managed"), HasSubstr("did you mean managed?")));
  EXPECT_THAT(memory_error_after("memory = \"MEMORY\"", "memory = \"disk\""),
              AllOf(HasSubstr("'disk' means nothing here"), testing::Not(HasSubstr("did you mean"))));
  EXPECT_THAT(memory_error_after("\"mapped\", \"managed\"", "\"maped\", \"managed\""),
              AllOf(HasSubstr("where MEMORY is maped"), HasSubstr("did you mean mapped?")));
  EXPECT_THAT(memory_error_after("memory = \"MEMORY\"", "memory = \"MEMORY\"\npinned = true"),
              HasSubstr("only memory = \"host\" is pinned"));
  EXPECT_THAT(memory_error_after("memory = \"MEMORY\"", "memory = \"device\""),
              HasSubstr("expected a buffer in the host's"));
}

TEST(HostMemoryKinds, AreAUseOfTheirParameter) {
  const TemporaryFolder folder;
  write_managed_template(folder);
  EXPECT_NO_THROW(check_macros(load_manifest(folder.path())));
}

TEST(HostMemoryKinds, MeanNothingToAReference) {
  const std::string launch = "[[reference.launches]]\n";
  EXPECT_THAT(memory_error_after(launch, launch + "prefetch = { buffer = \"in\", to = \"host\" }\n" + launch),
              HasSubstr("one after the other"));
}

}  // namespace
}  // namespace warptune::tuner
