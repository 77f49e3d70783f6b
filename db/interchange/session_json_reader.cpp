// Reads the sessions that session_json.cpp writes, and those of version 1. Every error names the path in the document.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "db/interchange/json_records.h"
#include "db/interchange/json_values.h"
#include "db/interchange/session_json.h"
#include "db/interchange/session_json_v1.h"
#include "db/objectives.h"

namespace warptune::db {

namespace {

// A Node is a place in the document. It knows its path, so that every error names it.
class Node {
 public:
  Node(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  Node at(const std::string& name) const { return {member(json_, name, path_), path_ + "." + name}; }
  std::optional<Node> find(const std::string& name) const {
    if (!json_.is_object()) fail("an object");
    const auto found = json_.find(name);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    return Node(*found, path_ + "." + name);
  }
  std::vector<Node> elements() const {
    if (!json_.is_array()) fail("an array");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_.size(); ++i) nodes.emplace_back(json_[i], fmt::format("{}[{}]", path_, i));
    return nodes;
  }
  std::vector<std::pair<std::string, Node>> members() const {
    if (!json_.is_object()) fail("an object");
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [name, value] : json_.items()) nodes.emplace_back(name, Node(value, path_ + "." + name));
    return nodes;
  }

  std::string array_text() const {
    if (!json_.is_array()) fail("an array");
    return json_.dump();
  }
  std::string text() const { return text_from_json(json_, path_); }
  std::string text(const std::string& name) const { return at(name).text(); }
  bool flag() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
  }
  std::int64_t integer() const {
    const search::Value value = value_from_json(json_, path_);
    if (!std::holds_alternative<std::int64_t>(value)) fail("an integer");
    return std::get<std::int64_t>(value);
  }
  double number() const {
    if (!json_.is_object()) return number_from_json(json_, path_);
    const std::string name = text("double");
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name != "inf" && name != "-inf") at("double").fail("nan, inf or -inf");
    return name == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  search::Value value() const {
    if (json_.is_object()) return number();
    return value_from_json(json_, path_);
  }
  // Reads an index below `size`, and returns it as an id, which counts from 1.
  TrialId position(std::size_t size) const {
    const std::int64_t index = integer();
    if (index < 0 || static_cast<std::size_t>(index) >= size)
      fail(fmt::format("the position of one of the session's {} trials", size));
    return index + 1;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    throw std::invalid_argument(fmt::format("{}: expected {}, found {}", path_, expected, found));
  }

 private:
  const Json& json_;
  std::string path_;
};

search::NamedValues named_values(const Node& node) {
  search::NamedValues values;
  for (const auto& [name, value] : node.members()) values.emplace_back(name, value.value());
  return values;
}

std::vector<double> numbers(const Node& node) {
  std::vector<double> result;
  for (const Node& element : node.elements()) result.push_back(element.number());
  return result;
}

std::optional<double> optional_number(const Node& node, const std::string& name) {
  const auto found = node.find(name);
  return found ? std::optional(found->number()) : std::nullopt;
}

search::Outcome outcome(const Node& node) {
  const auto known = search::outcome_from_string(node.text());
  if (!known) node.fail("an outcome (correct, wrong_result, …)");
  return *known;
}

std::uint64_t seed(const Node& node) {
  const std::string text = node.text();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    node.fail("a decimal number of 64 bits");
  return number;
}

SessionState state(const Node& node) {
  const auto known = session_state_from_string(node.text());
  if (!known) node.fail("running, finished or interrupted");
  return *known;
}

std::vector<std::string> text_list(const Node& node) {
  std::vector<std::string> result;
  for (const Node& element : node.elements()) result.push_back(element.text());
  return result;
}

// Version 1 knew neither models nor fields for captures and restrictions (session_json_v1.h).
SessionKey session_key(const Node& node, int version) {
  const Node device = node.at("device");
  SessionKey key;
  key.kernel = node.text("kernel");
  key.device = {device.text("backend"), device.text("name"), device.text("architecture"), device.text("driver"),
                named_values(device.at("limits"))};
  if (version > 1) {
    key.device.memory_gib = device.at("memory_gib").integer();
    key.device.multiprocessors = device.at("multiprocessors").integer();
    key.capture = node.text("capture");
    key.restrictions = text_list(node.at("restrictions"));
  }
  key.compiler = node.text("compiler");
  key.source_hash = node.text("source_hash");
  key.manifest_hash = node.text("manifest_hash");
  key.options = node.text("options");
  key.problem_size = named_values(node.at("problem_size"));
  if (const auto variants = node.find("variants")) key.variants = named_values(*variants);
  key.policy = node.text("policy");
  return key;
}

