#include "tuner/kernel/manifest/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/support/places.h"
#include "tests/support/small_template.h"
#include "tuner/kernel/data/fill_content.h"
#include "tuner/kernel/manifest/derived.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& manifest) {
  const TemporaryFolder folder;
  write_doubling_template(folder, manifest);
  try {
    load_manifest(folder.path());
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

std::string error_after(const std::string& from, const std::string& to) {
  return error_of(replaced(doubling_manifest, from, to));
}

std::vector<std::string> notes_after(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  write_doubling_template(folder, replaced(doubling_manifest, from, to));
  return load_manifest(folder.path()).notes;
}

TEST(Manifest, NotesAFloatOutputWithoutAToleranceAgainstADoubleReference) {
  const auto notes = notes_after("default = 64", "default = 64");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0],
              HasSubstr("arguments.out: a float without a tolerance must equal the double reference exactly"));
  EXPECT_THAT(notes[0], HasSubstr("tolerance = { relative = 1e-5 }"));
}

TEST(Manifest, NotesNoMissingToleranceWhereExactnessWasMeant) {
  for (const char* more :
       {"tolerance = { relative = 1e-6 }", "tolerance = { absolute = 0 }", "reference_type = \"float\""})
    EXPECT_TRUE(notes_after("role = \"output\"", std::string("role = \"output\"\n") + more).empty()) << more;
}

// Of a manifest in another folder than its source.
TEST(Manifest, SearchesForHeadersBesideTheSourceFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "src");
  write_doubling_template(folder, "source = \"src/kernel.cu\"\n" + std::string(doubling_manifest));
  std::filesystem::copy_file(folder.path() / "kernel.cu", folder.path() / "src/kernel.cu");
  EXPECT_THAT(load_manifest(folder.path()).include_directories,
              testing::ElementsAre(folder.path() / "src", folder.path()));
}

TEST(Manifest, KeepsParametersInTheOrderWritten) {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  const KernelTemplate kernel = load_manifest(folder.path());
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[0].name, "BLOCK");
  EXPECT_EQ(kernel.parameters[1].name, "EACH");
  EXPECT_EQ(kernel.parameters[1].values.size(), 4u);
  EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK=64,EACH=1,MODE=good");
}

TEST(Manifest, ValuesThatAreNumbersAreWrittenWithoutQuotes) {
  const std::string quoted =
      error_after("values = [32, 64, 128]\ndefault = 64", "values = [\"32\", \"64\", \"128\"]\ndefault = \"64\"");
  EXPECT_THAT(quoted, testing::ContainsRegex("template.toml:[0-9]+: parameters.BLOCK.values: these are strings"));
  EXPECT_THAT(quoted, HasSubstr("Leave the quotes out: 32, not \"32\""));
  EXPECT_THAT(error_after("values = [32, 64, 128]\ndefault = 64", "values = [\"0.5\", \"-1e-3\"]\ndefault = \"0.5\""),
              HasSubstr("Leave the quotes out: 0.5"));
  EXPECT_THAT(error_after("default = 64", "default = \"64\""),
              testing::ContainsRegex("template.toml:[0-9]+: parameters.BLOCK.default: \"64\" is a string, and the "
                                     "values are not: leave the quotes out"));
}

TEST(Manifest, ValuesOfAParameterAreOfOneType) {
  const std::string mixed = error_after("values = [32, 64, 128]", "values = [64, \"a\", 4]");
  EXPECT_THAT(mixed, testing::ContainsRegex("template.toml:[0-9]+: parameters.BLOCK.values"));
  EXPECT_THAT(mixed, HasSubstr("expected values of one type: 64 is a number, and a is a string"));
  EXPECT_THAT(error_after("values = [32, 64, 128]", "values = [64, true]"), HasSubstr("true is a boolean"));
  EXPECT_EQ(error_after("values = [32, 64, 128]", "values = [64, 0.5]"), "");
  EXPECT_EQ(error_after("values = [\"good\", ", "values = [\"good\", \"7\", "), "");  // some may be
}

