// Several processes at one store on a server: submitting, working, cancelling, waiting.
#include <fstream>

#include "tests/support/http_server.h"
#include "tests/support/places.h"
#include "tests/tuner/program/cli/cluster_fixture.h"
#include "tuner/library/api/tune.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(CliCluster, WhatIsSubmittedIsTunedElsewhereWithItsFiles) {
  const ProgramRun submitted = submit("--sizes " + path("sizes.txt") + " --budget 3 --name nightly");
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, AllOf(HasSubstr("1,doubling,n=1000,"), HasSubstr("2,doubling,n=2000,")));
  std::filesystem::remove(folder_.path() / "kernel.cu");  // it went along
  const ProgramRun worked = on_server("work --device host --drain --format csv");
  ASSERT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(worked.out, AllOf(HasSubstr("1,doubling,n=1000,done,1"), HasSubstr("2,doubling,n=2000,done,2")));
  const auto sessions = shared().history({});
  ASSERT_EQ(sessions.size(), 2u);
  for (const db::SessionRecord& session : sessions) {
    EXPECT_EQ(session.trials, 3);
    EXPECT_EQ(session.state, db::SessionState::finished);
    EXPECT_EQ(session.name, "nightly");
  }
  EXPECT_EQ(on_server("wait 1 2").exit_code, 0);
  EXPECT_THAT(on_server("queue --format csv").out, HasSubstr("1,done,0,doubling,n=1000,"));
}

TEST_F(CliCluster, AProgramTakesWorkThroughTheLibrary) {
  submit("--sizes " + path("sizes.txt") + " --budget 3");
  struct Watch : WorkObserver {
    void on_offer(const std::string&, const std::vector<std::string>& offered) override { devices = offered; }
    void on_words(const std::string& text) override { words += text; }
    std::vector<std::string> devices;
    std::string words;
  } watch;
  const WorkRequest request{.store = address_,
                            .program = warptune_program(),
                            .device = "host",
                            .environment = {"XDG_CACHE_HOME=" + path("cache")},
                            .drain = true};
  const std::vector<TakenWork> taken = work(request, &watch);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1].work, 2);
  EXPECT_EQ(taken[1].end, WorkEnd::done);
  EXPECT_EQ(taken[1].problem, (search::NamedValues{{"n", 2000}}));
  EXPECT_TRUE(shared().winner(taken[1].session));
  EXPECT_THAT(watch.devices, testing::ElementsAre(HasSubstr("(host, ")));
  EXPECT_THAT(watch.words, HasSubstr("3 trials in "));
  EXPECT_TRUE(work(request).empty());

  WorkRequest unnamed = request;
  unnamed.environment = {"=x"};
  EXPECT_THROW(work(unnamed), std::invalid_argument);
}

// Every verb's document is one of the schema's; without python3-jsonschema at least JSON.
TEST_F(CliCluster, DocumentsAreTheSchemas) {
  const std::string check =
      " | python3 -c 'import json, sys\ndocument = json.load(sys.stdin)\ntry: import jsonschema\n"
      "except ImportError: sys.exit(0)\n"
      "jsonschema.validate(document, json.load(open(sys.argv[1])))' " +
      source_folder() + "/tuner/results/report/output.schema.json";
  const std::string folder = folder_.path().string();
  for (const std::string& verb :
       {"submit " + folder + " --strategy random --finals 0 --budget 2", "submit " + folder + " --gpu H200",
        std::string("cancel 2"), std::string("queue"), std::string("work --device host --drain"), std::string("wait 1"),
        std::string("quota"), std::string("quota warptune 0s"), "submit " + folder, std::string("queue")}) {
    const ProgramRun run = on_server(verb + " --format json" + check);
    EXPECT_EQ(run.exit_code, 0) << verb << ": " << run.err;
  }
}

TEST_F(CliCluster, CancelledWorkIsNotTunedAndWaitSaysSo) {
  submit("--sizes " + path("sizes.txt") + " --budget 3");
  EXPECT_EQ(on_server("cancel 1").exit_code, 0);
  EXPECT_THAT(on_server("cancel 1").err, HasSubstr("has ended already"));
  EXPECT_EQ(on_server("cancel 9").exit_code, 3);
  EXPECT_EQ(on_server("cancel -1").exit_code, 2);
  EXPECT_EQ(on_server("wait 0").exit_code, 2);
  EXPECT_EQ(on_server("wait 2 --timeout 1").exit_code, 11);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(on_server("wait 2").exit_code, 0);
  EXPECT_EQ(on_server("wait 1 2").exit_code, 11);
  EXPECT_EQ(shared().history({}).size(), 1u);
}

