// T1 files as KTT, Kernel Tuner and BAT write them: what of them becomes a template, and what is refused by its key.
#include "tuner/kernel/t1/t1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/data/fill_content.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/source/macro_check.h"
#include "tuner/kernel/source/source_check.h"

namespace warptune::tuner {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;

// As KTT's: no BenchmarkName, no ProblemSize, no Default, the grid by GlobalSize.
// clang-format off
constexpr char ktt_style[] = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [{"Name": "WIDTH", "Type": "uint", "Values": "[16, 32, 64]"},
                         {"Name": "HEIGHT", "Type": "uint", "Values": "[1, 2, 4]"}],
    "Conditions": [{"Parameters": ["WIDTH", "HEIGHT"], "Expression": "WIDTH * HEIGHT >= 64"}]},
  "General": {"LoggingLevel": "Info", "TimeUnit": "Microseconds", "OutputFile": "out", "OutputFormat": "XML"},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "sum", "KernelFile": "sum.cu", "CompilerOptions": [""], "Profiling": false,
    "GlobalSize": {"X": "256 // WIDTH", "Y": "256 // HEIGHT"}, "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "WIDTH", "Y": "HEIGHT", "Z": "1"}, "SharedMemory": 0,
    "Arguments": [
      {"Name": "points", "Type": "float4", "Size": 64, "FillType": "Random", "FillValue": 20.0,
       "AccessType": "ReadOnly", "MemoryType": "Vector"},
      {"Name": "step", "Type": "float", "FillType": "Constant", "FillValue": 0.5, "MemoryType": "Scalar"},
      {"Name": "out", "Type": "float", "Size": 65536, "TypeSize": 4, "FillType": "Constant", "FillValue": 0.0,
       "AccessType": "WriteOnly", "MemoryType": "Vector"}]}}
)json";
// clang-format on

class T1File : public testing::Test {
 protected:
  T1File() : document_(Json::parse(ktt_style)) { folder_.write("sum.cu", "__global__ void sum() {}"); }

  Json& specification() { return document_["KernelSpecification"]; }
  Json& argument(std::size_t index) { return specification()["Arguments"][index]; }
  KernelTemplate load() { return load_t1(folder_.write("sum_file.json", document_.dump())); }
  std::string refusal() {
    try {
      load();
    } catch (const ManifestError& error) {
      return error.what();
    }
    return "";
  }

  // The grid at a configuration.
  std::vector<std::int64_t> grid(const KernelTemplate& kernel, std::int64_t width, std::int64_t height) {
    search::NamedValues scope = kernel.sizes;
    scope.emplace_back("WIDTH", width);
    scope.emplace_back("HEIGHT", height);
    const Dim3 grid = make_plan(kernel, scope).launches.front().geometry.grid;
    return {grid.x, grid.y, grid.z};
  }

  TemporaryFolder folder_;
  Json document_;
};

TEST_F(T1File, WithoutBenchmarkNameIsCalledAsItsKernel) {
  EXPECT_EQ(load().name, "sum");
}

TEST_F(T1File, WithoutDefaultsStartsFromAConfigurationThatTheConditionsAllow) {
  EXPECT_EQ(search::to_text(load().default_values), "WIDTH=16,HEIGHT=4");
}

TEST_F(T1File, SaysSoWhereItsDefaultsAreForbiddenOrNotAmongTheValues) {
  auto& parameters = document_["ConfigurationSpace"]["TuningParameters"];
  parameters[0]["Default"] = 32;
  parameters[1]["Default"] = Json::array({1});
  const KernelTemplate forbidden = load();
  EXPECT_EQ(search::to_text(forbidden.default_values), "WIDTH=32,HEIGHT=2");
  EXPECT_THAT(forbidden.notes, Contains(HasSubstr("Conditions forbid")));
  parameters[0]["Default"] = 48;
  EXPECT_THAT(load().notes, Contains(HasSubstr("48 is not among the Values of WIDTH")));
}

TEST_F(T1File, CountsBlocksForCudaAndThreadsForOpenCl) {
  EXPECT_EQ(grid(load(), 32, 2), (std::vector<std::int64_t>{8, 128, 1}));
  specification()["GlobalSizeType"] = "OpenCL";
  specification()["GlobalSize"] = {{"X", "1000"}, {"Y", 256}};
  EXPECT_EQ(grid(load(), 32, 2), (std::vector<std::int64_t>{32, 128, 1}));
  specification()["GlobalSizeType"] = "Metal";
  EXPECT_THAT(refusal(), HasSubstr("KernelSpecification.GlobalSizeType"));
}

