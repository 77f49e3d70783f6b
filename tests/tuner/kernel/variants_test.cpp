// Variants: named choices of a problem, from the manifest to the macros.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/variant_template.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

class Variants : public testing::Test {
 protected:
  Variants() { write_variant_template(folder_); }

  KernelTemplate kernel() const { return load_manifest(folder_.path()); }

  std::string error_of_manifest(const std::string& from, const std::string& to) {
    std::string manifest = variant_manifest;
    manifest.replace(manifest.find(from), from.size(), to);
    write_variant_template(folder_, manifest);
    try {
      load_manifest(folder_.path());
    } catch (const ManifestError& error) {
      return error.what();
    }
    return "";
  }

  std::string error_of(const Problem& asked, const std::string& preset = "") const {
    try {
      resolve_problem(kernel(), preset, asked);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(Variants, SizesAndTheyKeepTheManifestsOrderAndTheFirstValueIsTheDefault) {
  EXPECT_EQ(resolve_problem(kernel(), "", {}).text(), "n=1000,count=1,PRECISION=float,NEGATED=false,ORDER=forward");
  const Problem asked{{{"count", std::int64_t{3}}, {"n", std::int64_t{7}}}, parse_variants("NEGATED=true")};
  EXPECT_EQ(resolve_problem(kernel(), "", asked).text(), "n=7,count=3,PRECISION=float,NEGATED=true,ORDER=forward");
}

TEST_F(Variants, TakeTheManifestsTypes) {
  const Problem problem = resolve_problem(kernel(), "", {{}, parse_variants("NEGATED=true,PRECISION=double")});
  EXPECT_EQ(problem.variants[0].second, search::Value(std::string("double")));
  EXPECT_EQ(problem.variants[1].second, search::Value(true));
}

TEST_F(Variants, ArePartOfPresetsAndTheUserCountsMore) {
  EXPECT_THAT(resolve_problem(kernel(), "reverse", {}).text(), HasSubstr("n=100,count=1,PRECISION=float"));
  EXPECT_THAT(resolve_problem(kernel(), "reverse", {}).text(), HasSubstr("ORDER=backward"));
  EXPECT_THAT(resolve_problem(kernel(), "reverse", {{}, parse_variants("ORDER=forward")}).text(),
              HasSubstr("ORDER=forward"));
}

// 1 meant "not transposed" while kinds were numbered, and would now be taken for true.
TEST_F(Variants, ANumberIsNoBooleanAndAnUnknownValueNamesTheOthers) {
  EXPECT_THAT(error_of({parse_sizes("NEGATED=1"), {}}),
              HasSubstr("NEGATED is a variant of turned: expected one of false, true, as in --variant NEGATED=false"));
  EXPECT_THAT(error_of({{}, parse_variants("NEGATED=1")}), HasSubstr("expected one of false, true"));
  EXPECT_THAT(error_of({{}, parse_variants("PRECISION=half")}), HasSubstr("expected one of float, double"));
  EXPECT_THAT(error_of({{}, parse_variants("KIND=x")}),
              HasSubstr("no variant 'KIND'; it has PRECISION, NEGATED, ORDER"));
  EXPECT_THAT(error_of({{}, parse_variants("n=many")}),
              HasSubstr("n is a size of turned: expected a positive integer"));
}

TEST_F(Variants, AListMayMixThemWithSizes) {
  const Problem problem = resolve_problem(kernel(), "", parse_problem("ORDER=backward,n=4k,PRECISION=double"));
  EXPECT_EQ(problem.text(), "n=4096,count=1,PRECISION=double,NEGATED=false,ORDER=backward");
}

TEST_F(Variants, ManifestsThatMeanNothingAreRefused) {
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "NEGATED = [false, 1]"), HasSubstr("values of one type"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "NEGATED = [true, true]"), HasSubstr("there twice"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "NEGATED = []"), HasSubstr("at least one value"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "NEGATED = [0.5]"),
              HasSubstr("strings, integers or booleans"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "NEGATED = [\"a,b\"]"),
              HasSubstr("expected a name or a type"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "n = [false, true]"), HasSubstr("size has the same name"));
  EXPECT_THAT(error_of_manifest("NEGATED = [false, true]", "BLOCK = [false, true]"), HasSubstr("has the same name"));
  EXPECT_THAT(error_of_manifest("ORDER = \"backward\"", "ORDER = \"up\""),
              HasSubstr("not a value of the variant ORDER"));
  EXPECT_THAT(error_of_manifest("ORDER = \"backward\"", "SIDE = 1"), HasSubstr("not among [sizes] and [variants]"));
}

TEST_F(Variants, AreMacrosOfTheKernelAndOfEveryFunction) {
  const KernelTemplate turned = kernel();
  const search::NamedValues scope = scope_of(
      resolve_problem(turned, "", parse_problem("NEGATED=true,PRECISION=double")).values(), turned.default_values);
  const CompileRequest request = compile_request(turned, "host", turned.default_values, scope);
  EXPECT_THAT(request.kernels, testing::ElementsAre("turned<double>"));
  for (const CompileRequest& one : {request, function_compile_request(turned, *turned.reference.function, scope),
                                    function_compile_request(turned, turned.fills.front(), scope)}) {
    EXPECT_THAT(one.defines, Contains(Pair("PRECISION", "double")));
    EXPECT_THAT(one.defines, Contains(Pair("NEGATED", "1")));
    EXPECT_THAT(one.defines, Contains(Pair("ORDER", "forward")));
  }
}

TEST_F(Variants, StayInACapture) {
  const auto file = folder_.path() / "call.json";
  write_capture(file, {"turned", {{"n", std::int64_t{5}}}, {{"PRECISION", std::string("double")}}, {}, {}});
  const Capture capture = read_capture(file);
  EXPECT_THAT(resolve_problem(kernel(), "", {capture.sizes, capture.variants}).text(), HasSubstr("PRECISION=double"));
}

}  // namespace
}  // namespace warptune::tuner