TEST(Manifest, AFloatOutputHasADoubleReference) {
  const TemporaryFolder folder;
  write_doubling_template(folder);
  EXPECT_EQ(load_manifest(folder.path()).find_argument("out")->reference_type, ElementType::f64);
}

TEST(Manifest, AnOutputMayBeUnitsInTheLastPlaceOffAndVaryFromRunToRun) {
  const TemporaryFolder folder;
  write_doubling_template(folder, replaced(doubling_manifest, "role = \"output\"",
                                           "role = \"output\"\ntolerance = { ulp = 4 }\nnondeterministic = true"));
  const KernelTemplate kernel = load_manifest(folder.path());
  EXPECT_EQ(search::to_double(kernel.find_argument("out")->tolerance.ulp.evaluate(search::NamedValues{})), 4);
  EXPECT_TRUE(search::truth(kernel.find_argument("out")->nondeterministic.evaluate(search::NamedValues{})));
  EXPECT_FALSE(search::truth(kernel.find_argument("in")->nondeterministic.evaluate(search::NamedValues{})));
}

TEST(Manifest, RefusesVariationOfInputsAndLastPlacesOfIntegers) {
  EXPECT_THAT(error_after("fill = { uniform = [1, 2], seed = 3 }",
                          "fill = { uniform = [1, 2], seed = 3 }\nnondeterministic = true"),
              HasSubstr("only outputs are compared"));
  const std::string integers = replaced(doubling_manifest, "[arguments.out]\ntype = \"float\"",
                                        "[arguments.out]\ntolerance = { ulp = 1 }\ntype = \"int32\"");
  EXPECT_THAT(error_of(integers), HasSubstr("an integer has no unit in the last place"));
}

TEST(Manifest, EveryTemplateOfTheLibraryLoads) {
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/templates"))
    if (exists(entry.path() / "template.toml")) {
      EXPECT_EQ(load_manifest(entry.path()).name, entry.path().filename().string());
    }
}

TEST(Manifest, AnErrorNamesFileLineKeyAndWhatWasExpected) {
  const std::string error = error_after("type = \"float\"", "type = \"flout\"");
  EXPECT_THAT(error, HasSubstr("template.toml:16: arguments.in.type: 'flout' is no type; expected float, double"));
}

TEST(Manifest, RefusesAnUnknownKeyAndListsTheKnownOnes) {
  EXPECT_THAT(error_after("role = \"output\"", "rule = \"output\""),
              HasSubstr("arguments.out.rule: unknown key (did you mean role?); expected one of type, value, shape"));
}

TEST(Manifest, RefusesADefaultOutsideItsDomain) {
  EXPECT_THAT(error_after("default = 64", "default = 65"),
              HasSubstr("parameters.BLOCK.default: 65 is not in the domain; expected one of 32, 64"));
}

TEST(Manifest, SaysHowAListOfTablesIsWritten) {
  EXPECT_THAT(error_after("[[launches]]", "[launches]"),
              HasSubstr("launches: expected an array; as a list of tables each begins with [[launches]]"));
}

TEST(Manifest, SaysThatThereIsNothingToTune) {
  EXPECT_THAT(error_of("name = \"x\"\nsource = \"kernel.cu\"\n"), HasSubstr("add a table [parameters.NAME]"));
}

TEST(Manifest, RefusesANameThatMeansNothing) {
  EXPECT_THAT(error_after("BLOCK * EACH <= 1024", "BLOCK * EECH <= 1024"),
              HasSubstr("'EECH' means nothing here (did you mean EACH?); expected one of"));
  EXPECT_THAT(error_after("BLOCK * EACH <= 1024", "BLOCK * TODO <= 1024"), HasSubstr("still to be filled in"));
}

TEST(Manifest, PointsAtTheColumnOfAMalformedExpression) {
  EXPECT_THAT(error_after("BLOCK * EACH <= 1024", "BLOCK * * EACH"), HasSubstr("at column 9"));
}

TEST(Manifest, RefusesAShapeThatDependsOnTheConfiguration) {
  EXPECT_THAT(error_after("shape = [\"n\"]", "shape = [\"n * BLOCK\"]"), HasSubstr("'BLOCK' means nothing here"));
}