TEST_F(T1File, DividesAProblemSizeThatIsANumberAListOrAnExpression) {
  specification()["GridDivX"] = {"WIDTH"};
  for (const Json& size : {Json(1000), Json::array({1000}), Json("10 * 100"), Json::array({"10 * 100"})}) {
    specification()["ProblemSize"] = size;
    const KernelTemplate kernel = load();
    EXPECT_EQ(search::to_text(kernel.sizes), "size_x=1000") << size;
    EXPECT_EQ(grid(kernel, 64, 1), (std::vector<std::int64_t>{16, 1, 1})) << size;
    EXPECT_THAT(kernel.notes, Contains(HasSubstr("KernelSpecification.GlobalSize: no effect")));
  }
}

TEST_F(T1File, TakesAProblemSizeThatDependsOnParametersAsTheGridsExpression) {
  specification()["GridDivX"] = {"WIDTH"};
  specification()["ProblemSize"] = {"1024 * HEIGHT"};
  const KernelTemplate kernel = load();
  EXPECT_TRUE(kernel.sizes.empty());
  EXPECT_EQ(grid(kernel, 64, 2), (std::vector<std::int64_t>{32, 1, 1}));
}

TEST_F(T1File, NamesAGridDivisionThatHasNothingToDivide) {
  specification()["GridDivX"] = {"WIDTH"};
  EXPECT_THAT(load().notes, Contains(HasSubstr("KernelSpecification.GridDivX: no effect")));
  specification()["ProblemSize"] = 100;
  specification()["GridDivY"] = {"block_size_y"};  // as in one of Kernel Tuner's tests
  EXPECT_THAT(load().notes, Contains(HasSubstr("ProblemSize has no Y")));
}

TEST_F(T1File, NeedsAGrid) {
  specification().erase("GlobalSize");
  EXPECT_THAT(refusal(), HasSubstr("expected GlobalSize, or ProblemSize"));
}

TEST_F(T1File, FillsByFormulaAndFromRawBytes) {
  argument(0) = {{"Name", "ramp"},
                 {"Type", "float"},
                 {"Size", 4},
                 {"FillType", "Generator"},
                 {"DataSource", "1+i*0.5 if i%2 == 0 else i//2"},
                 {"AccessType", "ReadOnly"},
                 {"MemoryType", "Vector"}};
  const Argument ramp = load().arguments[0];
  const auto bytes = fill_content(ramp.fill, ramp.type, 4);
  std::array<float, 4> values{};
  std::memcpy(values.data(), bytes->data(), bytes->size());
  EXPECT_EQ(values, (std::array<float, 4>{1, 0, 2, 1}));

  const std::string content(reinterpret_cast<const char*>(values.data()), sizeof values);
  folder_.write("data.bin", content);
  argument(0)["FillType"] = "BinaryRaw";
  argument(0)["DataSource"] = "data.bin";
  const Argument raw = load().arguments[0];
  EXPECT_EQ(fill_content(raw.fill, raw.type, 4), bytes);
  argument(0)["Size"] = 5;
  EXPECT_THAT(refusal(), HasSubstr("Arguments[0].DataSource"));
  argument(0).erase("Size");
  EXPECT_EQ(search::to_text(load().arguments[0].shape[0].evaluate(search::NamedValues{})), "4");
}

TEST_F(T1File, StartsEveryRunFromTheFillOfAWrittenVector) {
  EXPECT_EQ(load().arguments[2].role, Role::inout);
  argument(2).erase("FillType");
  argument(2).erase("FillValue");
  EXPECT_EQ(load().arguments[2].role, Role::output);
}

TEST_F(T1File, VectorTypesAreTheirElements) {
  const Argument points = load().arguments[0];
  EXPECT_EQ(points.type, ElementType::f32);
  EXPECT_EQ(plan_buffer(points, {}).elements, 256u);
  argument(0)["Type"] = "custom";
  EXPECT_THAT(refusal(), HasSubstr("KernelSpecification.Arguments[0].Type"));
}

