#include "tests/conformance/evaluators.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/library/api/problem.h"
#include "tuner/measure/agents/agent.h"
#include "tuner/measure/agents/fleet.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/measure/workers/pool.h"
#include "tuner/session/replay/replay_evaluator.h"

namespace warptune::tuner {
namespace {

constexpr int n = 100;

constexpr char manifest[] = R"toml(
name = "add_one"
[sizes]
n = 100
[parameters.BLOCK]
values = [32, 64]
default = 32
[parameters.MODE]
values = ["right", "wrong", "broken"]
default = "right"
[arguments.x]
type = "int"
shape = ["n"]
fill = { range = [0, 1] }
[arguments.y]
type = "int"
shape = ["n"]
role = "output"
[arguments.n]
type = "int"
value = "n"
[[launches]]
kernel = "add_one"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["x", "y", "n"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 32)"
block = 32
arguments = ["x", "y", "n"]
)toml";

constexpr char kernel[] = R"cuda(
#define right 1
#define wrong 2
#define broken 3
#if MODE == broken
#error "this configuration does not compile"
#endif
extern "C" __global__ void add_one(const int* x, int* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = x[i] + MODE;
}
)cuda";

constexpr char reference[] = R"cuda(
extern "C" __global__ void reference(const int* x, int* y, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}
)cuda";

// The files, and what has been compiled, for all tests of this program.
const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  static const bool written = [] {
    made.write("template.toml", manifest);
    made.write("kernel.cu", kernel);
    made.write("reference.cu", reference);
    return true;
  }();
  (void)written;
  return made;
}

EvaluatorOptions quick() {
  EvaluatorOptions options;
  options.cache.folder = folder().path() / "cache";
  options.compile_jobs = 2;
  options.policy.min_samples = options.policy.max_samples = 3;
  options.policy.warmup_seconds = 0;
  return options;
}

// The template on the host.
struct TemplateWorld : EvaluatorWorld {
  KernelTemplate kernel = load_template(folder().path() / "template.toml");
  DeviceInfo host = choose_device("host", {});
  search::NamedValues constants = problem_constants(resolve_problem(kernel, "", {}).values(), host);
  search::SearchSpace searched = build_space(kernel, constants);
  std::unique_ptr<Evaluator> made;

  const search::SearchSpace& space() const override { return searched; }
  Evaluator& evaluator() override { return *made; }
};

std::unique_ptr<EvaluatorWorld> in_this_process() {
  auto world = std::make_unique<TemplateWorld>();
  world->made =
      std::make_unique<DeviceEvaluator>(world->kernel, world->searched, world->constants, world->host, quick());
  return world;
}

// The same as functions: what a Tuner makes of them.
struct FunctionWorld : EvaluatorWorld {
  Tuner::Problem problem = told();
  KernelTemplate template_of_it = problem.kernel_template();
  DeviceInfo host = choose_device("host", {});
  search::NamedValues constants = problem_constants(resolve_problem(template_of_it, "", {}).values(), host);
  search::SearchSpace searched = build_space(template_of_it, constants);
  DeviceEvaluator made{template_of_it, searched, constants, host, quick()};

  static Tuner::Problem told() {
    Tuner::Problem problem;
    problem.name = "add_one";
    problem.sources = {{kernel, {"add_one"}, {"-std=c++17"}}};
    problem.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}},
                          {"MODE", {std::string("right"), std::string("wrong"), std::string("broken")}}};
    problem.arrays = {{"x", ElementType::i32, Role::input, std::vector<std::byte>(n * sizeof(int)), {}},
                      {"y", ElementType::i32, Role::output, std::vector<std::byte>(n * sizeof(int)), {}}};
    problem.launcher = [](const Run& run) {
      run.launch("add_one", {{(n + run["BLOCK"] - 1) / run["BLOCK"]}, {run["BLOCK"]}}, run.array("x"), run.array("y"),
                 n);
    };
    problem.reference = [](HostArrays& arrays) {
      for (int& y : arrays.get<int>("y")) y = 1;
    };
    return problem;
  }

  const search::SearchSpace& space() const override { return searched; }
  Evaluator& evaluator() override { return made; }
};

