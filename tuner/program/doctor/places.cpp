// Checks the user's own folder, the cache of compiled configurations, the kernel templates, and whether the store is
// sound and can be written, now or when it is first needed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/health.h"
#include "db/store_address.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/measure/cache/shared_cache.h"
#include "tuner/program/doctor/diagnosis.h"
#include "tuner/program/doctor/disk.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner::doctor {

namespace {

namespace fs = std::filesystem;

constexpr const char* cache_elsewhere =
    "name another place in XDG_CACHE_HOME; without a cache everything is compiled "
    "again each time";

int templates_in(const fs::path& folder) {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    count += fs::is_regular_file(entry.path() / "template.toml", ignored) ? 1 : 0;
  return count;
}

// Reads the shared cache as a session would. Only a session finds out whether it may be written, since nothing is left
// behind here.
Finding look_at_shared_cache(const SharedCacheOptions& options) {
  SharedCache cache(options);
  for (int tries = 0; !cache.left_alone() && tries < SharedCache::most_failures_in_a_row; ++tries)
    cache.get(sha256("warptune doctor"));
  for (const auto& [kind, text] : cache.notices())
    return {Health::warning, text, "see that the server runs and lets this machine read; sessions go on without it"};
  return {Health::ok,
          fmt::format("{} answers; entries are {}", options.url, options.read_only ? "only read" : "read and written"),
          ""};
}

std::vector<Finding> look_at_folder(const Surroundings& surroundings) {
  if (surroundings.cache.empty()) return {finding_of(surroundings.no_cache, Health::warning)};
  const std::string folder = surroundings.cache.string();
  if (const std::string why_not = why_not_writable(surroundings.cache); !why_not.empty())
    return {{Health::warning, fmt::format("{} cannot be used ({})", folder, why_not), cache_elsewhere}};
  const CacheStats stats = CodeCache({surroundings.cache, surroundings.cache_limit_bytes}).stats();
  return {{Health::ok,
           fmt::format("{}: {} entries, {} of at most {}", folder, stats.entries, bytes_text(stats.bytes),
                       bytes_text(surroundings.cache_limit_bytes)),
           ""}};
}

}  // namespace

std::vector<Finding> look_at_home(const Surroundings& surroundings) {
  const std::string& home = surroundings.home;
  if (home.empty())
    return {{Health::warning, "HOME is not set", "set it, or name places in WARPTUNE_DB and XDG_CACHE_HOME"}};
  std::error_code ignored;
  if (!fs::is_directory(home, ignored))
    return {{Health::warning, fmt::format("HOME is {}, which is no folder", home),
             "create it, or name places in WARPTUNE_DB and XDG_CACHE_HOME"}};
  const std::string why_not = why_not_writable(home);
  if (why_not.empty()) return {{Health::ok, home, ""}};
  return {{Health::warning, fmt::format("HOME cannot be written ({})", why_not),
           "get permission, or name places in WARPTUNE_DB and XDG_CACHE_HOME"}};
}

std::vector<Finding> look_at_cache(const Surroundings& surroundings) {
  std::vector<Finding> findings = look_at_folder(surroundings);
  if (!surroundings.no_shared_cache.empty())
    findings.push_back({Health::error, surroundings.no_shared_cache, "mend the address, or unset WARPTUNE_CACHE_URL"});
  else if (!surroundings.shared_cache.url.empty())
    findings.push_back(look_at_shared_cache(surroundings.shared_cache));
  return findings;
}

std::vector<Finding> look_at_templates(const Surroundings& surroundings) {
  std::vector<std::string> searched;
  for (const fs::path& folder : surroundings.templates) {
    const std::string name = fs::absolute(folder).lexically_normal().string();
    if (const int count = templates_in(folder); count > 0)
      return {{Health::ok, fmt::format("{} in {}", count, name), ""}};
    searched.push_back(name);
  }
  return {{Health::warning, fmt::format("no kernel template is found; looked in {}", fmt::join(searched, ", ")),
           "install them, or name their folder in WARPTUNE_TEMPLATES; kernels of your own need none"}};
}

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