TEST_F(T1File, ReferenceArgumentsAreDataWithTheirOwnTolerance) {
  specification()["ReferenceArguments"] = {{{"Name", "reference"},
                                            {"FillType", "Generator"},
                                            {"DataSource", "2 * i"},
                                            {"TargetName", "out"},
                                            {"ValidationMethod", "SideBySideRelativeComparison"},
                                            {"ValidationThreshold", 0.01}}};
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.reference.data.at("out").formula.text(), "2 * i");
  EXPECT_EQ(kernel.arguments[2].tolerance.relative.text(), search::Expression::constant(0.01).text());
  EXPECT_EQ(kernel.arguments[2].tolerance.absolute.text(), search::Expression::constant(0.0).text());
  specification()["ReferenceArguments"][0]["ValidationMethod"] = "AbsoluteDifference";
  EXPECT_THAT(refusal(), HasSubstr("ReferenceArguments[0].ValidationMethod"));
}

TEST_F(T1File, BudgetIsTheTemplates) {
  document_["Budget"] = {{{"Type", "TuningDuration"}, {"BudgetValue", 60}},
                         {{"Type", "ConfigurationFraction"}, {"BudgetValue", 0.5}}};
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.budget.seconds, 60);
  EXPECT_EQ(kernel.budget.fraction, 0.5);
  document_["Budget"][0]["Type"] = "Patience";
  EXPECT_THAT(refusal(), HasSubstr("Budget[0].Type"));
}

TEST_F(T1File, ConditionsMayUseBenchmarkConfig) {
  document_["BenchmarkConfig"] = {{"MAX_THREADS", 64}};
  document_["ConfigurationSpace"]["Conditions"][0]["Expression"] = "WIDTH * HEIGHT == MAX_THREADS";
  EXPECT_EQ(load().constraints.front(), "WIDTH * HEIGHT == (64)");
  document_["ConfigurationSpace"]["Conditions"][0]["Expression"] = "WIDTH * DEPTH == 64";
  EXPECT_THAT(refusal(), HasSubstr("Conditions[0].Expression: 'DEPTH' means nothing here"));
}

TEST_F(T1File, FastMathIsForTheGpuAndEmptyOptionsAreNone) {
  specification()["CompilerOptions"] = {"", "-use_fast_math", "-std=c++14"};
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.options, (std::vector<std::string>{"-std=c++14"}));
  EXPECT_EQ(kernel.backend_options.at("cuda"), (std::vector<std::string>{"-use_fast_math"}));
}

// What one compiler does not know fails every configuration there.
TEST_F(T1File, OptionsReachTheCompilersThatKnowThem) {
  specification()["CompilerOptions"] = {"--use_fast_math -std=c++17",
                                        "-D",
                                        "A=1",
                                        "--define-macro=B",
                                        "-arch",
                                        "sm_80",
                                        "-Xptxas",
                                        "-v",
                                        "-maxrregcount=32",
                                        "--fmad=false",
                                        "-restrict",
                                        "-lineinfo",
                                        "-O3",
                                        "-Xcompiler",
                                        "-Wall",
                                        "--expt-relaxed-constexpr"};
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.options, (std::vector<std::string>{"-std=c++17", "-DA=1", "-DB"}));
  EXPECT_EQ(kernel.backend_options.at("cuda"),
            (std::vector<std::string>{"--use_fast_math", "-arch=sm_80", "--ptxas-options=-v", "-maxrregcount=32",
                                      "--fmad=false", "-restrict", "-lineinfo"}));
  EXPECT_FALSE(kernel.backend_options.contains("host"));
  EXPECT_THAT(kernel.notes, Contains(HasSubstr("-O3, -Xcompiler=-Wall, --expt-relaxed-constexpr: no effect")));
  EXPECT_THAT(notes_on(kernel, "host"), Contains(HasSubstr("-lineinfo: no effect on the host")));
  EXPECT_THAT(notes_on(kernel, "cuda"), testing::Not(Contains(HasSubstr("on the host"))));
}

TEST_F(T1File, TypeNamesMakeATemplatesInstance) {
  specification()["KernelTypeNames"] = {"float", "int"};
  EXPECT_EQ(load().launches.front().kernel, "sum<float, int>");
}