search::Measurement measurement(const Node& node) {
  return {
      numbers(node.at("samples_ms")),
      node.at("median_ms").number(),
      node.at("relative_error").number(),
      node.at("cut_short").flag(),
      optional_number(node, "joules"),
      {optional_number(node, "clock_mhz"), optional_number(node, "power_w"), optional_number(node, "temperature_c")},
      node.at("discarded_samples").integer()};
}

search::ResourceUse resources(const Node& node) {
  const auto integer = [&](const char* name) { return node.at(name).integer(); };
  return {integer("registers_per_thread"), integer("local_bytes_per_thread"), integer("static_shared_bytes"),
          integer("dynamic_shared_bytes"), integer("threads_per_block"),      node.at("occupancy").number()};
}

std::array<std::int64_t, 3> extents(const Node& node) {
  const auto elements = node.elements();
  if (elements.size() != 3) node.fail("three integers");
  return {elements[0].integer(), elements[1].integer(), elements[2].integer()};
}

std::map<std::string, std::int64_t> attributes(const std::optional<Node>& node) {
  std::map<std::string, std::int64_t> named;
  if (!node) return named;
  for (const auto& [name, value] : node->members()) named[name] = value.integer();
  return named;
}

search::LaunchUse launch(const Node& node) {
  const auto integer = [&](const char* name, std::int64_t otherwise) {
    const auto found = node.find(name);
    return found ? found->integer() : otherwise;
  };
  return {node.text("kernel"),
          extents(node.at("grid")),
          extents(node.at("block")),
          integer("launches", 1),
          {integer("registers_per_thread", 0), integer("local_bytes_per_thread", 0), integer("static_shared_bytes", 0),
           integer("dynamic_shared_bytes", 0), integer("threads_per_block", 0), node.at("occupancy").number()},
          attributes(node.find("attributes"))};
}

std::map<std::string, double> numbers_by_name(const Node& node) {
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : node.members()) numbers[name] = value.number();
  return numbers;
}

search::Counters counters(const Node& node) {
  search::Counters counted;
  counted.values = numbers_by_name(node.at("values"));
  for (const Node& launch : node.at("launches").elements())
    counted.launches.push_back({launch.text("kernel"), numbers_by_name(launch.at("values"))});
  counted.lacking = text_list(node.at("lacking"));
  counted.failure = node.text("failure");
  return counted;
}

StoredTrial stored_trial(const Node& node) {
  StoredTrial stored;
  stored.values = named_values(node.at("configuration"));
  search::Trial& trial = stored.trial;
  trial.outcome = outcome(node.at("outcome"));
  trial.objectives = numbers(node.at("objectives"));
  if (const auto measured = node.find("measurement")) trial.measurement = measurement(*measured);
  trial.metrics = numbers_by_name(node.at("metrics"));
  const Node phases = node.at("phases_ms");
  trial.phases = {phases.at("compile").number(), phases.at("verify").number(), phases.at("measure").number(),
                  phases.at("framework").number()};
  if (const auto use = node.find("resources")) trial.resources = resources(*use);
  if (const auto launches = node.find("launches"))
    for (const Node& one : launches->elements()) trial.launches.push_back(launch(one));
  if (const auto work = node.find("work"))
    trial.work = {optional_number(*work, "flops"), optional_number(*work, "bytes"), work->text("arithmetic")};
  if (const auto counted = node.find("counters")) trial.counters = counters(*counted);
  if (const auto bits = node.find("bits")) trial.bits = search::OutputBits{bits->text("data"), bits->text("outputs")};
  trial.message = node.text("message");
  stored.recorded_at = node.text("recorded_at");
  if (const auto device = node.find("device_uuid")) trial.device_uuid = device->text();  // older files have no UUID
  return stored;
}

std::map<std::string, double> metrics(const Node& node) {
  const auto found = node.find("metrics");
  return found ? numbers_by_name(*found) : std::map<std::string, double>();
}

Winner winner(const Node& node, const SessionDump& dump) {
  const Node position = node.at("trial");
  Winner winner;
  winner.trial = position.position(dump.trials.size());
  if (!dump.trials[static_cast<std::size_t>(winner.trial) - 1].stored.trial.correct()) position.fail("a correct trial");
  winner.objective = node.at("objective").number();
  winner.relative_error = optional_number(node, "relative_error");
  winner.default_objective = optional_number(node, "default_objective");
  winner.decided_at = node.text("decided_at");
  for (const Node& tie : node.at("ties").elements()) winner.ties.push_back(tie.position(dump.trials.size()));
  for (const Node& finalist : node.at("finalists").elements())
    winner.finalists.push_back({finalist.at("trial").position(dump.trials.size()), finalist.at("objective").number(),
                                finalist.at("relative_error").number(), finalist.at("visits").integer(),
                                finalist.at("slower_by").number(), finalist.at("slower_low").number(),
                                finalist.at("slower_high").number(), optional_number(finalist, "time_ms"),
                                optional_number(finalist, "time_error"), metrics(finalist)});
  if (const auto start = node.find("default_trial")) winner.default_trial = start->position(dump.trials.size());
  winner.time_ms = optional_number(node, "time_ms");
  winner.time_error = optional_number(node, "time_error");
  winner.default_time_ms = optional_number(node, "default_time_ms");
  winner.default_time_error = optional_number(node, "default_time_error");
  return winner;
}

