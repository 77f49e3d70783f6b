// What the program says of itself: help, suggestions, examples, the list of templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliHelp : public testing::Test {
 protected:
  CliHelp() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments, const std::string& before = "") {
    return run_program(folder_, "cd " + folder_.path().string() + "; " + before + " WARPTUNE_DB=" +
                                    (folder_.path() / "s.db").string() + " XDG_CACHE_HOME=" + folder_.path().string() +
                                    "/cache " + warptune_program() + " " + arguments);
  }
  // The verbs that the program lists, each with its help.
  std::vector<std::pair<std::string, std::string>> verbs() {
    std::vector<std::pair<std::string, std::string>> all;
    std::istringstream lines(run("--help").out);
    bool verbs = false;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(' ')) verbs = line.ends_with(':') && line != "Store and output:";
      if (!verbs || !line.starts_with("  ") || line.starts_with("   ") || line.starts_with("  -")) continue;
      const std::string verb = line.substr(2, line.find(' ', 2) - 2);
      all.emplace_back(verb, run("help " + verb).out);
    }
    for (const std::string verb : {"history rm", "history name", "history note"})
      all.emplace_back(verb, run("help " + verb).out);
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(CliHelp, AloneItSaysWhatToDoFirst) {
  const ProgramRun alone = run("");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err,
              AllOf(HasSubstr("warptune templates"), HasSubstr("warptune tune"), HasSubstr("warptune help")));
  EXPECT_THAT(alone.out, IsEmpty());
}

TEST_F(CliHelp, OfAVerbIsTheSameByBothNames) {
  const auto all = verbs();
  ASSERT_GE(all.size(), 20u);
  for (const auto& [verb, help] : all) EXPECT_EQ(run(verb + " --help").out, help) << verb;
  EXPECT_EQ(run("help cache stats").out, run("cache stats --help").out);
}

TEST_F(CliHelp, HasAPageOfWhatTheHostLacks) {
  const ProgramRun page = run("help host");
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_THAT(page.out, AllOf(HasSubstr("inline PTX"), HasSubstr("textures"), HasSubstr("host:sm_86")));
}

TEST_F(CliHelp, FitsEightyColumnsAndSpeaksOfNoTypesOfTheParser) {
  for (const auto& [verb, help] : verbs()) {
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }), 80) << line;
    EXPECT_THAT(help, Not(testing::ContainsRegex("UINT|TEXT:|FLOAT|:INT")));
  }
}

TEST_F(CliHelp, EveryExampleIsUnderstoodByTheProgram) {
  for (const char* file :
       {"replay", "a.json.gz", "b.json.gz", "gemm.json.gz", "sessions.json", "my_kernel.cu", "my_reference.cpp"})
    folder_.write(file, "");
  std::size_t examples = 0;
  for (const auto& [verb, help] : verbs()) {
    std::istringstream lines(help.substr(std::min(help.find("Examples:"), help.size())));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  warptune ")) continue;
      ++examples;
      const std::string command = line.substr(11, line.find_first_of("|>", 11) - 11);  // without the shell's part
      const ProgramRun parsed = run("parse -- " + command);
      EXPECT_EQ(parsed.exit_code, 0) << line << parsed.err;
    }
    EXPECT_THAT(help, HasSubstr("Examples:")) << verb;
    EXPECT_EQ(help.find("Examples:"), help.rfind("Examples:")) << verb;
  }
  EXPECT_GT(examples, 20u);
  EXPECT_EQ(run("parse -- tune vector_add --budgte 5s").exit_code, 2);  // or the check would prove nothing
  EXPECT_EQ(run("parse -- best --format yaml").exit_code, 2);
}