TEST_F(T1File, SaysWhichKeysHaveNoEffect) {
  document_["Search"] = {{"Name", "Random"}};
  const KernelTemplate kernel = load();
  EXPECT_THAT(kernel.notes, Contains(HasSubstr("General.LoggingLevel, General.TimeUnit, General.OutputFile")));
  EXPECT_THAT(kernel.notes, Contains("Search: no effect, --strategy chooses the search"));
}

TEST_F(T1File, RefusesByNameWhatItDoesNotKnowOrSupport) {
  const auto expect = [&](const char* pointer, const Json& value, const char* named) {
    const Json before = document_;
    document_[Json::json_pointer(pointer)] = value;
    EXPECT_THAT(refusal(), HasSubstr(named)) << pointer;
    document_ = before;
  };
  expect("/KernelSpecification/Language", "OpenCL", "KernelSpecification.Language: 'OpenCL'");
  expect("/KernelSpecification/SharedMemry", 16, "KernelSpecification.SharedMemry");
  expect("/KernelSpecification/ReferenceKernel", "naive", "KernelSpecification.ReferenceKernel");
  expect("/KernelSpecification/Stream", 1, "KernelSpecification.Stream");
  expect("/KernelSpecification/LocalSize/W", "1", "KernelSpecification.LocalSize.W");
  expect("/KernelSpecification/Arguments/0/FillType", "Script", "Arguments[0].FillType: 'Script'");
  expect("/KernelSpecification/Arguments/0/MemoryType", "Local", "Arguments[0].MemoryType: 'Local'");
  expect("/KernelSpecification/Arguments/0/Size", "WIDTH", "Arguments[0].Size: 'WIDTH' is a parameter");
  expect("/KernelSpecification/Arguments/0/Output", 1, "Arguments[0].Output");
  expect("/ConfigurationSpace/TuningParameters/0/Name", "W(", "TuningParameters[0].Name");
  expect("/ConfigurationSpace/TuningParameters/0/Type", "complex", "TuningParameters[0].Type");
  expect("/ConfigurationSpace/TuningParameters/0/Values", "[-1]", "TuningParameters[0].Values: -1 is no uint");
  expect("/KernelSpecification/KernelFile", "gone.cu", "KernelSpecification.KernelFile");
}

// Kernel Tuner passes every argument, and copies those of constant memory as well.
TEST_F(T1File, AConstantIsPassedWhereTheKernelTakesItAndCopiedWhereThereIsAVariable) {
  argument(1) = {{"Name", "weights"},    {"Type", "float"},          {"Size", 9},
                 {"FillValue", 1.0},     {"AccessType", "ReadOnly"}, {"MemoryType", "Vector"},
                 {"MemType", "Constant"}};
  const auto expect = [&](const char* source, const char* symbol, std::vector<std::string> arguments) {
    folder_.write("sum.cu", source);
    const KernelTemplate kernel = load();
    EXPECT_EQ(kernel.arguments[1].symbol, symbol) << source;
    EXPECT_EQ(kernel.launches[0].arguments, arguments) << source;
  };
  const char* three = "__constant__ float other[2], weights[9];\n__global__ void sum(float4* p, float* w, float* o) {}";
  expect(three, "weights", {"points", "weights", "out"});
  expect("__global__ void sum(float4* p, const float* weights, float* o) {}", "", {"points", "weights", "out"});
  expect("__constant__ float weights[9];\n__global__ void sum(float4* p, float* o) {}", "weights", {"points", "out"});
  folder_.write("weights.h", "extern __constant__ float weights[9];");
  expect("#include \"weights.h\"\n__global__ void sum(float4* p, float* w, float* o) {}", "weights",
         {"points", "weights", "out"});
  argument(1)["MemoryType"] = "Symbol";
  expect(three, "weights", {"points", "out"});
}

std::map<std::string, std::string> defines_of(const KernelTemplate& kernel, const search::NamedValues& scope) {
  std::map<std::string, std::string> defines;
  for (const auto& [name, value] : kernel.defines) defines[name] = search::to_text(value.evaluate(scope));
  return defines;
}

