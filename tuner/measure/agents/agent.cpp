// Connects to a session, takes part in it with a pool of workers, and sends the trials. README.md lists the messages.
#include "tuner/measure/agents/agent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <thread>

#include "tuner/kernel/content_hash.h"
#include "tuner/measure/agents/agent_connection.h"
#include "tuner/measure/agents/folder_transfer.h"
#include "tuner/measure/agents/handshake.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/measure/workers/pool.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/system/clock.h"
#include "tuner/system/crypto.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::agents {

namespace {

using workers::json;

constexpr double between_beats_s = 2;
constexpr double between_tries_s = 0.5;
constexpr int connect_ms = 5000;
constexpr double welcome_s = 10;

// Thrown to say why this machine has no part in a session.
struct Unfit {
  std::string reason;
};

// What this machine has for a session that it takes part in.
struct Part {
  std::unique_ptr<workers::WorkerPool> pool;
  std::size_t devices = 0;
  std::string what;  // "2 x NVIDIA H200"
};

// Handles one connection, from the handshake to its end.
class SessionConnection {
 public:
  SessionConnection(const AgentOptions& options, FileDescriptor socket)
      : options_(options), channel_(std::move(socket), workers::Side::worker) {
    channel_.limit(most_greeting_bytes);
  }

  // Serves the session. Returns nothing if the connection was lost.
  std::optional<AgentEnd> run();

 private:
  std::optional<AgentEnd> enter();
  std::optional<json> wait_for_message(double seconds);
  void post(json message);
  void wait(int milliseconds);
  std::optional<AgentEnd> take_messages();
  void obey(const json& order, const std::string& payload);
  void take_file(const json& order, const std::string& payload);
  void begin(const json& order);
  Part part_in(const json& order);
  std::vector<DeviceInfo> fitting(const DeviceList& list, const DeviceInfo& wanted) const;
  void send_trials();
  void withdraw(const std::string& reason);
  void end_session();
  bool stopped() const { return options_.stop && options_.stop->load(); }

