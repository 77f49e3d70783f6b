// Checks whether the store can be written, now or when it is first needed, and whether it is sound.
#include <fmt/format.h>

#include "db/health.h"
#include "db/store_address.h"
#include "tuner/program/doctor/checks.h"
#include "tuner/program/doctor/disk.h"

namespace warptune::tuner::doctor {

namespace {

namespace fs = std::filesystem;

constexpr const char* elsewhere = "name another store with --db or WARPTUNE_DB";

Finding to_be_made(const fs::path& file) {
  const std::string why_not = why_not_writable(file.parent_path());
  if (why_not.empty()) return {Health::ok, fmt::format("{} will be made when something is tuned", file.string()), ""};
  return {Health::error, fmt::format("{} cannot be made ({})", file.string(), why_not),
          fmt::format("get permission to write there, or {}", elsewhere)};
}

std::string schema_text(const db::StoreHealth& health) {
  if (health.schema == health.newest_schema) return fmt::format("schema {}", health.schema);
  return fmt::format("schema {}, to be brought to {} when it is next written", health.schema, health.newest_schema);
}

// Returns whether the store is sound, in words. A server looks after its own pages.
std::string_view soundness(const fs::path& store, const db::StoreHealth& health) {
  if (db::is_address(store)) return "";
  return health.checked ? ", sound" : ", too large to read all of it here";
}

Finding examined(const fs::path& file) {
  try {
    const db::StoreHealth health = db::examine_store(file);
    return {Health::ok,
            fmt::format("{}: {} session{}, {}, {}, writable{}", db::shown_name(file).string(), health.sessions,
                        health.sessions == 1 ? "" : "s", bytes_text(health.bytes), schema_text(health),
                        soundness(file, health)),
            ""};
  } catch (const db::StoreError& error) {
    // Whoever writes at this moment will have ended when the next session writes.
    const bool passes = error.cause() == db::StoreError::Cause::busy;
    return finding_of(error.what(), passes ? Health::warning : Health::error);
  }
}

}  // namespace

std::vector<Finding> look_at_store(const Surroundings& surroundings) {
  if (surroundings.store.empty()) return {finding_of(surroundings.no_store, Health::error)};
  if (db::is_address(surroundings.store)) return {examined(surroundings.store)};
  std::error_code ignored;
  const bool exists = fs::exists(surroundings.store, ignored);
  std::vector<Finding> findings{exists ? examined(surroundings.store) : to_be_made(surroundings.store)};
  if (const std::string kind = network_file_system(surroundings.store.parent_path()); !kind.empty())
    findings.push_back({Health::warning,
                        fmt::format("the store lies on {}, where SQLite's locks do not hold between machines", kind),
                        fmt::format("use it from one machine at a time, or {} on a disk of this machine", elsewhere)});
  return findings;
}

}  // namespace warptune::tuner::doctor
