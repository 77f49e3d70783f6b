// Asks the worker questions with a time limit, and passes on its refusals.
#include "tuner/measure/workers/first_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/measure/workers/requests.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

namespace {

// How long the list of devices may take. A driver that has not answered by then hangs for ever.
constexpr double patience_s = 60;

std::string last_words_of(Process& process) {
  process.read_output();
  return process.last_words();
}

// Asks and returns the answer. `key` is a key that the answer has; late messages of another session do not have it.
Message ask(Process& process, const json& question, const char* key, double limit_s) {
  Channel& channel = process.channel();
  channel.post({to_cbor(question), {}});
  double left_s = limit_s, looked_s = steady_s();
  while (!channel.ended() && left_s > 0) {
    // As for every worker, time in which either it or this program did not run does not count.
    const double passed_s = steady_s() - std::exchange(looked_s, steady_s());
    if (process.halt() == Halt::none) left_s -= std::min(passed_s, 1.0);
    channel.exchange();
    while (auto message = channel.take()) {
      const json answer = from_cbor(message->text);
      if (is_refusal(answer) && answer.value("of", std::string()) == question.at("do").get<std::string>())
        throw_refusal(answer);
      if (answer.contains(key)) return std::move(*message);
    }
    const int wanted = POLLIN | (channel.wants_to_send() ? POLLOUT : 0);
    pollfd polled{channel.fd(), static_cast<short>(wanted), 0};
    poll(&polled, 1, 100);
  }
  throw NoDeviceError(fmt::format("a worker that was to look at this machine's devices and compilers {}; {}",
                                  channel.ended() ? "ended" : fmt::format("was silent for {} s", limit_s),
                                  last_words_of(process)));
}

}  // namespace

FirstWorker::FirstWorker(const Program& program, IdleWorkers* idle_workers) {
  while (idle_workers && !process_) {
    process_ = idle_workers->take(IdleWorkers::Role::measures);
    if (!process_) break;
    process_->channel().exchange();
    if (process_->channel().ended()) process_.reset();  // it has died since
  }
  if (!process_) process_ = std::make_unique<Process>(program);
}

DeviceList FirstWorker::list_devices(const BackendOptions& options) {
  const json answer =
      from_cbor(ask(*process_, {{"do", "list devices"}, {"backend", to_json(options)}}, "devices", patience_s).text);
  DeviceList list;
  for (const json& device : answer.at("devices")) list.devices.push_back(device_from(device));
  for (const json& reason : answer.at("absent")) list.absent.push_back(text_from_json(reason));
  return list;
}

CompilerFacts FirstWorker::compiler_facts(const Setup& setup, const DeviceInfo& device) {
  ask(*process_, prepare_request(setup, device, false), "ready", setup_limit_s(setup));
  Message answer = ask(*process_, {{"do", "describe"}}, "version", setup_limit_s(setup));
  return {from_cbor(answer.text).at("version").get<std::string>(), std::move(answer.payload)};
}

}  // namespace warptune::tuner::workers