TEST_F(CliCluster, WorkGoesToDevicesOfItsNameAndFailsWhereItCannotBeTuned) {
  ASSERT_EQ(submit("--gpu 'NVIDIA H200' --budget 3 --priority -2").exit_code, 0);
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(1)->state, db::WorkState::queued);
  change_kernel("#error nothing compiles");
  submit("--gpu host --budget 3");
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(2)->state, db::WorkState::failed);
  EXPECT_THAT(queue().find(2)->message, testing::Not(testing::IsEmpty()));
}

// A later version of the program has brought the schema up to date meanwhile: sessions of this one cannot open it.
TEST_F(CliCluster, AWorkerWhoseSessionsCannotUseTheStoreEndsAndFailsNoWork) {
  ASSERT_EQ(submit("--gpu elsewhere --budget 3 --sizes " + path("sizes.txt")).exit_code, 0);
  const pid_t worker = start_worker("worker.log");
  ASSERT_TRUE(comes_true([&] {
    std::ifstream log(path("worker.log"));
    return std::string(std::istreambuf_iterator<char>(log), {}).find("offers") != std::string::npos;
  }));
  server->execute(database_, "UPDATE warptune.schema_version SET version = version + 1");
  server->execute(database_, "UPDATE warptune.work SET gpu = ''");
  int status = 0;
  ASSERT_TRUE(comes_true([&] { return waitpid(worker, &status, WNOHANG) == worker; }));
  EXPECT_EQ(WEXITSTATUS(status), 5);
  server->execute(database_, "UPDATE warptune.schema_version SET version = version - 1");
  for (const db::WorkRecord& work : queue().list(9)) {
    EXPECT_EQ(work.state, db::WorkState::queued);
    EXPECT_EQ(work.attempts, 0);
  }
  EXPECT_THAT(queue().find(1)->message, HasSubstr("update warptune"));
}

TEST_F(CliCluster, WhatCannotBeTunedAnywhereIsNotSubmitted) {
  EXPECT_EQ(submit("--size m=5").exit_code, 3);
  EXPECT_EQ(submit("--budget soon").exit_code, 2);
  EXPECT_THAT(on_server("submit " + folder_.path().string() + " --db " + path("s.db")).err, HasSubstr("PostgreSQL"));
  folder_.write("w.json", R"({"device_name": "A100", "kernel_name": "doubling", "tune_params_keys": ["BLOCK"],
      "tune_params": {"BLOCK": [32]}, "problem_size": [1], "objective": "time", "cache": {}})");
  const ProgramRun with_file = submit("--transfer " + path("w.json"));
  EXPECT_EQ(with_file.exit_code, 3);
  EXPECT_THAT(with_file.err, HasSubstr("nodes do not have this file"));
  folder_.write("elsewhere.h", "#define TWICE 2\n");
  change_kernel("#include \"" + path("elsewhere.h") + "\"");
  const ProgramRun absolute = submit("");
  EXPECT_EQ(absolute.exit_code, 3);
  EXPECT_THAT(absolute.err, HasSubstr("absolute path"));
  EXPECT_THAT(on_server("queue --format csv").out, testing::Not(HasSubstr("doubling")));
}

TEST_F(CliCluster, NodesShareMachineCodeWhereTheyChooseToAndNotWhereSubmittersDo) {
  const HttpServer trusted, planted;
  const auto on_node = [&](const std::string& node, const std::string& arguments) {
    return run_program(
        folder_, environment_text() + "XDG_CACHE_HOME=" + path(node) + " " + warptune_program() + " " + arguments);
  };
  const std::string work = "work --device host --drain --cache-url " + trusted.url();
  submit("--sizes " + path("sizes.txt") + " --budget 3");
  server->execute(database_,
                  "UPDATE warptune.work SET arguments = replace(arguments, '[', '[' || chr(34) ||"
                  " '--cache-url=" +
                      planted.url() + "' || chr(34) || ',') WHERE id = 2");
  EXPECT_EQ(on_node("first", work).exit_code, 0);
  EXPECT_EQ(queue().find(2)->state, db::WorkState::failed);
  EXPECT_EQ(queue().find(1)->state, db::WorkState::done) << queue().find(1)->message;
  EXPECT_GE(trusted.files().size(), 3u);
  EXPECT_EQ(planted.gets() + planted.puts(), 0);
  const int puts = trusted.puts();
  submit("--size n=2000 --budget 3");
  EXPECT_EQ(on_node("second", work + " --cache-read-only").exit_code, 0);
  EXPECT_EQ(queue().find(3)->state, db::WorkState::done);
  EXPECT_EQ(trusted.puts(), puts);
  const std::string stats = on_node("second", "cache stats --format csv").out;
  EXPECT_THAT(stats, testing::Not(HasSubstr(",0,"))) << "nothing came from the first node";
}

