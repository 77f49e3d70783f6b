#include "tuner/program/cli/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

#include "db/reconnecting.h"
#include "db/store_address.h"
#include "search/spelling.h"
#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/init.h"
#include "tuner/program/cli/limits.h"
#include "tuner/program/cli/options.h"
#include "tuner/results/report/document.h"
#include "tuner/system/file_kind.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path home_folder(const char* what, const char* remedy) {
  if (std::string home = environment("HOME"); !home.empty()) return home;
  throw std::invalid_argument(fmt::format("there is no place for {}: HOME is not set; set it, or {}", what, remedy));
}

// "a:b" -> a, b.
std::vector<fs::path> listed_folders(const std::string& text) {
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) folders.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

// Where the program lies: templates are found beside it, in a build tree as after an installation.
fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// The templates right below a folder, by name; none if it cannot be read.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> manifests;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (const fs::path manifest = entry.path() / "template.toml"; fs::is_regular_file(manifest, error))
      manifests.push_back(manifest.lexically_normal());
  std::ranges::sort(manifests);
  return manifests;
}

// "./gemm" is a path alone, and never the template of that name that comes with the program.
bool starts_here(const std::string& name) {
  const std::string first = fs::path(name).begin()->string();
  return first == "." || first == "..";
}

}  // namespace

fs::path default_database() {
  if (const std::string chosen = environment("WARPTUNE_DB"); !chosen.empty()) return chosen;
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty())
    return fs::path(data) / "warptune/warptune.db";
  return home_folder("the store", "name a store with --db or WARPTUNE_DB") / ".local/share/warptune/warptune.db";
}

fs::path system_database() {
  return environment("WARPTUNE_SYSTEM_DB");
}

void take_reconnecting_limit() {
  const std::string given = environment("WARPTUNE_RECONNECT");
  if (given.empty()) return;
  const auto limit_s = plain_duration_s(given);
  if (!limit_s)
    throw std::invalid_argument(
        fmt::format("WARPTUNE_RECONNECT={} is no time: name seconds, or a time as 90s, 1m30s or 2h", given));
  db::set_reconnecting_limit(std::chrono::milliseconds(std::llround(*limit_s * 1e3)));
}

fs::path default_cache_folder() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "warptune";
  return home_folder("compiled configurations", "name a folder in XDG_CACHE_HOME, or keep none with --no-cache") /
         ".cache/warptune";
}

std::optional<fs::path> presence_folder() {
  std::error_code error;
  const fs::path runtime = environment("XDG_RUNTIME_DIR");
  if (!runtime.empty() && fs::is_directory(runtime, error)) return runtime / "warptune/devices";
  if (environment("XDG_CACHE_HOME").empty() && environment("HOME").empty()) return std::nullopt;
  return default_cache_folder() / "devices";
}

workers::Program worker_program() {
  // The link, not what it leads to: it stays the same program even if the file was replaced meanwhile.
  return {"/proc/self/exe"};
}

std::uint64_t parse_bytes(const std::string& text) {
  const std::string_view units = "kMGT";
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
  if (error != std::errc() || unit.size() > 1 || (!unit.empty() && power == 0))
    throw std::invalid_argument(fmt::format("'{}' is no size: expected bytes, or a number with k, M, G or T", text));
  if (number > UINT64_MAX >> (10 * power))
    throw std::invalid_argument(fmt::format("'{}' is more than 2^64 bytes", text));
  return number << (10 * power);
}

BackendOptions backend_options() {
  BackendOptions options;
  std::vector<fs::path> toolkits;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = environment(name); !folder.empty()) toolkits.emplace_back(folder);
  for (const fs::path& folder : listed_folders(environment("WARPTUNE_CUDA_PATH"))) toolkits.push_back(folder);
  toolkits.emplace_back(WARPTUNE_CUDA_ROOT);
  for (const fs::path& toolkit : toolkits) {
    if (toolkit.empty()) continue;
    for (const char* library : {"lib64", "lib"}) options.library_directories.push_back(toolkit / library);
    options.cuda_include_directories.push_back(toolkit / "include");
  }
  if (const std::string compiler = environment("CXX"); !compiler.empty()) options.host_compiler = compiler;
  return options;
}

