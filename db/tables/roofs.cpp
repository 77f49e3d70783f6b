// Saves, loads and merges roofs by the model of the device and the name of the roof.
#include "db/tables/roofs.h"

namespace warptune::db {

namespace {

const std::string replacement =
    " ON CONFLICT (backend, device, architecture, memory_gib, multiprocessors, name) DO UPDATE SET"
    " value = excluded.value, method = excluded.method, driver = excluded.driver, device_uuid = excluded.device_uuid,"
    " measured_at = excluded.measured_at, tool_version = excluded.tool_version";

void bind_model(Query& query, const DeviceRecord& device) {
  query.bind(device.backend).bind(device.name).bind(device.architecture);
  query.bind(device.memory_gib).bind(device.multiprocessors);
}

}  // namespace

void save_roofs(Connection& connection, const DeviceRecord& device, std::span<const Roof> roofs) {
  const std::string now = connection.now();
  for (const Roof& roof : roofs) {
    Query insert = connection.query(
        "INSERT INTO roofs (backend, device, architecture, memory_gib, multiprocessors, name, value, method,"
        " driver, device_uuid, measured_at, tool_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" +
        replacement);
    bind_model(insert, device);
    insert.bind(roof.name).bind(roof.value).bind(roof.method).bind(device.driver).bind(roof.device_uuid);
    insert.bind(roof.measured_at.empty() ? now : roof.measured_at).bind(roof.tool_version).run();
  }
}

std::vector<Roof> load_roofs(Connection& connection, const DeviceRecord& device) {
  Query select = connection.query(
      "SELECT name, value, method, driver, device_uuid, measured_at, tool_version FROM roofs WHERE (backend, device,"
      " architecture, memory_gib, multiprocessors) = (?, ?, ?, ?, ?) ORDER BY name");
  bind_model(select, device);
  std::vector<Roof> roofs;
  while (select.step())
    roofs.push_back(
        {select.text(), select.real(), select.text(), select.text(), select.text(), select.text(), select.text()});
  return roofs;
}

std::int64_t merge_roofs(Connection& connection) {
  return connection.execute("INSERT INTO roofs SELECT * FROM other_roofs WHERE true" + replacement +
                            " WHERE excluded.measured_at > roofs.measured_at");
}

}  // namespace warptune::db
