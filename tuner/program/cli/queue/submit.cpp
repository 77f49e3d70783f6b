// Implements `warptune submit`, which writes sessions to be tuned into the store of a server, for nodes that take them.
#include <fmt/format.h>

#include <algorithm>

#include "db/queue.h"
#include "tuner/kernel/files/bundle.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/queue/quota.h"
#include "tuner/program/cli/tuning/tune_arguments.h"
#include "tuner/program/cli/tuning/tune_sizes.h"
#include "tuner/session/queue/order_arguments.h"

namespace warptune::tuner::cli {

namespace {

struct SubmitArguments {
  TuneArguments tune;
  std::string gpu;
  std::int64_t priority = 0;
};

// Returns the problem's items as an option's value: "M=512,N=512".
std::string items(const search::NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, search::to_text(value));
  return text;
}

// Returns whether `tune` gets the option as it was given. Other options have fields of their own in the order, or are
// written anew from the resolved problem.
bool passes(const CLI::Option& option) {
  const std::string name = option.get_name();
  return is_ordered(name) && name != "--size" && name != "--variant" && name != "--budget";
}

std::vector<std::string> passed_on(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    if (!passes(*option) || option->count() == 0) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    for (const std::string& value : option->results())
      words.push_back(is_flag ? option->get_name() : option->get_name() + '=' + value);
  }
  return words;
}

// Adds the limits of the budget to the order. A time may be spent in several attempts, so it is kept apart.
void take_budget(const std::vector<std::string>& limits, db::WorkOrder& order) {
  search::BudgetLimits all;  // refuses contradictory limits here, and not only on the node
  for (const std::string& text : limits) {
    add_limit(all, text);
    search::BudgetLimits limit;
    add_limit(limit, text);
    if (limit.seconds)
      order.budget_s = std::min(order.budget_s.value_or(*limit.seconds), *limit.seconds);
    else
      order.arguments.push_back("--budget=" + text);
  }
}

db::WorkOrder order_of(const Problem& problem, const KernelTemplate& kernel, const SubmitArguments& options,
                       const CLI::App& verb) {
  db::WorkOrder order;
  order.kernel = kernel.name;
  order.problem = problem.values();
  order.gpu = options.gpu;
  order.priority = options.priority;
  order.arguments = passed_on(verb);
  if (!problem.sizes.empty()) order.arguments.push_back("--size=" + items(problem.sizes));
  for (const auto& [name, value] : problem.variants)
    order.arguments.push_back(fmt::format("--variant={}={}", name, search::to_text(value)));
  take_budget(options.tune.budget, order);
  return order;
}

void tell_of_quota(const db::WorkQueue& queue, db::WorkId submitted) {
  const std::string user = queue.find(submitted).value().submitted_by;
  for (const db::WorkUser& one : queue.users())
    if (const auto why = why_held_back(one); why && one.name == user)
      say(fmt::format("what {} submits stays queued for now: {}", user, *why));
}

void run_submit(const SubmitArguments& options, const CLI::App& verb, Context& context) {
  const TuneRequest request = make_request(options.tune);  // says what is wrong with the words now, not on a node
  if (!request.transfer.files.empty())
    throw RequestError(
        fmt::format("cannot submit with --transfer {}: nodes do not have this file; `warptune import` it into the "
                    "store and name its session",
                    request.transfer.files.front().name));
  const KernelTemplate kernel = load_template(request.manifest);
  std::vector<Problem> problems{{request.sizes, request.variants}};
  if (!options.tune.sizes.empty()) problems = read_problems(options.tune.sizes, kernel);
  // The problems are resolved here, so that they are the same on every node. The host device has a preset of its own
  // where none is named.
  for (Problem& problem : problems) problem = resolve_problem(kernel, request.preset, problem);
  std::vector<db::WorkOrder> orders;
  const Bundle bundle = bundle_of(request.manifest);
  for (const Problem& problem : problems) orders.push_back(order_of(problem, kernel, options, verb));
  for (db::WorkOrder& order : orders) order.manifest = bundle.manifest;
  std::vector<db::WorkFile> files;
  for (const BundledFile& file : bundle.files) files.push_back({file.path, file.content});
  db::WorkQueue queue = db::WorkQueue::open(context.store_name(), db::OpenMode::read_write);
  const std::vector<db::WorkId> ids = queue.submit(orders, files);
  tell_of_quota(queue, ids.front());
  Table table({"work", "kernel", "problem_size", "gpu"});
  for (std::size_t i = 0; i < ids.size(); ++i)
    table.add({ids[i], orders[i].kernel, orders[i].problem, orders[i].gpu.empty() ? Cell() : Cell(orders[i].gpu)});
  context.print("submit", "work", table);
}

// Adds the options that describe the sessions. None of them is about this machine or its store.
void add_session_options(CLI::App& verb, SubmitArguments& options) {
  verb.add_option("template", options.tune.kernel, "a template's name, folder or manifest; its files go along")
      ->required()
      ->type_name("TEMPLATE");
  verb.option_defaults()->group(group::problem);
  add_size_option(verb, options.tune.size);
  verb.add_option("--sizes", options.tune.sizes, "many problems, one a line: M=512 N=512; a session each")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->excludes("--size");
  add_variant_option(verb, options.tune.variants);
  add_preset_option(verb, options.tune.request.preset);
  add_restrict_option(verb, options.tune.request.restrictions);
  verb.option_defaults()->group(group::problem);
  verb.add_option("--name", options.tune.request.name, "a name for the sessions")
      ->check(refusal_of_session_name)
      ->type_name("TEXT");
  verb.add_option("--gpu", options.gpu, "part of the name of the devices to tune on; default: any")->type_name("NAME");
  verb.add_option("--priority", options.priority, "higher ones are taken first")
      ->check(CLI::Range(-1'000'000, 1'000'000).description(""))
      ->type_name("NUMBER")
      ->capture_default_str();
  add_search_options(verb, options.tune);
  add_measuring_options(verb, options.tune);
}

}  // namespace

void add_submit(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("submit", "Queue sessions in a shared store, for nodes that run `warptune work`");
  auto options = std::make_shared<SubmitArguments>();
  add_session_options(*verb, *options);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"on whichever node has such a GPU; WARPTUNE_DB names the store",
                        "warptune submit gemm --gpu 'NVIDIA H200' --budget 10m"}});
  verb->callback([options, verb, &context] { run_submit(*options, *verb, context); });
}

}  // namespace warptune::tuner::cli
