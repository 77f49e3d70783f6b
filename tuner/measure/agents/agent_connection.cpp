// Implements the session's side of the messages with an agent; README.md lists them.
#include "tuner/measure/agents/agent_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/measure/workers/codec.h"
#include "tuner/system/clock.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner::agents {

namespace {

// How long a connection may be silent before its peer has proved who it is.
constexpr double greeting_s = 10;
// How long an agent may be silent. It sends a beat every two seconds (agent.cpp), even while its workers do something
// long.
constexpr double most_silent_s = 20;

}  // namespace

AgentConnection::AgentConnection(FileDescriptor socket, std::string token)
    : token_(std::move(token)),
      channel_(std::move(socket), workers::Side::program),
      name_("an agent"),
      looked_s_(steady_s()) {
  nonces_.coordinator = random_token();
  channel_.limit(most_greeting_bytes);
  post({{"warptune", "agents"}, {"version", protocol_version}, {"nonce", nonces_.coordinator}});
}

void AgentConnection::post(const json& message) {
  channel_.post({workers::to_cbor(message), {}});
}

pollfd AgentConnection::polled() const {
  const int wanted = POLLIN | (channel_.wants_to_send() || files_ ? POLLOUT : 0);
  return {channel_.fd(), static_cast<short>(wanted), 0};
}

void AgentConnection::offer(const Offer& offer) {
  files_.emplace(offer.folder);
  begin_ = offer.begin;
  begin_["session"] = ++session_;
  setup_limit_s_ = offer.setup_limit_s;
  state_ = State::preparing;
  silent_s_ = 0;
}

void AgentConnection::end_session() {
  if (state_ == State::greeting || state_ == State::resting) return;
  files_.reset();
  jobs_.clear();
  devices_ = capacity_ = 0;
  post({{"do", "end"}});
  state_ = State::resting;
}

void AgentConnection::leave() {
  if (state_ == State::greeting) return;
  end_session();
  post({{"do", "leave"}});
  channel_.exchange();
}

void AgentConnection::evaluate(JobId id, const json& values, const Rivals& rivals) {
  jobs_.insert(id);
  post({{"do", "evaluate"}, {"job", id}, {"values", values}, {"rivals", workers::to_json(rivals)}});
}

void AgentConnection::race_against(const Rivals& rivals) {
  post({{"do", "race"}, {"rivals", workers::to_json(rivals)}});
}

void AgentConnection::forget_all() {
  jobs_.clear();
  post({{"do", "forget"}});
}

void AgentConnection::lose(std::string why) {
  if (gone_.empty()) gone_ = std::move(why);
}

void AgentConnection::exchange() {
  send_files();
  channel_.exchange();
  note_silence();
  if (channel_.broken())
    lose("it sent what is no message");
  else if (channel_.ended())
    lose("its connection ended");
}

// Adds up the silence. At most a second is added for each look, so that an agent is not blamed for time in which this
// machine was suspended.
void AgentConnection::note_silence() {
  const double passed_s = steady_s() - std::exchange(looked_s_, steady_s());
  silent_s_ += std::min(passed_s, 1.0);
  if (silent_s_ > patience_s()) lose(fmt::format("it was silent for {:.0f} s", patience_s()));
}

double AgentConnection::patience_s() const {
  if (state_ == State::greeting) return greeting_s;
  return state_ == State::preparing ? setup_limit_s_ : most_silent_s;
}

void AgentConnection::send_files() {
  while (files_ && !channel_.wants_to_send()) {
    if (auto piece = files_->next()) {
      channel_.post(*piece);
    } else {
      files_.reset();
      post(begin_);
    }
    channel_.exchange();
    silent_s_ = 0;
  }
}

std::optional<json> AgentConnection::next_answer() {
  try {
    while (gone_.empty()) {
      const auto message = channel_.take();
      if (!message) break;
      silent_s_ = 0;
      json answer = workers::from_cbor(message->text);
      if (state_ == State::greeting)
        greet(answer);
      else if (is_for_session(answer))
        return answer;
    }
  } catch (const json::exception& error) {
    lose(fmt::format("it sent what no agent sends: {}", error.what()));
  }
  return std::nullopt;
}

void AgentConnection::greet(const json& answer) {
  answer.at("nonce").get_to(nonces_.agent);
  if (!is_proof(answer.at("proof").get<std::string>(), Side::agent, token_, nonces_)) {
    post({{"refused", "it has another token than the session"}});
    channel_.exchange();
    return lose("it has another token");
  }
  name_ = workers::text_from_json(answer.at("name")).substr(0, 200);
  post({{"proof", proof_of(Side::coordinator, token_, nonces_)}});
  channel_.rekey(key_of(token_, nonces_));
  channel_.limit(0);
  state_ = State::resting;
}

// Returns whether an answer concerns the present session. Beats do not, nor does what the agent says of a session that
// is over.
bool AgentConnection::is_for_session(const json& answer) {
  if (answer.contains("beat") || answer.at("session").get<std::int64_t>() != session_) return false;
  if (answer.contains("leaving")) lose(workers::text_from_json(answer.at("leaving")));
  if (state_ != State::preparing && state_ != State::ready) return false;
  if (answer.contains("ready")) {
    devices_ = answer.at("devices").get<std::size_t>();
    capacity_ = std::max<std::size_t>(1, answer.at("ready").get<std::size_t>());
    state_ = State::ready;
  }
  if (answer.contains("unfit")) {
    state_ = State::unfit;
    return true;
  }
  // Answers to jobs that were forgotten may still arrive.
  return !answer.contains("job") || jobs_.contains(answer.at("job").get<JobId>());
}

}  // namespace warptune::tuner::agents