TEST(Manifest, RefusesALaunchOfAnUnknownArgument) {
  EXPECT_THAT(error_after("\"out\", \"count\"]", "\"uot\", \"count\"]"),
              HasSubstr("no such argument or temporary (did you mean out?); expected one of count, in, out"));
  EXPECT_THAT(error_after("\"out\", \"count\"]", "\"TODO\", \"count\"]"),
              HasSubstr("still to be filled in (TODO): the head of the manifest says what is missing"));
}

TEST(Manifest, RefusesATemplateWithoutOutputs) {
  EXPECT_THAT(error_after("role = \"output\"", "fill = { constant = 0 }"), HasSubstr("nothing can be verified"));
}

TEST(Manifest, SaysWhichFileIsMissing) {
  const TemporaryFolder folder;
  folder.write("template.toml", doubling_manifest);
  EXPECT_THROW(load_manifest(folder.path()), ManifestError);
  EXPECT_THROW(load_manifest(folder.path() / "nowhere"), ManifestError);
}

TEST(Manifest, ReportsMalformedTomlWithItsLine) {
  EXPECT_THAT(error_of("name = \"x\"\nsizes = [\n"), HasSubstr("template.toml:"));
}

TEST(Manifest, ASizeMayHaveALimit) {
  const TemporaryFolder folder;
  write_doubling_template(folder, replaced(doubling_manifest, "n = 1000", "n = { default = 1000, most = 4000 }"));
  const KernelTemplate kernel = load_manifest(folder.path());
  EXPECT_EQ(search::to_text(kernel.sizes), "n=1000");
  EXPECT_EQ(kernel.size_limits.at("n"), 4000);
  EXPECT_THAT(error_after("n = 1000", "n = { default = 5000, most = 4000 }"), HasSubstr("sizes.n: expected a default"));
}

TEST(Manifest, RefusesAFillByAFunctionThatDoesNotKnowTheBuffer) {
  EXPECT_THAT(error_after("uniform = [1, 2], seed = 3", "function = \"ramp\""),
              HasSubstr("no such function in [fills]"));
  const std::string fills = "[fills.ramp]\nsource = \"kernel.cu\"\narguments = [\"count\"]\n[reference]\n[[reference.";
  EXPECT_THAT(error_of(replaced(replaced(doubling_manifest, "uniform = [1, 2], seed = 3", "function = \"ramp\""),
                                "[reference]\n[[reference.", fills)),
              HasSubstr("'in' is not among the function's arguments"));
}

// The doubling template with a [derived] table, and a launch whose grid uses it.
std::string derived_manifest(const std::string& table, const std::string& grid) {
  return replaced(replaced(doubling_manifest, "[arguments.in]", "[derived]\n" + table + "\n[arguments.in]"),
                  "ceildiv(n, BLOCK * EACH)", grid);
}

TEST(Manifest, ADerivedNameStandsForItsExpressionEverywhere) {
  const TemporaryFolder folder;
  write_doubling_template(
      folder, replaced(derived_manifest("chunk = \"BLOCK + EACH\"\nchunks = \"ceildiv(n, 2 * chunk)\"", "chunks"),
                       "BLOCK * EACH <= 1024", "chunk <= 1024"));
  const KernelTemplate kernel = load_manifest(folder.path());
  const search::NamedValues scope = {{"n", std::int64_t{1000}}, {"BLOCK", std::int64_t{64}}, {"EACH", std::int64_t{1}}};
  EXPECT_EQ(search::to_integer(kernel.launches[0].grid[0].evaluate(scope)), 8);
  EXPECT_EQ(kernel.constraints, std::vector<std::string>{"(BLOCK + EACH) <= 1024"});
}