TEST_F(CliHelp, SuggestsWhatWasMeant) {
  const std::string tune = "tune " + folder_.path().string() + " --device host ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tnue gemm", "no verb 'tnue' (did you mean tune?)"},
      {"help hsitory", "no verb 'hsitory' (did you mean history?)"},
      {"cache stat", "no verb 'stat' (did you mean stats?)"},
      {"tune gemm --buget 5s", "has no option --buget (did you mean --budget?)"},
      {"best --format=jsn", "no 'jsn' (did you mean json?)"},
      {"history --outcome corect", "no 'corect' (did you mean correct?)"},
      {"tune vectoradd", "no template 'vectoradd' (did you mean vector_add?)"},
      {"templates vectr_add", "(did you mean vector_add?)"},
      {tune + "--size N=10", "no problem size 'N' (did you mean n?)"},
      {tune + "--budget 1 --strategy genetik", "no strategy 'genetik' (did you mean genetic?)"},
      {tune + "--budget 1 --objective tiem", "no metric 'tiem' (did you mean time?)"},
      {tune + "--restrict 'BLOK == 64'", "(did you mean BLOCK?)"},
      {"run " + folder_.path().string() + " --device host --param BLOK=64", "(did you mean BLOCK?)"},
      {"run vector_add --device host --technique vectr_type", "(did you mean vector_type?)"},
      {"run gemm --device host --variant PRECISION=duble", "'duble' (did you mean double?)"},
      {"run gemm --device host --preset hots", "no preset 'hots' (did you mean host?)"},
      {"run gemm --device hots", "no device 'hots' (did you mean host?)"},
  };
  for (const auto& [line, wanted] : cases) {
    const ProgramRun done = run(line);
    EXPECT_NE(done.exit_code, 0) << line;
    EXPECT_THAT(done.err, HasSubstr(wanted)) << line;
  }
  EXPECT_THAT(run("frobnicate").err, AllOf(HasSubstr("no verb 'frobnicate';"), Not(HasSubstr("did you mean"))));
}

TEST_F(CliHelp, NamesAMissingArgumentAsItDoesInTheUsage) {
  EXPECT_THAT(run("init").err, HasSubstr("warptune init: expected FILE: the file with the kernel"));
  EXPECT_THAT(run("diff 1").err, HasSubstr("warptune diff: expected SESSION: the other session"));
  EXPECT_THAT(run("import").err, HasSubstr("warptune import: expected FILE"));
  EXPECT_THAT(run("compare").err, HasSubstr("--spaces is required"));
  EXPECT_THAT(run("tune").err, HasSubstr("a template to tune, or a recording"));
  EXPECT_THAT(run("run").err, HasSubstr("warptune run: a template to run, or --trial with a number"));
  EXPECT_THAT(run("run " + folder_.path().string() + " --device host --param BLOK=1").err,
              HasSubstr("(did you mean BLOCK?); the parameters are BLOCK"));
  EXPECT_THAT(run("tune x --race 1.05").err, HasSubstr("'1.05' is neither 0 nor a number from 1.1 to 1000000"));
}

// A kernel may be named behind any option.
TEST_F(CliHelp, AnOptionThatMayBeRepeatedTakesOneValueEachTime) {
  for (const char* options : {"--budget 1", "--strategy random --strategy-option samples=1", "-I ."}) {
    const ProgramRun done = run(std::string("tune ") + options + " no_such_kernel");
    EXPECT_THAT(done.err, HasSubstr("no template 'no_such_kernel'")) << options;
  }
  EXPECT_THAT(run("tune vector_add --device host --strategy auto --strategy-option a=1").err,
              HasSubstr("strategy auto has no option 'a'; it has none"));
}

TEST_F(CliHelp, WordsTheParsersErrorsInPlainEnglish) {
  const std::string folder = folder_.path().string();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tune x --budget", "warptune tune: --budget needs a value: LIMIT; "},
      {"tune x --budget=", "--budget needs a value: LIMIT; "},
      {"tune x --seed", "--seed needs a value: N; "},
      {"tune x --name", "--name needs a value: a name for the session"},
      {"best --format", "--format needs a value: table|json|csv; "},
      {"compare --spaces", "--spaces needs a value: FILE; "},
      {"tune x --seed 1 --seed 2", "--seed takes one value, and was given 2: 1, 2; "},
      {"tune x --size M=1 --size N=2", "--size takes one value, and was given 2: M=1, N=2; write --size M=1,N=2; "},
      {"tune x --deterministic=foo", "warptune tune: --deterministic takes no value; "},
      {"tune x --keep-going=2", "warptune tune: --keep-going takes no value; "},
      {"check --keep=0", "warptune check: --keep takes no value; "},
      {"--version=3", "warptune: --version takes no value; "},
      {"cache", "warptune cache: expected one of stats, clear; "},
      {"--db x.db history", "options follow the verb: warptune history --db …; "},
      {"import /no/file", "warptune import: there is no file /no/file; "},
      {"import " + folder, "warptune import: " + folder + " is a folder, and a file is expected; "},
      {"tune x --sizes /no/file", "warptune tune: --sizes: there is no file /no/file; "},
      {"run x --trial 1 --size n=5", "--trial and --size contradict each other; "},
      {"explain x --trial 2", "warptune explain: a trial's number is enough: warptune explain --trial 2; "},
  };
  for (const auto& [line, wanted] : cases) {
    const ProgramRun done = run(line);
    EXPECT_EQ(done.exit_code, 2) << line;
    EXPECT_THAT(done.err, HasSubstr(wanted)) << line;
  }
}

