// Converts each type field by field; wire_format.md lists the fields.
#include "tuner/measure/workers/codec.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <variant>

#include "db/bounded_json.h"
#include "tuner/device/counters.h"

namespace warptune::search {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExpectedOutput, name, elements, least, most, nan, infinite, commonest, same,
                                   one_value, begins_so, told, room)

}  // namespace warptune::search

namespace warptune::tuner::workers {

namespace {

// Copies a plain struct of numbers as it lies in memory, since both ends are one program. So no field can be forgotten
// here when one is added there.
template <typename Plain>
json plain_to_json(const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
  return json::binary({begin, begin + sizeof value});
}

template <typename Plain>
Plain plain_from_json(const json& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const auto& bytes = value.get_binary();
  if (bytes.size() != sizeof(Plain))
    throw json::other_error::create(599, "a record of another size: is the worker another version?", nullptr);
  Plain plain;
  std::memcpy(&plain, bytes.data(), sizeof plain);
  return plain;
}

std::vector<std::string> strings(const std::vector<std::filesystem::path>& paths) {
  return {paths.begin(), paths.end()};
}

std::vector<std::filesystem::path> paths(const json& value) {
  const auto texts = value.get<std::vector<std::string>>();
  return {texts.begin(), texts.end()};
}

search::Value value_from(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  return value.get<std::string>();
}

// Reads the device's numbers by the names that users know.
void set_limits(DeviceInfo& device, const json& limits) {
  const auto read = [&](const char* name, std::int64_t& to) { limits.at(name).get_to(to); };
  read("compute_capability", device.compute_capability);
  read("max_threads_per_block", device.max_threads_per_block);
  read("max_block_x", device.max_block_x);
  read("max_block_y", device.max_block_y);
  read("max_block_z", device.max_block_z);
  read("max_grid_x", device.max_grid_x);
  read("max_grid_y", device.max_grid_y);
  read("max_grid_z", device.max_grid_z);
  read("max_registers_per_block", device.max_registers_per_block);
  read("max_registers_per_multiprocessor", device.max_registers_per_multiprocessor);
  read("max_shared_memory_per_block", device.max_shared_memory_per_block);
  read("max_shared_memory_per_block_optin", device.max_shared_memory_per_block_optin);
  read("max_shared_memory_per_multiprocessor", device.max_shared_memory_per_multiprocessor);
  read("max_constant_memory", device.max_constant_memory);
  read("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor);
  read("max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor);
  read("multiprocessors", device.multiprocessors);
  read("warp_size", device.warp_size);
  read("clock_khz", device.clock_khz);
  read("memory_clock_khz", device.memory_clock_khz);
  read("memory_bus_bits", device.memory_bus_bits);
  read("l2_bytes", device.l2_bytes);
  read("total_memory_bytes", device.total_memory_bytes);
  read("ecc", device.ecc);
  read("power_limit_w", device.power_limit_w);
}

// An optional is not copied as it lies in memory: it contains a bool, for which not every byte is valid.
json optional_to_json(const std::optional<double>& number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<double> optional_from_json(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

[[noreturn]] void refuse(const std::string& what) {
  throw json::other_error::create(598, what, nullptr);
}

// Throws for a trial that no honest worker can report. A time below a nanosecond is less than any device's clock
// resolves, and than any launch takes.
void require_possible(const search::Trial& trial, Purpose purpose) {
  constexpr double least_ms = 1e-6;
  const bool measured = trial.correct() && is_measured(purpose),
             counted = trial.correct() && purpose == Purpose::counted;
  if (measured != trial.measurement.has_value())
    refuse("a trial that is correct without a measurement, or the reverse");
  if ((counted && !trial.counters) || (!measured && !counted && trial.counters))
    refuse("a trial that was counted without counters, or the reverse");
  if (trial.measurement && !(trial.measurement->median_ms >= least_ms && std::isfinite(trial.measurement->median_ms)))
    refuse("a time that no clock can have told");
}

json to_json(const search::Measurement& measurement) {
  return {{"samples_ms", measurement.samples_ms},
          {"median_ms", measurement.median_ms},
          {"relative_error", measurement.relative_error},
          {"cut_short", measurement.cut_short},
          {"discarded_samples", measurement.discarded_samples},
          {"clock_mhz", optional_to_json(measurement.state.clock_mhz)},
          {"power_w", optional_to_json(measurement.state.power_w)},
          {"temperature_c", optional_to_json(measurement.state.temperature_c)},
          {"joules", optional_to_json(measurement.joules)},
          {"max_error", measurement.error ? json(measurement.error->max) : json()},
          {"rms_error", measurement.error ? json(measurement.error->rms) : json()}};
}

search::Measurement measurement_from(const json& value) {
  search::Measurement measurement;
  value.at("samples_ms").get_to(measurement.samples_ms);
  value.at("median_ms").get_to(measurement.median_ms);
  value.at("relative_error").get_to(measurement.relative_error);
  value.at("cut_short").get_to(measurement.cut_short);
  value.at("discarded_samples").get_to(measurement.discarded_samples);
  measurement.state = {optional_from_json(value.at("clock_mhz")), optional_from_json(value.at("power_w")),
                       optional_from_json(value.at("temperature_c"))};
  measurement.joules = optional_from_json(value.at("joules"));
  const auto most = optional_from_json(value.at("max_error")), rms = optional_from_json(value.at("rms_error"));
  if (most && rms) measurement.error = search::OutputError{*most, *rms};
  return measurement;
}

// Reads the hashes of bits. They end in a store's key and in outputs, so only hexadecimal digits are accepted.
search::OutputBits bits_from(const json& value) {
  search::OutputBits bits{value.at(0).get<std::string>(), value.at(1).get<std::string>()};
  for (const std::string* hash : {&bits.data, &bits.outputs})
    if (hash->size() > 32 || hash->find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse("a hash that is none");
  return bits;
}

json launches_to_json(const std::vector<search::LaunchUse>& launches) {
  json list = json::array();
  for (const search::LaunchUse& launch : launches)
    list.push_back({text_to_json(launch.kernel), launch.grid, launch.block, launch.launches, plain_to_json(launch.use),
                    launch.attributes});
  return list;
}

std::vector<search::LaunchUse> launches_from_json(const json& list) {
  using Extents = std::array<std::int64_t, 3>;
  std::vector<search::LaunchUse> launches;
  for (const json& one : list)
    launches.push_back({text_from_json(one.at(0)), one.at(1).get<Extents>(), one.at(2).get<Extents>(),
                        one.at(3).get<std::int64_t>(), plain_from_json<search::ResourceUse>(one.at(4)),
                        one.at(5).get<std::map<std::string, std::int64_t>>()});
  return launches;
}

json to_json(const search::Counters& counters) {
  json launches = json::array();
  for (const search::LaunchCounters& launch : counters.launches)
    launches.push_back({{"kernel", text_to_json(launch.kernel)}, {"values", launch.values}});
  return {{"values", counters.values},
          {"launches", launches},
          {"lacking", counters.lacking},
          {"failure", text_to_json(counters.failure)}};
}

// Reads counter values. Only names that the tables have are accepted; others would reach the store unchecked.
std::map<std::string, double> counter_values_from(const json& value) {
  auto values = value.get<std::map<std::string, double>>();
  for (const auto& [name, number] : values)
    if (!find_counter(name) || !std::isfinite(number)) refuse("a counter that there is not, or that is no number");
  return values;
}

search::Counters counters_from(const json& value) {
  search::Counters counters;
  counters.values = counter_values_from(value.at("values"));
  for (const json& launch : value.at("launches"))
    counters.launches.push_back({text_from_json(launch.at("kernel")), counter_values_from(launch.at("values"))});
  value.at("lacking").get_to(counters.lacking);
  counters.failure = text_from_json(value.at("failure"));
  return counters;
}

}  // namespace

std::string to_cbor(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

json from_cbor(const std::string& bytes) {
  return db::parse_cbor<json>(bytes);
}

json text_to_json(const std::string& text) {
  return json::binary({text.begin(), text.end()});
}

std::string text_from_json(const json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

json to_json(const search::NamedValues& values) {
  json list = json::array();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& held) { list.push_back(json::array({key, held})); }, value);
  return list;
}

search::NamedValues named_values_from(const json& value) {
  search::NamedValues values;
  for (const json& pair : value) values.emplace_back(pair.at(0).get<std::string>(), value_from(pair.at(1)));
  return values;
}

json to_json(const DeviceInfo& device) {
  json limits;
  for (const auto& [name, value] : device.limits()) limits[name] = std::get<std::int64_t>(value);
  return {{"id", device.id},     {"backend", device.backend},           {"name", device.name},
          {"uuid", device.uuid}, {"architecture", device.architecture}, {"driver", device.driver},
          {"limits", limits},    {"code_traits", device.code_traits}};
}

DeviceInfo device_from(const json& value) {
  DeviceInfo device;
  value.at("id").get_to(device.id);
  value.at("backend").get_to(device.backend);
  value.at("name").get_to(device.name);
  value.at("uuid").get_to(device.uuid);
  value.at("architecture").get_to(device.architecture);
  value.at("code_traits").get_to(device.code_traits);
  value.at("driver").get_to(device.driver);
  set_limits(device, value.at("limits"));
  return device;
}

json to_json(const BackendOptions& options) {
  return {{"library_directories", strings(options.library_directories)},
          {"cuda_include_directories", strings(options.cuda_include_directories)},
          {"host_compiler", options.host_compiler},
          {"host_threads", options.host_threads},
          {"compile_timeout_s", options.compile_timeout_s},
          {"kernel_timeout_s", options.kernel_timeout_s}};
}

BackendOptions backend_options_from(const json& value) {
  BackendOptions options;
  options.library_directories = paths(value.at("library_directories"));
  options.cuda_include_directories = paths(value.at("cuda_include_directories"));
  value.at("host_compiler").get_to(options.host_compiler);
  value.at("host_threads").get_to(options.host_threads);
  value.at("compile_timeout_s").get_to(options.compile_timeout_s);
  value.at("kernel_timeout_s").get_to(options.kernel_timeout_s);
  return options;
}

json to_json(const CacheOptions& options) {
  const SharedCacheOptions& shared = options.shared;
  return {{"folder", options.folder.string()},
          {"limit_bytes", options.limit_bytes},
          {"shared",
           {{"url", shared.url},
            {"authorization", text_to_json(shared.authorization)},
            {"read_only", shared.read_only},
            {"patience_ms", shared.patience_ms}}}};
}

CacheOptions cache_options_from(const json& value) {
  const json& shared = value.at("shared");
  return {value.at("folder").get<std::string>(),
          value.at("limit_bytes").get<std::uint64_t>(),
          {shared.at("url").get<std::string>(), text_from_json(shared.at("authorization")),
           shared.at("read_only").get<bool>(), shared.at("patience_ms").get<int>()}};
}

json to_json(const MeasurePolicy& policy) {
  return plain_to_json(policy);
}

MeasurePolicy policy_from(const json& value) {
  return plain_from_json<MeasurePolicy>(value);
}

json to_json(Purpose purpose) {
  switch (purpose) {
    case Purpose::trial:
      return "trial";
    case Purpose::finalist:
      return "finalist";
    case Purpose::proof:
      return "proof";
    case Purpose::counted:
      return "counted";
  }
  throw std::logic_error("a purpose that there is not");
}

Purpose purpose_from(const json& value) {
  for (const Purpose purpose : {Purpose::trial, Purpose::finalist, Purpose::proof, Purpose::counted})
    if (to_json(purpose) == value) return purpose;
  throw json::other_error::create(597, "a purpose that there is not", nullptr);
}

json to_json(const Rivals& rivals) {
  json value = {
      {"best_ms", rivals.best_ms}, {"static_w", rivals.static_w}, {"work_j", rivals.work_j}, {"front", json::array()}};
  for (const EnergyPoint& point : rivals.front) value["front"].push_back({point.ms, point.joules});
  return value;
}

Rivals rivals_from(const json& value) {
  Rivals rivals{
      value.at("best_ms").get<double>(), {}, value.at("static_w").get<double>(), value.at("work_j").get<double>()};
  for (const json& point : value.at("front"))
    rivals.front.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
  return rivals;
}

json to_json(const std::vector<search::ExpectedOutput>& outputs) {
  return outputs;
}

std::vector<search::ExpectedOutput> expected_outputs_from(const json& value) {
  return value.get<std::vector<search::ExpectedOutput>>();
}

json to_json(const search::Trial& trial) {
  json value = {{"outcome", std::string(to_string(trial.outcome))},
                {"message", text_to_json(trial.message)},
                {"phases", plain_to_json(trial.phases)},
                {"metrics", trial.metrics}};
  if (trial.resources) value["resources"] = plain_to_json(*trial.resources);
  if (!trial.launches.empty()) value["launches"] = launches_to_json(trial.launches);
  if (trial.measurement) value["measurement"] = to_json(*trial.measurement);
  if (trial.counters) value["counters"] = to_json(*trial.counters);
  if (trial.bits) value["bits"] = {trial.bits->data, trial.bits->outputs};
  return value;
}

void read_trial(const json& value, Purpose purpose, search::Trial& trial) {
  const auto outcome = search::outcome_from_string(value.at("outcome").get<std::string>());
  if (!outcome) refuse("a trial with an unknown outcome");
  trial.outcome = *outcome;
  trial.message = text_from_json(value.at("message"));
  trial.phases = plain_from_json<search::PhaseTimes>(value.at("phases"));
  value.at("metrics").get_to(trial.metrics);
  if (value.contains("resources")) trial.resources = plain_from_json<search::ResourceUse>(value.at("resources"));
  trial.launches.clear();
  if (value.contains("launches")) trial.launches = launches_from_json(value.at("launches"));
  trial.measurement.reset();
  if (value.contains("measurement")) trial.measurement = measurement_from(value.at("measurement"));
  trial.counters.reset();
  if (value.contains("counters")) trial.counters = counters_from(value.at("counters"));
  trial.bits.reset();
  if (value.contains("bits")) trial.bits = bits_from(value.at("bits"));
  require_possible(trial, purpose);
}

}  // namespace warptune::tuner::workers
