// Implements `warptune roofs`, which shows what a device reaches at most. That is measured once and kept.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/device/backends/device_choice.h"
#include "tuner/device/roofline/measure_roofs.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

struct RoofsArguments {
  std::string device;
  bool again = false;
};

DeviceInfo chosen_device(const std::string& text) {
  return choose_devices(workers::FirstWorker(worker_program()).list_devices(backend_options()), text).front();
}

// Measures the roofs in this process, which does nothing else: no worker is needed for kernels of our own.
std::vector<db::Roof> measured_on(const DeviceInfo& info) {
  const auto backend = std::ranges::find(backends(), info.backend, &BackendEntry::name);
  const BackendOptions options = backend_options();
  say(fmt::format("measuring what {} ({}) reaches", info.id, info.name));
  const auto device = backend->open(info, options);
  const auto compiler = backend->compiler(info, options);
  RoofEffort effort;
  if (info.is_host()) effort.samples = 5;  // each takes many times as long as on a GPU
  const Interrupt interrupt;
  const auto stop = [&] {
    if (interrupt.flag()) throw Interrupted();
  };
  MeasuredRoofs measured = measure_roofs(*device, *compiler, effort, [&](const std::string&) { stop(); });
  stop();  // what was cut off is no roof
  for (const std::string& note : measured.notes) say("note: " + note);
  for (db::Roof& roof : measured.roofs) {
    roof.device_uuid = info.uuid;
    roof.tool_version = WARPTUNE_VERSION;
  }
  return std::move(measured.roofs);
}

Table roof_table(const std::vector<db::Roof>& roofs) {
  Table table({"roof", "title", "value", "unit", "method", "driver", "device_uuid", "measured_at"});
  table.heading("title", "OF").heading("value", "REACHES").heading("method", "BY").heading("measured_at", "MEASURED");
  table.only_for_programs({"unit", "device_uuid"}).less_important({"driver", "measured_at", "title"});
  for (const RoofKind& kind : roof_kinds()) {
    const db::Roof* roof = find_roof(roofs, kind.name);
    if (!roof) continue;
    table.add({std::string(kind.name), std::string(kind.title), Cell(rate_text(roof->name, roof->value), roof->value),
               kind.bytes ? "B/s" : "FLOP/s", roof->method, roof->driver.empty() ? Cell() : Cell(roof->driver),
               roof->device_uuid.empty() ? Cell() : Cell(roof->device_uuid), moment_cell(roof->measured_at)});
  }
  return table;
}

void run(const RoofsArguments& options, Context& context) {
  const DeviceInfo info = chosen_device(options.device);
  const db::DeviceRecord record = device_record(info);
  db::Store store = context.open_store(db::OpenMode::read_write);
  if (options.again || store.roofs(record).empty()) store.record_roofs(record, measured_on(info));
  const Table table = roof_table(store.roofs(record));
  if (context.output_format() != Format::json)
    return write_output("", table.render(context.output_format(), output_width()));
  Json json = document("roofs", "roofs", table);
  json["device"] = info.name;
  write_output("", text_of(json));
}

}  // namespace

void add_roofs(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("roofs", "Show a device's measured peak bandwidths and arithmetic rates");
  auto options = std::make_shared<RoofsArguments>();
  verb->add_option("--device", options->device, "cuda:0, host …; default: the best available")->type_name("DEVICE");
  verb->add_flag("--again", options->again, "measure again what the store already has");
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::start);
  add_examples(*verb, {{"bandwidths and arithmetic of the best device", "warptune roofs"},
                       {"once more, after another power limit was set", "warptune roofs --device cuda:0 --again"}});
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::tuner::cli