// Whatever option of whatever verb: what the parser says itself names C++'s types, and counts.
TEST_F(CliHelp, EveryOptionWithoutItsValueIsSaidToNeedOne) {
  std::size_t options = 0;
  const auto guide = nlohmann::json::parse(run("help --json").out);
  for (const auto& verb : guide["verbs"])
    for (const auto& option : verb["options"]) {
      if (option.contains("positional") || !option.contains("value")) continue;
      const std::string name = option["name"];
      if (name == "--agents" || name == "--serve") continue;  // stand alone, too
      EXPECT_THAT(run(verb["name"].get<std::string>() + " " + name).err, HasSubstr(name + " needs a value: ")) << verb;
      ++options;
    }
  EXPECT_GT(options, 50u);
}

TEST_F(CliHelp, SaysWhichOptionAValueAloneMayBelongTo) {
  EXPECT_THAT(run("run saxpy N=100").err, HasSubstr("'N=100' (did you mean --size N=100 or --param N=100?)"));
  EXPECT_THAT(run("tune saxpy N=100").err, HasSubstr("'N=100' (did you mean --size N=100?)"));
}

TEST_F(CliHelp, SaysHowATimeInTwoWordsIsWritten) {
  for (const char* words : {"5 minutes", "5 min", "5 m"})
    EXPECT_THAT(run("tune saxpy --seed 3 --budget " + std::string(words)).err,
                HasSubstr("(did you mean --budget 5m?)"));
  EXPECT_THAT(run("tune saxpy --budget 2 hours").err, HasSubstr("(did you mean --budget 2h?)"));
  EXPECT_THAT(run("tune saxpy minutes").err, Not(HasSubstr("did you mean")));
}

// The folder of this test's template.
TEST_F(CliHelp, NamesTheTemplateOfTheFolderWhereOneIsAskedFor) {
  for (const std::string verb : {"tune", "run", "space"})
    EXPECT_THAT(run(verb).err, HasSubstr("(template.toml lies here: `warptune " + verb + " .`)")) << verb;
  EXPECT_THAT(run("init").err, Not(HasSubstr("lies here")));
  std::filesystem::remove(folder_.path() / "template.toml");
  EXPECT_THAT(run("tune").err, Not(HasSubstr("lies here")));
}

TEST_F(CliHelp, ListsAndDescribesTemplates) {
  const std::string list = run("templates").out;
  EXPECT_THAT(list, AllOf(HasSubstr("  vector_add "), HasSubstr("  gemm ")));
  const std::string one = run("templates gemm").out;
  for (const char* text : {"Sizes", "Variants", "Presets", "Parameters", "Techniques", "PRECISION", "[float] double",
                           "warptune tune gemm"})
    EXPECT_THAT(one, HasSubstr(text));
  EXPECT_THAT(run("templates " + folder_.path().string()).out, HasSubstr("32 [64] 128"));
  EXPECT_THAT(run("templates gemm --format csv").out, HasSubstr("variant,PRECISION,float double,float,"));
}

TEST_F(CliHelp, AFolderOfTheUsersHidesATemplateOfTheSameName) {
  const auto mine = folder_.path() / "mine/gemm";
  std::filesystem::create_directories(mine);
  for (const char* file : {"template.toml", "kernel.cu", "reference.cu"})
    std::filesystem::copy(folder_.path() / file, mine / file);
  const std::string before = "WARPTUNE_TEMPLATES=mine";
  EXPECT_THAT(run("templates gemm", before).out, HasSubstr("32 [64] 128"));
  const std::string list = run("templates", before).out;
  EXPECT_THAT(list, HasSubstr("In mine:\n  gemm"));
  EXPECT_EQ(list.find("  gemm "), list.rfind("  gemm "));
  std::ofstream(mine / "template.toml") << "name = \"gemm\"\nnonsense = 1\n";
  EXPECT_THAT(run("templates", before).out, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace warptune::tuner
