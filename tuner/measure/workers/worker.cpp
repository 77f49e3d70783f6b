// Answers the program's requests. The worker catches what a set-up throws, and nothing else: whatever goes wrong in a
// job ends the worker, and the program, which sees that, makes a trial of it.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/device/backends/device_choice.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/cache/cached_compiler.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/measurer.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/measure/workers/process.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/measure/workers/watchdog.h"
#include "tuner/system/clock.h"
#include "tuner/system/confinement.h"

namespace warptune::tuner::workers {

namespace {

// Runs all requests in a thread of its own, so that this thread can be confined and the channel's thread is not.
class KernelThread {
 public:
  KernelThread() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

  Message run(std::function<Message()> job) {
    std::packaged_task<Message()> task(std::move(job));
    auto answer = task.get_future();
    {
      const std::scoped_lock lock(mutex_);
      task_ = std::move(task);
    }
    changed_.notify_one();
    return answer.get();
  }

 private:
  void work(const std::stop_token& stop) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return task_.valid(); })) return;
      auto task = std::exchange(task_, {});
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::packaged_task<Message()> task_;
  std::jthread thread_;
};

// Finds what a kernel on the host may leave behind in the process in which it runs.
class Leftovers {
 public:
  Leftovers() { pthread_sigmask(SIG_SETMASK, nullptr, &signals_); }

  // Returns whether the kernel has left threads of its own, which may do anything.
  bool has_more_threads() const { return threads() > threads_; }
  // Restores the signal mask of the calling thread, which ran the kernel.
  void unblock_signals() const { pthread_sigmask(SIG_SETMASK, &signals_, nullptr); }

 private:
  // Returns a number that grows with the threads. A folder's links are itself, its name, and the folders in it.
  static nlink_t threads() {
    struct stat about {};
    return stat("/proc/self/task", &about) == 0 ? about.st_nlink : 0;
  }

  sigset_t signals_{};
  nlink_t threads_ = threads();
};

// Handles everything a worker can be asked. It answers each request before it takes the next.
class Worker {
 public:
  Worker(Channel channel, pid_t program) : channel_(std::move(channel)), watchdog_(channel_.fd(), program) {}

  int serve() {
    while (auto message = channel_.wait()) {
      const json request = from_cbor(message->text);
      Message answer = kernel_thread_.run([&] { return answer_to(request, message->payload); });
      if (!channel_.send(answer)) break;
      if (measurer_ && !measurer_->usable()) break;
    }
    // The process ends without releasing anything: after a kernel that never ends, releasing would never end either.
    _exit(0);
  }

 private:
  Message answer_to(const json& request, const std::string& payload) {
    const auto wanted = request.at("do").get<std::string>();
    if (wanted == "compile") return compile(request);
    if (wanted == "finish") return finish(request);
    if (wanted == "measure") return {to_cbor(measure(request, payload)), {}};
    try {
      if (wanted == "list devices") return {to_cbor(list(request)), {}};
      if (wanted == "describe") return describe();
      if (wanted == "prepare") return {to_cbor(prepare(request)), {}};
      return {to_cbor(open(request)), {}};
    } catch (const std::exception& error) {
      json refused = refusal(error, setup_.place.root);
      refused["of"] = wanted;
      return {to_cbor(refused), {}};
    }
  }

  static json list(const json& request) {
    const DeviceList found = list_devices(backend_options_from(request.at("backend")));
    json devices = json::array(), absent = json::array();
    for (const DeviceInfo& device : found.devices) devices.push_back(to_json(device));
    for (const std::string& reason : found.absent) absent.push_back(text_to_json(reason));
    return {{"devices", devices}, {"absent", absent}};
  }

  // Loads the template and the compiler, but opens no device yet.
  json prepare(const json& request) {
    // The worker keeps the device of the session before, whose template is about to go.
    if (measurer_) kept_ = {setup_.options.backend.kernel_timeout_s, device_, measurer_->release()};
    measurer_.reset();
    setup_ = setup_from(request.at("setup"));
    device_ = device_from(request.at("device"));
    kernel_ = load_template(setup_.place);
    compiler_ = cached_compiler(device_, setup_.options);
    // Measuring must not wait for a core on which code is compiled for later.
    if (request.at("yield").get<bool>()) setpriority(PRIO_PROCESS, 0, 5);
    return {{"ready", true}};
  }

  Message describe() {
    const CompilerFacts facts = compiler_facts(kernel_, device_.backend, *compiler_, setup_.constants);
    return {to_cbor({{"version", facts.version}}), facts.preprocessed};
  }

  json open(const json& request) {
    device_ = device_from(request.at("device"));
    setup_.constants = named_values_from(request.at("constants"));
    // While this thread works, the other one waits for it and leaves the channel alone, so the steps can be sent from
    // here. Later the reference runs within trials, which have limits of their own.
    opening_ = true;
    setup_.options.backend.on_step = [this](const std::string& what, bool compiles) {
      if (opening_) channel_.send({to_cbor({{"step", text_to_json(what)}, {"compiles", compiles}}), {}});
    };
    if (measurer_)
      measurer_->turn_to(setup_.constants);
    else
      measurer_ = std::make_unique<Measurer>(
          kernel_, setup_.constants, device_, setup_.options.backend, setup_.options.policy, *compiler_,
          setup_.options.cache, [this] { watchdog_.progress(); }, take_kept());
    watchdog_.rest();
    watchdog_.watch_steps(request.at("step_limit_s").get<double>());
    opening_ = false;
    // On the host, kernels run in this process, so it is confined now. Compilers have run already.
    if (device_.is_host()) {
      confine_kernels(channel_.fd());
      confine_this_thread();
    }
    return {{"open", true}, {"expected", to_json(measurer_->expected_outputs())}};
  }

