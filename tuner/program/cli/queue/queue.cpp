// Implements `warptune queue`, `cancel` and `wait`, which list submitted work, cancel it and wait until it has ended.
#include "db/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/queue/quota.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {

namespace {

constexpr std::uint64_t any_work = std::numeric_limits<db::WorkId>::max();

Cell unless_empty(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

// Returns why the work failed, or why it has not begun.
Cell message_of(const db::WorkRecord& work, const std::vector<db::WorkUser>& users) {
  const auto user = std::ranges::find(users, work.submitted_by, &db::WorkUser::name);
  if (work.state == db::WorkState::queued && user != users.end())
    if (const auto why = why_held_back(*user)) return *why;
  return unless_empty(work.message);
}

Table table_of(const std::vector<db::WorkRecord>& work, const std::vector<db::WorkUser>& users) {
  Table table({"work", "state", "priority", "kernel", "problem_size", "gpu", "session", "submitted_by", "submitted_at",
               "started_at", "ended_at", "worker", "attempts", "message"});
  for (const db::WorkRecord& one : work)
    table.add({one.id, std::string(to_string(one.state)), one.order.priority, one.order.kernel, one.order.problem,
               unless_empty(one.order.gpu), one.session ? Cell(*one.session) : Cell(), one.submitted_by,
               moment_cell(one.submitted_at), moment_cell(one.started_at), moment_cell(one.ended_at),
               unless_empty(one.worker), one.attempts, message_of(one, users)});
  table.less_important({"submitted_at", "started_at", "ended_at", "attempts", "priority", "worker", "submitted_by"});
  return table;
}

void run_queue(std::size_t ended, Context& context) {
  const db::WorkQueue queue = db::WorkQueue::open(context.store_name(), db::OpenMode::read_only);
  context.print("queue", "work", table_of(queue.list(ended), queue.users()));
}

void run_cancel(const std::vector<db::WorkId>& ids, Context& context) {
  db::WorkQueue queue = db::WorkQueue::open(context.store_name(), db::OpenMode::read_write);
  for (const db::WorkId id : ids)
    if (!queue.find(id))
      throw RequestError(fmt::format("there is no work {}; `warptune queue` lists what there is", id));
  const std::vector<db::WorkId> cancelled = queue.cancel(ids);
  for (const db::WorkId id : ids)
    if (std::ranges::find(cancelled, id) == cancelled.end()) say(fmt::format("work {} has ended already", id));
  std::vector<db::WorkRecord> now;
  for (const db::WorkId id : cancelled) now.push_back(queue.find(id).value());
  context.print("cancel", "work", table_of(now, {}));
}

struct WaitArguments {
  std::vector<db::WorkId> ids;
  double timeout_s = 0;
};

std::vector<db::WorkRecord> found(const db::WorkQueue& queue, const std::vector<db::WorkId>& ids) {
  std::vector<db::WorkRecord> work;
  for (const db::WorkId id : ids) {
    const auto one = queue.find(id);
    if (!one) throw RequestError(fmt::format("there is no work {}; `warptune queue` lists what there is", id));
    work.push_back(*one);
  }
  return work;
}

void run_wait(const WaitArguments& options, Context& context) {
  const db::WorkQueue queue = db::WorkQueue::open(context.store_name(), db::OpenMode::read_only);
  const Interrupt interrupt;
  std::vector<db::WorkId> ids = options.ids;
  if (ids.empty())
    for (const db::WorkRecord& one : queue.list(0)) ids.push_back(one.id);
  if (ids.empty()) say("nothing is queued or running");
  const auto ended = [](const db::WorkRecord& one) { return db::has_ended(one.state); };
  const auto start = std::chrono::steady_clock::now();
  std::vector<db::WorkRecord> work = found(queue, ids);
  while (!std::ranges::all_of(work, ended) && !interrupt.flag().load()) {
    if (options.timeout_s > 0 &&
        std::chrono::steady_clock::now() - start > std::chrono::duration<double>(options.timeout_s))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    work = found(queue, ids);
  }
  context.print("wait", "work", table_of(work, queue.users()));
  const auto done = [](const db::WorkRecord& one) { return one.state == db::WorkState::done; };
  if (!std::ranges::all_of(work, done)) context.exit_code = interrupt.flag().load() ? interrupted : work_not_done;
}

}  // namespace

void add_queue(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("queue", "List the queued work of a shared store: running, waiting and ended");
  auto ended = std::make_shared<std::size_t>(10);
  verb->add_option("--ended", *ended, "number of ended entries to list, the latest first")
      ->check(whole(0, 1'000'000))
      ->capture_default_str()
      ->group(group::list);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"who does what", "warptune queue --db postgresql://db.site/tuning"}});
  verb->callback([ended, &context] { run_queue(*ended, context); });
}

void add_cancel(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("cancel", "Cancel queued work; a running session is ended");
  auto ids = std::make_shared<std::vector<db::WorkId>>();
  verb->add_option("work", *ids, "numbers, as `warptune queue` lists them")
      ->required()
      ->check(whole(1, any_work))
      ->type_name("NUMBER");
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"not these two", "warptune cancel 7 8 --db postgresql://db.site/tuning"}});
  verb->callback([ids, &context] { run_cancel(*ids, context); });
}

void add_wait(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("wait", "Wait until submitted work has ended; fails unless all of it is done");
  auto options = std::make_shared<WaitArguments>();
  verb->add_option("work", options->ids, "numbers; default: all that has not ended yet")
      ->check(whole(1, any_work))
      ->type_name("NUMBER");
  verb->add_option("--timeout", options->timeout_s, "no longer than this; 0: as long as it takes")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"in a pipeline", "warptune wait 7 8 9 --timeout 3600 --db postgresql://db.site/tuning"}});
  verb->callback([options, &context] { run_wait(*options, context); });
}

}  // namespace warptune::tuner::cli