// Reads the objectives of which more is better, and returns them with commas between.
std::string maximised(const Node& node, const std::string& objectives) {
  const std::vector<std::string> known = objective_names(objectives), names = text_list(node);
  for (const std::string& name : names)
    if (std::ranges::count(known, name) == 0) node.fail("some of the session's objectives, " + objectives);
  return fmt::format("{}", fmt::join(names, ","));
}

TrialCheck trial_check(const Node& node, std::size_t trials) {
  return {.trial = node.at("trial").position(trials),
          .checked_at = node.text("checked_at"),
          .outcome = outcome(node.at("outcome")),
          .objective = optional_number(node, "objective"),
          .relative_error = optional_number(node, "relative_error"),
          .recorded_objective = optional_number(node, "recorded_objective"),
          .differs = node.text("differs"),
          .message = node.text("message")};
}

SessionDump session_dump(const Node& node, int version) {
  SessionDump dump;
  SessionRecord& session = dump.session;
  session.key = session_key(node.at("key"), version);
  session.strategy = node.text("strategy");
  session.seed = seed(node.at("seed"));
  session.objective = node.text("objective");
  session.space_size = node.text("space_size");
  session.state = state(node.at("state"));
  session.origin = node.text("origin");
  session.manifest = node.text("manifest");
  if (version > 1) session.capture_file = node.text("capture_file");
  if (const auto name = node.find("name")) session.name = name->text();
  if (const auto note = node.find("note")) session.note = note->text();
  if (const auto expected = node.find("expected")) session.expected = expected->array_text();
  if (const auto labelled = node.find("labelled_at")) session.labelled_at = labelled->text();
  session.tool_version = node.text("tool_version");
  session.started_at = node.text("started_at");
  session.updated_at = node.text("updated_at");
  dump.store = node.text("store");
  for (const Node& trial : node.at("trials").elements()) {
    const auto store = trial.find("store");
    dump.trials.push_back({stored_trial(trial), store ? store->text() : dump.store});
    dump.trials.back().stored.id = static_cast<TrialId>(dump.trials.size());
  }
  if (const auto decided = node.find("winner")) dump.winner = winner(*decided, dump);
  for (const Node& check : node.at("checks").elements()) dump.checks.push_back(trial_check(check, dump.trials.size()));
  const auto directions = node.find("maximised");
  session.maximised = directions ? maximised(*directions, session.objective) : maximised_by_signs(dump);
  if (version == 1) bring_up_to_date(dump, node.at("key").at("device").text("uuid"));
  session.key.policy = with_objective(session.key.policy, session.objective);  // older files lack it there
  return dump;
}

int require_schema(const JsonHeader& header) {
  const std::string schema = text_from_json(member(header.members, "schema", "the document"), "schema");
  if (schema == "warptune-sessions/1") return 1;
  if (schema != session_schema)
    throw std::invalid_argument(
        fmt::format("schema: this program reads {}, found {}; a later warptune may have "
                    "written it",
                    session_schema, schema.substr(0, 60)));
  return 2;
}

}  // namespace

bool holds_sessions(const std::filesystem::path& file) {
  try {
    InputText text(file);
    return holds_sessions(text);
  } catch (const InterchangeError&) {
    return false;  // whoever reads it next says why
  }
}

bool holds_sessions(InputText& text) {
  return text.beginning().substr(0, 256).find("\"warptune-sessions/") != std::string_view::npos;
}

std::vector<SessionDump> read_sessions(const std::filesystem::path& file) {
  InputText text(file);
  return read_sessions(text);
}

std::vector<SessionDump> read_sessions(InputText& text) {
  std::vector<SessionDump> sessions;
  try {
    const JsonHeader header = read_json_records(text, {"sessions"}, [&](const JsonHeader& seen, const Json& record) {
      const int version = require_schema(seen);
      sessions.push_back(session_dump(Node(record, fmt::format("sessions[{}]", sessions.size())), version));
    });
    require_schema(header);
    if (header.collection.empty()) throw std::invalid_argument("expected a member \"sessions\", found none");
    if (header.unfinished) throw std::invalid_argument("the file ends too early; copy it again");
  } catch (const std::invalid_argument& error) {
    throw InterchangeError(fmt::format("{}: {}", text.where(), error.what()));
  }
  return sessions;
}

}  // namespace warptune::db