TEST(Manifest, UsersReadAConstraintWithItsDerivedNamesAndWhatTheyAre) {
  const TemporaryFolder folder;
  write_doubling_template(folder, replaced(derived_manifest("chunk = \"BLOCK + EACH\"\nnone = \"n // 0\"", "n"),
                                           "BLOCK * EACH <= 1024", "chunk <= 1024 or none > BLOCK"));
  const KernelTemplate kernel = load_manifest(folder.path());
  const std::string& constraint = kernel.constraints.at(0);
  EXPECT_EQ(as_written(kernel, constraint), "chunk <= 1024 or none > BLOCK");
  const search::NamedValues scope = {{"n", std::int64_t{9}}, {"BLOCK", std::int64_t{64}}, {"EACH", std::int64_t{1}}};
  EXPECT_EQ(as_written(kernel, constraint, scope), "chunk <= 1024 or none > BLOCK, where chunk = 65");
  EXPECT_EQ(as_written(kernel, "EACH < 3", scope), "EACH < 3");
}

TEST(Manifest, ADerivedNameIsNotReplacedInsideStringsCallsAndLongerNames) {
  DerivedExpressions derived;
  derived.add("max", "3");
  derived.add("e5", "4");
  EXPECT_EQ(derived.expand("max(max, 1e5) if MODE == 'max' else max_x + e5"),
            "max((3), 1e5) if MODE == 'max' else max_x + (4)");
}

TEST(Manifest, ADerivedExpressionMayNotUseOneBelowIt) {
  EXPECT_THAT(error_of(derived_manifest("a = \"b + 1\"\nb = \"BLOCK\"", "a")), HasSubstr("'b' means nothing here"));
}

TEST(Manifest, RefusesADerivedNameThatIsTaken) {
  EXPECT_THAT(error_of(derived_manifest("EACH = 2", "EACH")), HasSubstr("has the same name"));
}

TEST(Manifest, RefusesANameThatExpressionsHaveForSomethingElse) {
  const auto named = [](const char* name) {
    return replaced(doubling_manifest, "n = 1000", std::string("n = 1000\n") + name + " = 5");
  };
  EXPECT_THAT(error_of(named("time")), HasSubstr("metrics mean by this name what was measured"));
  EXPECT_THAT(error_of(named("warp_size")), HasSubstr("a device limit has the same name"));
  EXPECT_THAT(error_after("[metrics]", "[metrics]\ntime = { value = \"n\" }"), HasSubstr("this is measured anyway"));
}

TEST(Manifest, RefusesADefineOfAParametersName) {
  EXPECT_THAT(error_of(std::string(doubling_manifest) + "\n[defines]\nBLOCK = \"1\"\n"),
              HasSubstr("the parameter of this name is a macro already"));
}

TEST(Manifest, TakesSizesAndDataFromAMatrixMarketFile) {
  const TemporaryFolder folder;
  folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2\n3 1 4\n");
  const std::string sized =
      replaced(doubling_manifest, "n = 1000", "n = { matrix_market = 'a.mtx', count = 'nonzeros' }");
  write_doubling_template(
      folder, replaced(sized, "{ uniform = [1, 2], seed = 3 }", "{ matrix_market = 'a.mtx', part = 'values' }"));
  const KernelTemplate kernel = load_manifest(folder.path());
  EXPECT_EQ(kernel.sizes, (search::NamedValues{{"n", std::int64_t{3}}}));
  const Fill& fill = kernel.find_argument("in")->fill;
  EXPECT_EQ(fill.kind, Fill::Kind::matrix_market);
  EXPECT_EQ(fill.part, MatrixPart::values);
}

TEST(Manifest, TakesRightResultsAsDataBesideTheDefaultConfiguration) {
  const TemporaryFolder folder;
  const std::string head = std::string(doubling_manifest).substr(0, std::string(doubling_manifest).find("[reference]"));
  const auto written = [&](const std::string& reference) {
    write_doubling_template(folder, head + "[reference]\n" + reference);
    try {
      return load_manifest(folder.path()).reference.data.at("out").file.filename().string();
    } catch (const ManifestError& error) {
      return std::string(error.what());
    }
  };
  folder.write("right.npy", "");
  EXPECT_EQ(written("default_configuration = true\ndata.out = { npy = 'right.npy' }"), "right.npy");
  EXPECT_THAT(written("default_configuration = true\ndata.in = { npy = 'right.npy' }"),
              HasSubstr("'in' is no argument that the kernel writes"));
  EXPECT_THAT(written("default_configuration = true\nsource = 'a.cu'\ndata.out = { npy = 'right.npy' }"),
              HasSubstr("the kernel itself is the reference"));
  EXPECT_THAT(written("data.out = { npy = 'right.npy' }\nsource = 'right.npy'\nlaunches = []"),
              HasSubstr("expected default_configuration = true"));
}