TEST_F(T1File, DefinesTheMacrosOfKernelTunerThatItsSourceAsksFor) {
  const search::NamedValues scope{{"WIDTH", std::int64_t{32}}, {"HEIGHT", std::int64_t{2}}};
  const auto defines = [&](const char* source) {
    folder_.write("sum.cu", source);
    return defines_of(load(), scope);
  };
  using Defines = std::map<std::string, std::string>;
  EXPECT_EQ(defines("__global__ void sum() {}"), (Defines{{"kernel_tuner", "1"}}));
  EXPECT_EQ(defines("__global__ void sum() { int n = grid_size_x * block_size_x + grid_size_y + block_size_z; }"),
            (Defines{{"kernel_tuner", "1"},
                     {"grid_size_x", "8"},
                     {"grid_size_y", "128"},
                     {"block_size_x", "32"},
                     {"block_size_z", "1"}}));
  // Names that KTT's sources have for something of their own.
  EXPECT_EQ(defines("#define block_size_y 4\n__global__ void sum() { int grid_size_x = block_size_y; }"),
            (Defines{{"kernel_tuner", "1"}}));
  EXPECT_EQ(defines("#ifndef block_size_z\n#define block_size_z 4\n#endif\nint x = block_size_z;"),
            (Defines{{"kernel_tuner", "1"}, {"block_size_z", "1"}}));
}

TEST_F(T1File, AParameterThatIsNamedAsAMacroOfKernelTunersIsItself) {
  document_["ConfigurationSpace"]["TuningParameters"][0]["Name"] = "block_size_x";
  document_["ConfigurationSpace"]["Conditions"] = Json::array();
  specification()["LocalSize"]["X"] = "block_size_x";
  specification()["GlobalSize"]["X"] = 8;
  folder_.write("sum.cu", "#ifndef kernel_tuner\n#define block_size_x 4\n#endif\nint x = block_size_x;");
  EXPECT_EQ(load().given_macros(), (std::set<std::string>{"block_size_x", "HEIGHT", "kernel_tuner"}));
}

TEST_F(T1File, NotesAParameterThatOnlyConditionsUse) {
  document_["ConfigurationSpace"]["TuningParameters"].push_back(
      {{"Name", "SWITCH"}, {"Type", "int"}, {"Values", "[0, 1]"}});
  document_["ConfigurationSpace"]["Conditions"].push_back({{"Expression", "SWITCH == 0 or WIDTH > 16"}});
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.unused, std::vector<std::string>{"SWITCH"});
  EXPECT_THAT(kernel.notes, Contains(testing::AllOf(HasSubstr("TuningParameters[2]: sum.cu does not use SWITCH"),
                                                    HasSubstr("though the Conditions ask for it"))));
  EXPECT_NO_THROW(check_macros(kernel));
}

TEST_F(T1File, NamesMeetAManifestsChecks) {
  auto& parameter = document_["ConfigurationSpace"]["TuningParameters"][0];
  for (const char* name : {"warp_size", "time", "max_error"}) {
    parameter["Name"] = name;
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("sum_file.json: ConfigurationSpace.TuningParameters[0].Name"),
                                          HasSubstr("expected another name")));
  }
  parameter["Name"] = "WIDTH";
}

TEST_F(T1File, AParameterCountsBeforeANameOfBenchmarkConfig) {
  document_["BenchmarkConfig"] = {{"WIDTH", 64}};
  const KernelTemplate kernel = load();
  EXPECT_EQ(kernel.constraints.front(), "WIDTH * HEIGHT >= 64");
  EXPECT_THAT(kernel.notes, Contains("BenchmarkConfig.WIDTH: no effect, the parameter of that name counts"));
}

TEST_F(T1File, ChecksOfItsSourceNameItsKeys) {
  specification()["KernelName"] = "summ";
  folder_.write("sum.cu", "__global__ void sum(float4* p, int step, float* o) {}");
  const auto fault = [&] {
    try {
      check_sources(load());
    } catch (const ManifestError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault(), HasSubstr("sum_file.json: KernelSpecification.KernelName: "));
  specification()["KernelName"] = "sum";
  EXPECT_THAT(fault(), HasSubstr("sum_file.json: KernelSpecification.Arguments[1]: step is float"));
}

TEST_F(T1File, IsSilentAboutKeysThatSayNothing) {
  specification()["Stream"] = nullptr;
  specification()["GridDivY"] = Json::array();
  document_["General"] = Json::object();
  EXPECT_TRUE(load().notes.empty());
}

}  // namespace
}  // namespace warptune::tuner