  // Returns the kept device if it was opened under the same terms, else null.
  std::unique_ptr<Device> take_kept() {
    const bool same = kept_.device && kept_.info.id == device_.id && kept_.info.uuid == device_.uuid &&
                      kept_.kernel_timeout_s == setup_.options.backend.kernel_timeout_s;
    return same ? std::move(kept_.device) : nullptr;
  }

  Message compile(const json& request) {
    const search::NamedValues values = named_values_from(request.at("values"));
    const search::NamedValues constants = named_values_from(request.at("constants"));
    json answer = {{"job", request.at("job")}};
    const double start = steady_s();
    Message message;
    try {
      CompileRequest wanted = compile_request(kernel_, device_.backend, values, scope_of(constants, values));
      wanted.tracked = request.at("tracked").get<bool>();
      const auto [result, hit, shared] = compiler_->fetch(wanted);
      if (request.contains("flush_ms")) compiler_->flush(request.at("flush_ms").get<int>());
      answer["hit"] = hit;
      answer["shared"] = shared;
      answer["notices"] = compiler_->notices();
      answer["compiled"] = result.code.has_value();
      answer["unfinished"] = result.unfinished;
      if (result.code)
        message.payload = to_bytes(result);
      else
        answer["log"] = text_to_json(result.log);
    } catch (const search::ExpressionError& error) {  // a define that cannot be computed
      answer["violation"] = text_to_json(error.what());
    }
    answer["compile_ms"] = (steady_s() - start) * 1e3;
    message.text = to_cbor(answer);
    return message;
  }

  // Sends what is queued for the shared cache. It is the last request before the worker is killed.
  Message finish(const json& request) {
    compiler_->flush(request.at("patience_ms").get<int>());
    return {to_cbor({{"finished", true}, {"notices", compiler_->notices()}}), {}};
  }

  json measure(const json& request, const std::string& payload) {
    const auto result = compile_result_from(payload);
    if (!result || !result->code) throw std::runtime_error("a job came without machine code");
    const search::NamedValues values = named_values_from(request.at("values"));
    const Purpose purpose = purpose_from(request.at("purpose"));
    search::Trial trial;
    const double start = steady_s();
    watchdog_.progress();
    const Leftovers leftovers;
    measurer_->race_against(rivals_from(request.at("rivals")));
    measurer_->run(*result->code, scope_of(setup_.constants, values), purpose, trial);
    leftovers.unblock_signals();
    watchdog_.rest();
    trial.phases.framework_ms = (steady_s() - start) * 1e3 - trial.phases.verify_ms - trial.phases.measure_ms;
    return {{"job", request.at("job")},
            {"trial", to_json(trial)},
            {"lost", !measurer_->usable() || (device_.is_host() && leftovers.has_more_threads())}};
  }

  Channel channel_;
  Watchdog watchdog_;
  bool opening_ = false;  // the device is being opened and its data set up: steps are reported
  Setup setup_;
  DeviceInfo device_;
  KernelTemplate kernel_;
  std::unique_ptr<CachedCompiler> compiler_;
  // Keeps the device of the session before.
  struct Kept {
    double kernel_timeout_s = 0;
    DeviceInfo info;
    std::unique_ptr<Device> device;
  } kept_;
  std::unique_ptr<Measurer> measurer_;
  KernelThread kernel_thread_;  // last: its thread uses all of the above
};

bool is_socket(int descriptor) {
  struct stat about {};
  return fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode);
}

// Leaves the controlling terminal. Otherwise a kernel, or what a compiler starts, could type into it, and a shell would
// read that.
void leave_terminal() {
  const FileDescriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
  if (terminal.get() >= 0) ioctl(terminal.get(), TIOCNOTTY);
}

int explain_misuse() {
  fmt::print(stderr,
             "a worker is a process that compiles or measures for a session: warptune starts it itself, of the same "
             "version (this one speaks version {}), and it does nothing by itself. `warptune tune` starts a session.\n",
             protocol_version);
  return misuse_exit_code;
}

}  // namespace

int worker_main(const std::vector<std::string>& numbers) {
  const bool right = numbers.size() == 3 && std::atoi(numbers[2].c_str()) == protocol_version;
  const int socket = right ? std::atoi(numbers[0].c_str()) : -1;
  if (!right || std::atoi(numbers[1].c_str()) != getppid() || !is_socket(socket)) return explain_misuse();
  leave_terminal();
  fcntl(socket, F_SETFD, FD_CLOEXEC);  // a compiler that held it would hide this worker's end from the program
  try {
    Channel channel(FileDescriptor(socket), Side::worker);
    if (!channel.receive_key()) return explain_misuse();
    return Worker(std::move(channel), std::atoi(numbers[1].c_str())).serve();
  } catch (const std::exception& error) {
    fmt::print(stderr, "the worker gave up: {}\n", error.what());
    std::fflush(stderr);
    _exit(EXIT_FAILURE);
  }
}

}  // namespace warptune::tuner::workers