// By SQL, as anybody with the role of a tuner may.
TEST_F(CliCluster, ARowThatSubmitDidNotWriteFailsAloneAndOpensNothingOnANode) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"arguments = json_build_array('--db=elsewhere.db')::text", "--db=elsewhere.db"},
      {"arguments = json_build_array('--serve=0.0.0.0:0')::text", "--serve=0.0.0.0:0"},
      {"arguments = json_build_array('--agents=0')::text", "--agents=0"},
      {"arguments = json_build_array('--device', 'replay:/etc/passwd')::text", "--device"},
      {"arguments = json_build_array('--transfer=/etc/passwd')::text", "/etc/passwd"},
      {"arguments = json_build_array('elsewhere')::text", "elsewhere"},
      {"arguments = json_build_array('-h')::text", "-h"},
      {"arguments = json_build_array('--')::text", "'--'"},
      {"arguments = json_build_array('--help')::text", "--help"},
      {"arguments = json_build_object('--size', 1)::text", "none that warptune wrote"},
      {"arguments = 'no JSON'", "none that warptune wrote"},
      {"arguments = '[1]'", "none that warptune wrote"},
      {"problem = '[]'", "none that warptune wrote"},
      {"problem = ''", "none that warptune wrote"},
      {"manifest = '/etc/passwd'", "none of the files"},
      {"manifest = '../template.toml'", "none of the files"},
      {"bundle = ''", "not those that were submitted"}};
  std::string sizes;
  for (std::size_t i = 0; i <= wrong.size() + 1; ++i) sizes += "n=" + std::to_string(1000 + i) + "\n";
  folder_.write("many.txt", sizes);
  ASSERT_EQ(submit("--budget 2 --sizes " + path("many.txt")).exit_code, 0);
  for (std::size_t i = 0; i < wrong.size(); ++i)
    server->execute(database_, "UPDATE warptune.work SET " + wrong[i].first + " WHERE id = " + std::to_string(i + 1));
  EXPECT_EQ(on_server("queue").exit_code, 0);
  const ProgramRun worked = on_server("work --device host --drain");
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const auto work = queue().find(static_cast<db::WorkId>(i + 1)).value();
    EXPECT_EQ(work.state, db::WorkState::failed) << wrong[i].first;
    EXPECT_THAT(work.message, HasSubstr(wrong[i].second));
  }
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere.db")));
  EXPECT_EQ(shared().history({}).size(), 2u);  // of the rows that nobody touched
}

TEST_F(CliCluster, AFileThatIsNotTheOneSubmittedIsNotCompiled) {
  submit("--size n=1000 --budget 2");
  server->execute(database_, "UPDATE warptune.work_contents SET content = content || convert_to(' ', 'UTF8')");
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(1)->state, db::WorkState::failed);
  EXPECT_THAT(queue().find(1)->message, HasSubstr("not those that were submitted"));
  submit("--size n=1000 --budget 2");
  server->execute(database_, "DELETE FROM warptune.work_files WHERE path <> 'template.toml'");
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(2)->state, db::WorkState::failed);
  submit("--size n=1000 --budget 2");  // which mends what it finds
  EXPECT_EQ(on_server("work --device host --drain").exit_code, 0);
  EXPECT_EQ(queue().find(3)->state, db::WorkState::done) << queue().find(3)->message;
}

// The verbs that list, move and examine say of a store on a server what they say of a file.
TEST_F(CliCluster, VerbsTakeAnAddressWhereverAFileIsTaken) {
  ASSERT_EQ(on_server("tune " + folder_.path().string() + " --device host --strategy random --budget 3").exit_code, 0);
  EXPECT_THAT(on_server("history --format csv").out, HasSubstr("doubling"));
  EXPECT_EQ(on_server("show 1").exit_code, 0);
  EXPECT_THAT(on_server("doctor").out, HasSubstr("1 session"));
  EXPECT_EQ(on_server("merge '" + address_ + "' --db " + path("taken.db")).exit_code, 0);
  EXPECT_EQ(on_server("export --format warptune-json -o " + path("a.json")).exit_code, 0);
  EXPECT_EQ(on_server("export --format warptune-json -o " + path("b.json") + " --db " + path("taken.db")).exit_code, 0);
  EXPECT_EQ(run_program(folder_, "cmp " + path("a.json") + " " + path("b.json")).exit_code, 0);
  EXPECT_EQ(on_server("import " + path("a.json")).exit_code, 0);
  EXPECT_EQ(on_server("gc").exit_code, 0);
  EXPECT_EQ(on_server("grant reader nobody_there").exit_code, 5);
  EXPECT_EQ(on_server("grant reader x --db " + path("taken.db")).exit_code, 3);
}

}  // namespace
}  // namespace warptune::tuner