  const AgentOptions& options_;
  workers::Channel channel_;
  std::unique_ptr<ScratchFolder> folder_;
  std::string missing_;  // why a file could not be stored; empty if all were
  Part part_;
  std::int64_t session_ = 0;
  double beaten_s_ = 0;
};

void SessionConnection::post(json message) {
  message["session"] = session_;
  channel_.post({workers::to_cbor(message), {}});
  beaten_s_ = steady_s();
}

void SessionConnection::wait(int milliseconds) {
  const int wanted = POLLIN | (channel_.wants_to_send() ? POLLOUT : 0);
  std::array<pollfd, 1> polled{{{channel_.fd(), static_cast<short>(wanted), 0}}};
  if (part_.pool)
    part_.pool->attend(milliseconds, polled);
  else
    poll(polled.data(), polled.size(), milliseconds);
}

std::optional<json> SessionConnection::wait_for_message(double seconds) {
  for (const Deadline deadline = Deadline::in_s(seconds); !deadline.has_passed() && !channel_.ended() && !stopped();) {
    channel_.exchange();
    if (const auto message = channel_.take()) return workers::from_cbor(message->text);
    wait(50);
  }
  return std::nullopt;
}

// Does the handshake. Returns nothing on success. A peer that does not speak this protocol is not a session.
std::optional<AgentEnd> SessionConnection::enter() {
  const auto hello = wait_for_message(welcome_s);
  if (!hello || !hello->contains("warptune")) return AgentEnd::not_found;
  if (hello->at("version").get<int>() != protocol_version) {
    options_.say("the session is of another version of warptune: agents must be of the same");
    return AgentEnd::refused;
  }
  const Nonces nonces{hello->at("nonce").get<std::string>(), random_token()};
  post({{"nonce", nonces.agent},
        {"name", workers::text_to_json(options_.name)},
        {"proof", proof_of(Side::agent, options_.token, nonces)}});
  const auto welcome = wait_for_message(welcome_s);
  if (!welcome) return AgentEnd::not_found;
  const bool known = welcome->contains("proof") &&
                     is_proof(welcome->at("proof").get<std::string>(), Side::coordinator, options_.token, nonces);
  if (!known) {
    options_.say("the session has another token");
    return AgentEnd::refused;
  }
  channel_.rekey(key_of(options_.token, nonces));
  channel_.limit(0);
  return std::nullopt;
}

std::optional<AgentEnd> SessionConnection::run() {
  if (const auto end = enter()) return end;
  options_.say(fmt::format("joined the session at {}:{}", options_.coordinator.host, options_.coordinator.port));
  while (!channel_.ended()) {
    if (stopped()) {
      post({{"leaving", workers::text_to_json("it was interrupted")}});
      channel_.exchange();
      return AgentEnd::interrupted;
    }
    try {
      wait(200);
      channel_.exchange();
      if (const auto end = take_messages()) return end;
      send_trials();
    } catch (const json::exception&) {
      throw;
    } catch (const std::exception& error) {  // a reference that fails, a device that is lost, a full disk
      withdraw(error.what());
    }
    if (steady_s() - beaten_s_ > between_beats_s) post({{"beat", true}});
    channel_.exchange();
  }
  return std::nullopt;
}

std::optional<AgentEnd> SessionConnection::take_messages() {
  while (const auto message = channel_.take()) {
    const json order = workers::from_cbor(message->text);
    if (order.at("do") == "leave") return AgentEnd::sent_home;
    obey(order, message->payload);
  }
  return std::nullopt;
}

void SessionConnection::obey(const json& order, const std::string& payload) {
  const auto wanted = order.at("do").get<std::string>();
  if (wanted == "end") return end_session();
  if (wanted == "file") return take_file(order, payload);
  if (wanted == "begin") return begin(order);
  if (!part_.pool) return;  // it has withdrawn meanwhile
  if (wanted == "forget") part_.pool->cancel();
  if (wanted == "race" || wanted == "evaluate") part_.pool->race_against(workers::rivals_from(order.at("rivals")));
  if (wanted == "evaluate")  // the configuration is the job's number, which comes back with the trial
    part_.pool->submit({search::Configuration{{order.at("job").get<JobId>()}}},
                       workers::named_values_from(order.at("values")));
}

// Stores a piece of a file. If that fails, the session is told when it begins.
void SessionConnection::take_file(const json& order, const std::string& payload) {
  if (!folder_) folder_ = std::make_unique<ScratchFolder>();
  try {
    take_piece(folder_->path(), workers::text_from_json(order.at("path")), order.at("first").get<bool>(), payload);
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
  }
}

void SessionConnection::begin(const json& order) {
  order.at("session").get_to(session_);
  try {
    if (!missing_.empty()) throw Unfit{missing_};
    part_ = part_in(order);
  } catch (const Unfit& unfit) {
    return withdraw(unfit.reason);
  }
  const std::string what = part_.devices > 0 ? part_.what : "compiles for others";
  options_.say("taking part: " + what);
  post({{"ready", part_.pool->capacity()}, {"devices", part_.devices}, {"what", workers::text_to_json(what)}});
}

// Returns the devices on which the session may be measured.
std::vector<DeviceInfo> SessionConnection::fitting(const DeviceList& list, const DeviceInfo& wanted) const {
  std::vector<DeviceInfo> devices =
      options_.device.empty() ? with_variants(list.devices) : choose_devices(list, options_.device);
  std::erase_if(devices, [&](const DeviceInfo& device) {
    const bool same_guise = !device.is_host() || device.id == wanted.id;  // "host:sm_90" has other limits than "host"
    return !same_model(device, wanted) || device.code_traits != wanted.code_traits || !same_guise;
  });
  return devices;
}

std::string names_of(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> names;
  for (const DeviceInfo& device : devices) names.push_back(device.name);
  return devices.empty() ? "no device" : fmt::format("{}", fmt::join(names, ", "));
}

Part SessionConnection::part_in(const json& order) {
  workers::Setup setup = workers::setup_from(order.at("setup"));
  const DeviceInfo wanted = workers::device_from(order.at("device"));
  if (!folder_) folder_ = std::make_unique<ScratchFolder>();
  setup.place = moved(setup.place, folder_->path());
  for (const auto& folder : setup.place.include_directories) std::filesystem::create_directories(folder);
  setup.options.backend.library_directories = options_.backend.library_directories;
  setup.options.backend.cuda_include_directories = options_.backend.cuda_include_directories;
  setup.options.compile_jobs = options_.compile_jobs;
  if (order.at("cached").get<bool>()) setup.options.cache = options_.cache;

  workers::FirstWorker first_worker(options_.program);
  const DeviceList list = first_worker.list_devices(setup.options.backend);
  std::vector<DeviceInfo> devices = fitting(list, wanted);
  for (const DeviceInfo& device : devices)
    if (device.driver != wanted.driver)
      throw Unfit{fmt::format("its driver is {}, and the session's is {}: trials of both do not compare", device.driver,
                              wanted.driver)};
  const SharedCacheOptions& shared = setup.options.cache.shared;
  const bool compiles = order.at("shared").get<bool>() && !shared.url.empty() && !shared.read_only;
  if (devices.empty() && !compiles)
    throw Unfit{
        fmt::format("the session is measured on {}, and it has {}; without a shared cache (--cache-url) that "
                    "both use and it may write to, it cannot compile for others either",
                    wanted.name, names_of(list.devices))};
  const CompilerFacts compiler = first_worker.compiler_facts(setup, wanted);
  if (compiler.version != order.at("compiler").get<std::string>())
    throw Unfit{fmt::format("its compiler is {}, and the session's is {}: trials of both do not compare",
                            compiler.version, order.at("compiler").get<std::string>())};
  if (content_hash(compiler.preprocessed) != order.at("source").get<std::string>())
    throw Unfit{"its headers (of the toolkit, or of the system) give the kernel another source than the session's"};
  workers::PoolOptions options{.program = options_.program, .stop = options_.stop, .first = first_worker.release()};
  options.compile_only = devices.empty();
  Part part{nullptr, devices.size(), fmt::format("{} x {}", devices.size(), wanted.name)};
  if (devices.empty()) devices.push_back(wanted);
  part.pool = std::make_unique<workers::WorkerPool>(std::move(setup), std::move(devices), std::move(options));
  return part;
}

void SessionConnection::send_trials() {
  while (part_.pool && part_.pool->has_finished()) {
    const search::Trial trial = part_.pool->next();
    json answer = {{"job", trial.configuration.choices.front()}};
    if (part_.devices > 0 || !trial.correct()) {
      answer["trial"] = workers::to_json(trial);
      answer["device_uuid"] = trial.device_uuid;
    }
    post(std::move(answer));
  }
}

void SessionConnection::withdraw(const std::string& reason) {
  options_.say("no part in this session: " + reason);
  part_ = {};
  post({{"unfit", workers::text_to_json(reason)}});
}

void SessionConnection::end_session() {
  part_ = {};
  folder_.reset();
  missing_.clear();
}

void sleep_between_tries(const AgentOptions& options) {
  for (int i = 0; i < 10 && !(options.stop && options.stop->load()); ++i)
    std::this_thread::sleep_for(std::chrono::duration<double>(between_tries_s / 10));
}

}  // namespace

AgentEnd run_agent(const AgentOptions& options) {
  Remote remote = remote_at(options.coordinator);
  std::string reason;
  double lost_s = steady_s();
  while (steady_s() - lost_s < options.patience_s) {
    if (options.stop && options.stop->load()) return AgentEnd::interrupted;
    Connected connected = connect_to(remote, connect_ms);
    if (connected.socket.get() < 0) {
      reason = connected.reason;
      sleep_between_tries(options);
      continue;
    }
    std::optional<AgentEnd> end;
    try {
      end = SessionConnection(options, std::move(connected.socket)).run();
    } catch (const json::exception& error) {
      reason = fmt::format("it sent what no session sends: {}", error.what());
      end = AgentEnd::not_found;
    }
    if (end == AgentEnd::not_found) {  // something other than a session may listen there
      if (reason.empty()) reason = "what listens there is no session";
      sleep_between_tries(options);
      continue;
    }
    if (end) return *end;
    reason = "the connection was lost";
    options.say(reason);
    lost_s = steady_s();
  }
  options.say(fmt::format("no session at {}:{} within {:.0f} s: {}", options.coordinator.host, options.coordinator.port,
                          options.patience_s, reason));
  return AgentEnd::not_found;
}

}  // namespace warptune::tuner::agents
