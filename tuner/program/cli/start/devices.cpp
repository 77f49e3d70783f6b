// Implements `warptune devices`, which lists the devices of this machine with their limits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tuner/device/backends/device_choice.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

std::vector<std::string> variant_ids(const DeviceInfo& device) {
  std::vector<std::string> ids;
  for (const DeviceInfo& variant : variants_of(device)) ids.push_back(variant.id);
  return ids;
}

// Returns a device as text, with a row for each of its limits. A table with a column for each would be unreadable.
std::string limits_text(const DeviceInfo& device) {
  std::string text = fmt::format("{}  {}\n", device.id, device.name);
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<37} {}\n", name, value);  // the line of a GPU's UUID has 80 characters
  };
  line("uuid", device.uuid);
  line("architecture", device.architecture);
  line("driver", device.driver.empty() ? "-" : device.driver);
  // A limit that is not known, or that a host does not have, is 0.
  const auto known = [](const std::string& value) { return value == "0" ? "-" : value; };
  for (const auto& [name, value] : device.limits())
    line(name, name == "ecc" ? search::to_text(value) : known(search::to_text(value)));
  line("memory_bandwidth_gbs", known(fmt::format("{:.0f}", device.memory_bandwidth_gbs())));
  if (const auto ids = variant_ids(device); !ids.empty())
    text += "  " +
            wrapped_text(fmt::format("with the limits of an architecture: --device {}", fmt::join(ids, ", ")),
                         output_width(), 4) +
            "\n";
  return text;
}

Table device_table(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> columns{"device", "name", "uuid", "architecture", "driver"};
  for (const auto& [name, value] : DeviceInfo{}.limits()) columns.push_back(name);
  columns.push_back("memory_bandwidth_gbs");
  Table table(columns);
  for (const DeviceInfo& device : devices) {
    std::vector<Cell> row{device.id, device.name, device.uuid, device.architecture,
                          device.driver.empty() ? Cell() : Cell(device.driver)};
    for (const auto& [name, value] : device.limits()) row.emplace_back(value);
    row.emplace_back(device.memory_bandwidth_gbs());
    table.add(std::move(row));
  }
  return table;
}

Json devices_json(const DeviceList& list) {
  Json json = document("devices", "devices", device_table(list.devices));
  json["absent"] = list.absent;
  for (const DeviceInfo& device : list.devices)
    if (const auto ids = variant_ids(device); !ids.empty()) json["variants"][device.id] = ids;
  return json;
}

void show_devices(Context& context) {
  const DeviceList list = workers::FirstWorker(worker_program()).list_devices(backend_options());
  if (context.output_format() == Format::table)
    for (const DeviceInfo& device : list.devices) write_output("", limits_text(device));
  else if (context.output_format() == Format::csv)
    write_output("", device_table(list.devices).render(Format::csv));
  else
    write_output("", text_of(devices_json(list)));
  for (const std::string& reason : list.absent) say(reason);
  if (list.devices.empty()) context.exit_code = no_device;
}

}  // namespace

void add_devices(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("devices", "List the devices of this machine with their limits");
  add_format_option(*verb, context);
  verb->group(verbs::start);
  add_examples(*verb, {{"what there is to tune on", "warptune devices"}});
  verb->callback([&context] { show_devices(context); });
}

}  // namespace warptune::tuner::cli