std::vector<fs::path> data_folders() {
  const fs::path program = program_folder();
  return {program, program / WARPTUNE_DATA_FROM_PROGRAM};
}

std::vector<fs::path> template_search_path() {
  std::vector<fs::path> folders;
  if (const std::string chosen = environment("WARPTUNE_TEMPLATES"); !chosen.empty()) folders.emplace_back(chosen);
  folders.emplace_back("templates");
  for (const fs::path& folder : data_folders()) folders.push_back(folder / "templates");
  return folders;
}

fs::path find_template(const std::string& name) {
  if (name.empty()) throw RequestError("expected a template: a name or the path of its folder");
  if (is_kernel_source(name) && is_file(name)) return manifest_of_source(name);
  if (is_opencl_source(name)) throw RequestError(fmt::format("{}: {}", name, draft::no_opencl));
  if (is_file(name)) return name;
  if (is_file(fs::path(name) / "template.toml")) return fs::path(name) / "template.toml";
  if (is_kernel_source(name)) text_of_named_file(name);  // says why it cannot be read
  if (starts_here(name) && is_folder(name)) return manifest_of_folder(name);
  std::string searched = "  " + (fs::path(name) / "template.toml").string();
  std::vector<std::string> known;
  for (const fs::path& folder : template_search_path()) {
    const fs::path manifest = (folder / name / "template.toml").lexically_normal();
    if (is_file(manifest)) return manifest;
    searched += "\n  " + manifest.string();
    for (const fs::path& there : manifests_in(folder)) known.push_back(there.parent_path().filename().string());
  }
  if (is_folder(name)) return manifest_of_folder(name);
  throw RequestError(
      fmt::format("there is no template '{}'{}. Looked for\n{}\n`warptune templates` lists those there are", name,
                  search::did_you_mean(name, known), searched));
}

std::vector<fs::path> template_folders() {
  std::vector<fs::path> folders, seen;
  for (const fs::path& folder : template_search_path()) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !is_folder(real) || std::ranges::find(seen, real) != seen.end()) continue;
    seen.push_back(real);
    folders.push_back(folder.lexically_normal());
  }
  return folders;
}

std::vector<fs::path> all_templates() {
  std::vector<fs::path> manifests;
  std::set<std::string> names;
  for (const fs::path& folder : template_folders())
    for (const fs::path& manifest : manifests_in(folder))
      if (names.insert(manifest.parent_path().filename().string()).second) manifests.push_back(manifest);
  std::ranges::sort(manifests, {}, [](const fs::path& manifest) { return manifest.parent_path().filename(); });
  return manifests;
}

std::string manifest_schema() {
  for (const fs::path& folder : template_folders()) {
    std::error_code error;
    const fs::path file = fs::canonical(folder / "manifest.schema.json", error);
    if (!error && folder.is_absolute()) return file.string();
  }
  return "manifest.schema.json";
}

std::vector<fs::path> Context::named() const {
  return databases.empty() ? std::vector{default_database()} : databases;
}

db::Store Context::open_store(db::OpenMode mode) const {
  db::Store store = db::Store::open(named().front(), mode);
  if (!store.notice().empty()) say(store.notice());
  return store;
}

// Stores that were named must be there; the user's own may still be to come, and the system's is optional.
std::vector<fs::path> Context::readable() const {
  std::vector<fs::path> files = named();
  if (!db::may_exist(files.front())) files.erase(files.begin());
  if (!system_database.empty() && db::may_exist(system_database)) files.push_back(system_database);
  return files;
}

