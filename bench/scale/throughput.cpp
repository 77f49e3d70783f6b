// Many sessions: submits them, and lets many workers take them.
#include <fmt/format.h>

#include <ctime>
#include <deque>
#include <thread>

#include "bench/scale/driver.h"
#include "bench/scale/verbs.h"
#include "bench/scale/worker.h"
#include "db/server.h"

namespace warptune::tuner::bench {

namespace {

double process_cpu_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// A count and the process's time, both of one moment.
nlohmann::json figures(const Watch& watch) {
  const double wall_s = std::chrono::duration<double>(WallClock::now().time_since_epoch()).count();
  return {{"wall_s", wall_s},
          {"cpu_s", process_cpu_s()},
          {"trials", watch.trials.load()},
          {"sessions", watch.sessions.load()},
          {"failures", watch.failures.load()}};
}

WorkSettings settings_of(const Options& options) {
  const std::size_t devices = options.count("devices", 1);
  WorkSettings settings{.store = options.text("store"),
                        .strategy = options.text("strategy", "random"),
                        .machine = {.devices = devices, .compilers = devices * options.count("compilers", 8)},
                        .trials_per_second = options.number("rate", 0)};
  settings.drain = options.number("seconds", 0) == 0;
  return settings;
}

// A folder of sources as a template has them; what is in them nobody reads.
std::vector<db::WorkFile> template_files() {
  return {{"template.toml", std::string(4000, '#')}, {"kernel.cu", std::string(16000, '/')}};
}

}  // namespace

void prepare(const Options& options) {
  const std::string store = options.text("store");
  db::Store::open(store, db::OpenMode::read_write);
  if (options.text("users", "").empty()) return;
  for (const std::string& user : options.list("users")) db::grant(store, db::StoreRole::tuner, user);
}

void submit(const Options& options) {
  const Problems problems = read_problems(options.list("recordings"));
  std::vector<db::WorkOrder> orders;
  for (auto next = problems.begin(); orders.size() < options.count("sessions", 1);) {
    db::WorkOrder& order = orders.emplace_back();
    order.kernel = next->first;
    order.problem = {{"M", std::int64_t{4096}}, {"N", std::int64_t{4096}}, {"K", std::int64_t{4096}}};
    order.arguments = {std::to_string(options.count("trials", 100))};
    order.manifest = "template.toml";
    if (++next == problems.end()) next = problems.begin();
  }
  db::WorkQueue::open(options.text("store"), db::OpenMode::read_write).submit(orders, template_files());
}

void work(const Options& options) {
  const Problems problems = read_problems(options.list("recordings"));
  const WorkSettings settings = settings_of(options);
  Watch watch;
  std::deque<Worker> workers;
  for (std::size_t i = 0; i < options.count("workers", 1); ++i)
    workers.emplace_back(settings, problems, watch, fmt::format("node{}:1", i));
  std::vector<std::jthread> threads;
  for (Worker& worker : workers) threads.emplace_back([&worker] { worker.run(); });
  std::this_thread::sleep_for(std::chrono::duration<double>(options.number("warm_up", 0)));
  say_and_wait("begin", figures(watch));
  watch.measuring = true;
  if (!settings.drain) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.number("seconds", 0)));
    say_and_wait("end", figures(watch));
    watch.stop = true;
  }
  threads.clear();  // joins
  if (settings.drain) say_and_wait("end", figures(watch));
  Latencies all;
  for (const Worker& worker : workers) all.add(worker.latencies());
  say("latencies", all.summary());
}

}  // namespace warptune::tuner::bench