// Of a buffer of a type, filled by these values, what its elements are.
template <class T>
std::vector<T> elements_of(const std::string& type, const std::string& values, std::size_t elements) {
  const TemporaryFolder folder;
  std::string manifest = replaced(doubling_manifest, "type = \"float\"", "type = \"" + type + "\"");
  write_doubling_template(folder, replaced(manifest, "{ uniform = [1, 2], seed = 3 }", "{ values = " + values + " }"));
  const KernelTemplate kernel = load_manifest(folder.path());
  const Argument& in = *kernel.find_argument("in");
  const auto bytes = fill_content(in.fill, in.type, elements);
  std::vector<T> result(bytes.value().size() / sizeof(T));
  std::memcpy(result.data(), bytes->data(), bytes->size());
  return result;
}

TEST(Manifest, FillsABufferWithTheValuesThatItSays) {
  EXPECT_THAT(elements_of<float>("float", "[1, 0.5, -2e3, inf]", 4),
              testing::ElementsAre(1, 0.5f, -2000, std::numeric_limits<float>::infinity()));
  EXPECT_THAT(elements_of<std::uint8_t>("uint8", "[0, 255, true]", 3), testing::ElementsAre(0, 255, 1));
  EXPECT_THAT(elements_of<std::int64_t>("int64", "[9007199254740993]", 1), testing::ElementsAre(9007199254740993));
  EXPECT_THAT(elements_of<std::uint16_t>("half", "[1, -2]", 2), testing::ElementsAre(0x3c00, 0xc000));
}

TEST(Manifest, SaysWhichOfAFillsValuesIsNone) {
  const auto error = [](const std::string& values) {
    return error_after("type = \"float\"\nshape = [\"n\"]\nfill = { uniform = [1, 2], seed = 3 }",
                       "type = \"int8\"\nshape = [\"n\"]\nfill = { values = " + values + " }");
  };
  EXPECT_THAT(error("[1, 300]"), HasSubstr("arguments.in.fill.values[1]: 300 does not fit the argument's type"));
  EXPECT_THAT(error("[1, 'two']"), HasSubstr("arguments.in.fill.values[1]: expected a number"));
  EXPECT_THAT(error("[[1, 2]]"), HasSubstr("expected a single value"));
  EXPECT_THAT(error("7"), HasSubstr("expected an array"));
  EXPECT_NE(error("[1.5]"), "");
}

TEST(Manifest, RefusesValuesOfAnotherNumberThanTheShapeHas) {
  EXPECT_THROW(elements_of<float>("float", "[1, 2, 3]", 4), std::invalid_argument);
  EXPECT_THROW(elements_of<float>("float", "[]", 1), std::invalid_argument);
}

TEST(Manifest, TakesRightResultsAsValues) {
  const TemporaryFolder folder;
  const std::string manifest = doubling_manifest;
  write_doubling_template(folder, manifest.substr(0, manifest.find("[reference]")) +
                                      "[reference]\ndefault_configuration = true\ndata.out = { values = [2, 4] }\n");
  EXPECT_EQ(load_manifest(folder.path()).reference.data.at("out").contents->size(), 2 * sizeof(float));
}

TEST(Manifest, RefusesAUniformFillWhoseEndsAreReversed) {
  EXPECT_THAT(error_after("{ uniform = [1, 2], seed = 3 }", "{ uniform = [2, 1] }"),
              HasSubstr("expected the lower end first"));
}

TEST(Manifest, SaysWhatIsWrongWithAMatrixMarketFill) {
  EXPECT_THAT(error_after("n = 1000", "n = { matrix_market = 'none.mtx', count = 'rows' }"), HasSubstr("cannot read"));
  EXPECT_THAT(error_after("{ uniform = [1, 2], seed = 3 }", "{ matrix_market = 'none.mtx', part = 'values' }"),
              HasSubstr("is missing"));
}

}  // namespace
}  // namespace warptune::tuner