void Context::print(std::string_view verb, const std::string& member, const Table& rows) const {
  const Format chosen = output_format();
  write_output("",
               chosen == Format::json ? text_of(document(verb, member, rows)) : rows.render(chosen, output_width()));
}

db::StoreSet Context::open_stores() const {
  db::StoreSet stores(readable());
  for (std::size_t i = 0; i < stores.size(); ++i)
    if (!stores.store(i).notice().empty()) say(stores.store(i).notice());
  return stores;
}

bool Context::store_exists() const {
  if (!readable().empty()) return true;
  say(fmt::format("nothing has been tuned yet: there is no {}", named().front().string()));
  return false;
}

std::string Context::origin(const db::StoreSet& stores, std::size_t store) const {
  return stores.size() > 1 ? stores.store(store).file().string() : "";
}

bool Context::is_own(const db::Store& store) const {
  return store.file() == db::shown_name(named().front());
}

// A name is given by people, and may be given twice.
static db::Located<db::SessionRecord> find_named_session(const std::string& name, const db::StoreSet& stores) {
  db::HistoryFilter filter;
  filter.name = name;
  auto sessions = name.empty() ? std::vector<db::Located<db::SessionRecord>>{} : stores.history(filter);
  if (sessions.size() == 1) return std::move(sessions.front());
  if (sessions.empty())
    throw RequestError(fmt::format("'{}' is no session; expected a number, STORE:NUMBER or a session's name", name));
  std::string numbers;
  for (const auto& [session, store] : sessions)
    numbers +=
        fmt::format("{}{}{}", numbers.empty() ? "" : ", ", store == 0 ? "" : fmt::format("{}:", store + 1), session.id);
  throw RequestError(fmt::format("several sessions are called '{}'; name one by its number: {}", name, numbers));
}

namespace {

struct SessionNumber {
  std::int64_t store = 1, session = 0;
};

// NUMBER or STORE:NUMBER; nothing for a name.
std::optional<SessionNumber> session_number(const std::string& reference) {
  const std::size_t colon = reference.find(':');
  const std::string number = colon == std::string::npos ? reference : reference.substr(colon + 1);
  const search::Value store =
      colon == std::string::npos ? search::Value(std::int64_t{1}) : parse_value(reference.substr(0, colon));
  const search::Value id = parse_value(number);
  if (!std::holds_alternative<std::int64_t>(id) || !std::holds_alternative<std::int64_t>(store)) return std::nullopt;
  return SessionNumber{std::get<std::int64_t>(store), std::get<std::int64_t>(id)};
}

}  // namespace

std::string refusal_of_session_name(const std::string& name) {
  if (!session_number(name)) return {};
  return fmt::format("'{}' would be read as a session's number; a name needs a letter, as run-{}", name, name);
}

db::Located<db::SessionRecord> find_session(const std::string& reference, const db::StoreSet& stores) {
  const auto number = session_number(reference);
  if (!number) return find_named_session(reference, stores);
  const std::int64_t index = number->store - 1;
  if (index >= 0 && static_cast<std::size_t>(index) < stores.size())
    if (auto session = stores.store(static_cast<std::size_t>(index)).session(number->session))
      return {*session, static_cast<std::size_t>(index)};
  throw RequestError(fmt::format("there is no session {}; `warptune history` lists the sessions there are", reference));
}

void add_format_option(CLI::App& verb, Context& context) {
  verb.add_option("--format", context.format, "output format")
      ->check(one_of({"table", "json", "csv"}))
      ->group(group::output)
      ->capture_default_str();
}

void add_database_option(CLI::App& verb, Context& context) {
  verb.add_option("--db", context.databases, "the store: a file or postgresql://…; further stores are read-only")
      ->check(
          [](const std::string& file) { return file.empty() ? "expected a file or an address, found nothing" : ""; })
      ->allow_extra_args(false)
      ->group(group::output)
      ->type_name("FILE");
}

}  // namespace warptune::tuner::cli
