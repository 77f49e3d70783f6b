#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/backends/device_choice.h"
#include "tuner/cli/options.h"
#include "tuner/cli/output.h"
#include "tuner/cli/verbs.h"
#include "tuner/report/document.h"
#include "tuner/report/wrap.h"
#include "tuner/workers/scout.h"

namespace warptune::tuner::cli {

namespace {

std::vector<std::string> variant_ids(const DeviceInfo& device) {
  std::vector<std::string> ids;
  for (const DeviceInfo& variant : variants_of(device)) ids.push_back(variant.id);
  return ids;
}

// One column a device in the table form would be unreadable with its limits, so those are rows.
std::string limits_text(const DeviceInfo& device) {
  std::string text = fmt::format("{}  {}\n", device.id, device.name);
  text += fmt::format("  {:<40} {}\n", "uuid", device.uuid);
  text += fmt::format("  {:<40} {}\n", "architecture", device.architecture);
  text += fmt::format("  {:<40} {}\n", "driver", device.driver.empty() ? "-" : device.driver);
  for (const auto& [name, value] : device.limits()) text += fmt::format("  {:<40} {}\n", name, search::to_text(value));
  text += fmt::format("  {:<40} {:.0f}\n", "memory_bandwidth_gbs", device.memory_bandwidth_gbs());
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

void run(Context& context) {
  const DeviceList list = workers::Scout(worker_program()).list_devices(backend_options());
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
  verb->callback([&context] { run(context); });
}

}  // namespace warptune::tuner::cli