std::unique_ptr<EvaluatorWorld> in_workers(bool in_order) {
  auto world = std::make_unique<TemplateWorld>();
  workers::Setup setup;
  setup.place.manifest = folder().path() / "template.toml";
  setup.constants = world->constants;
  setup.options = quick();
  workers::PoolOptions options;
  options.program.file = warptune_program();
  options.deterministic = in_order;
  world->made = std::make_unique<workers::WorkerPool>(world->searched, std::move(setup),
                                                      std::vector<DeviceInfo>{world->host}, std::move(options));
  return world;
}

// With one more process, as if it were on another machine.
struct AgentsWorld : TemplateWorld {
  static constexpr char token[] = "a token of these tests";
  agents::Coordinator coordinator{{"127.0.0.1", 0}, token, [](const std::string&) {}};
  SessionFiles texts{TemplatePlace{folder().path() / "template.toml"}};
  std::atomic<bool> stop{false};
  std::jthread agent;

  AgentsWorld() {
    workers::Setup setup{texts.place(), constants, quick()};
    workers::Program program{.file = warptune_program()};
    workers::FirstWorker first_worker(program);
    first_worker.list_devices({});
    const CompilerFacts compiler = first_worker.compiler_facts(setup, host);
    agents::AgentOptions options{.coordinator = {"127.0.0.1", coordinator.port()},
                                 .token = token,
                                 .name = "agent",
                                 .program = program,
                                 .cache = quick().cache,
                                 .compile_jobs = 1,
                                 .stop = &stop};
    options.say = [](const std::string&) {};
    agent = std::jthread([options] { agents::run_agent(options); });
    agents::Offer offer = agents::offer_of(setup, host, compiler);
    auto pool = std::make_unique<workers::WorkerPool>(searched, std::move(setup), std::vector<DeviceInfo>{host},
                                                      workers::PoolOptions{.program = program});
    auto fleet = std::make_unique<agents::Fleet>(searched, std::move(pool), coordinator, std::move(offer),
                                                 agents::FleetOptions{});
    // All tests are to see both machines at work.
    for (const std::size_t alone = fleet->capacity(); fleet->capacity() == alone;) {
      fleet->wait(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    made = std::move(fleet);
  }
  ~AgentsWorld() override {
    stop = true;
    made.reset();
  }
};

db::RecordedSpace recorded() {
  db::RecordedSpace space;
  space.kernel = "add_one";
  space.device = "Some GPU";
  space.parameters = {{"BLOCK", {}}, {"MODE", {}}};
  for (const std::int64_t block : {32, 64})
    for (const char* mode : {"right", "wrong", "broken"}) {
      db::RecordedTrial& trial = space.trials.emplace_back();
      trial.values = {block, std::string(mode)};
      trial.phases.compile_ms = 10;
      if (mode == std::string("right")) {
        trial.times_ms = {1.5};
        trial.measurements = {{"time", 1.5}};
      } else {
        trial.outcome = mode == std::string("wrong") ? search::Outcome::wrong_result : search::Outcome::compile_error;
        trial.message = "as recorded";
      }
    }
  db::set_seen_domains(space);
  return space;
}

struct ReplayWorld : EvaluatorWorld {
  replay::Recording recording{recorded(), "recorded"};
  replay::ReplayEvaluator replay{recording, 2};

  const search::SearchSpace& space() const override { return recording.space(); }
  Evaluator& evaluator() override { return replay; }
};

}  // namespace

std::vector<EvaluatorCase> evaluator_cases() {
  return {{"InThisProcess", in_this_process},
          {"Functions", []() -> std::unique_ptr<EvaluatorWorld> { return std::make_unique<FunctionWorld>(); }},
          {"Workers", [] { return in_workers(false); }},
          {"Agents", []() -> std::unique_ptr<EvaluatorWorld> { return std::make_unique<AgentsWorld>(); }},
          {"WorkersInOrder", [] { return in_workers(true); }},
          {"Replay", []() -> std::unique_ptr<EvaluatorWorld> { return std::make_unique<ReplayWorld>(); }}};
}

}  // namespace warptune::tuner
