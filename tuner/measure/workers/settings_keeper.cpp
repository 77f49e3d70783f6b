// Starts the keeper, and restores the device in its place if it was killed. Rejected: a handler for signals, which
// SIGKILL does not reach; and a child that only watches, for then two processes would have to agree about what was
// changed.
#include "tuner/measure/workers/settings_keeper.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <system_error>

#include "tuner/device/backends/cuda/sensors/nvml_settings.h"
#include "tuner/device/device_error.h"
#include "tuner/system/child.h"

namespace warptune::tuner::workers {

namespace {

constexpr int answer_timeout_ms = 20'000;  // a driver that was not in use takes seconds to start
constexpr std::string_view changed_word = "changed";

std::string label_of(const DeviceInfo& device) {
  return fmt::format("{} ({})", device.id, device.name);
}

std::vector<std::string> words_for(const DeviceInfo& device, const DeviceSettings& settings,
                                   const BackendOptions& options) {
  std::vector<std::string> words{device.uuid, label_of(device), std::to_string(settings.clock_mhz),
                                 std::to_string(settings.power_cap_w)};
  for (const auto& folder : options.library_directories) words.push_back(folder.string());
  return words;
}

// Holds the settings in this process. Only the end of this object restores the device.
class HeldHere : public HeldSettings {
 public:
  HeldHere(const DeviceInfo& device, const DeviceSettings& settings, const BackendOptions& options)
      : nvml_(options, device.uuid, label_of(device)), changed_(nvml_.apply(settings)) {}
  ~HeldHere() override {
    try {
      nvml_.restore(changed_);
    } catch (const DeviceSettingsError&) {
    }  // a destructor cannot report that the driver refused
  }

 private:
  cuda::NvmlSettings nvml_;
  ChangedSettings changed_;
};

// Returns the line that a keeper answers with: "changed 1 700000", or what went wrong.
std::string read_line(int fd) {
  std::string line;
  pollfd wait{fd, POLLIN, 0};
  std::array<char, 512> buffer{};
  while (line.find('\n') == std::string::npos) {
    if (poll(&wait, 1, answer_timeout_ms) <= 0) break;
    const ssize_t bytes = read(fd, buffer.data(), buffer.size());
    if (bytes <= 0) break;
    line.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
  return line.substr(0, line.find('\n'));
}

std::optional<ChangedSettings> changed_from(std::string_view line) {
  if (!line.starts_with(changed_word)) return std::nullopt;
  int locked = 0;
  ChangedSettings changed;
  const char* at = line.data() + changed_word.size() + 1;
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(at, end, locked);
  if (first.ec != std::errc() || first.ptr == end) return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, changed.previous_cap_mw).ec != std::errc()) return std::nullopt;
  changed.clock_locked = locked != 0;
  return changed;
}

class Kept : public HeldSettings {
 public:
  Kept(const DeviceInfo& device, const DeviceSettings& settings, const BackendOptions& options, const Program& program)
      : device_(device), options_(options) {
    Pipe in, out;
    std::vector<std::string> command{program.file.string(), "keep-settings"};
    const std::vector<std::string> words = words_for(device, settings, options);
    command.insert(command.end(), words.begin(), words.end());
    // The keeper has a session of its own, so that a Ctrl-C at the terminal does not reach it.
    keeper_ = Child::start({.command = command, .descriptors = {{in.read.get(), 0}, {out.write.get(), 1}}},
                           ChildGroup::own_session);
    out.write.reset();
    in.read.reset();
    hold_ = std::move(in.write);
    const std::string line = read_line(out.read.get());
    if (const auto changed = changed_from(line)) {
      changed_ = *changed;
      return;
    }
    let_go();
    throw DeviceSettingsError(line.empty() ? fmt::format("setting the clock or the power cap of {} failed: the process "
                                                         "that does it ended without a word; see nvidia-smi",
                                                         label_of(device))
                                           : line);
  }

  ~Kept() override {
    if (let_go()) return;
    try {
      cuda::NvmlSettings(options_, device_.uuid, label_of(device_)).restore(changed_);
    } catch (const search::Error&) {
    }  // the keeper was killed and NVML refuses: nothing is left to try
  }

 private:
  // Ends the keeper, and returns whether it ended in order, and so has restored everything.
  bool let_go() {
    hold_.reset();
    return exit_code_of(keeper_.reap()) == 0 && keeper_.end_is_known();
  }

  DeviceInfo device_;
  BackendOptions options_;
  Child keeper_;
  FileDescriptor hold_;  // the pipe whose closing ends the keeper
  ChangedSettings changed_;
};

void say(int fd, std::string line) {
  for (char& c : line)
    if (c == '\n') c = ' ';
  line += '\n';
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
}

int number(const std::string& word) {
  int value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

// Waits for the end of the input. Nothing else ends the keeper as long as there is something to restore.
void wait_for_end_of_input() {
  std::array<char, 64> ignored{};
  for (ssize_t bytes = 1; bytes > 0 || (bytes < 0 && errno == EINTR);) bytes = read(0, ignored.data(), ignored.size());
}

}  // namespace

std::unique_ptr<HeldSettings> hold_settings(const DeviceInfo& device, const DeviceSettings& settings,
                                            const BackendOptions& options, const std::optional<Program>& program) {
  if (device.backend != "cuda")
    throw NoDeviceError(
        fmt::format("{} has no clock to lock and no power to cap: --clock and --power-cap are for "
                    "NVIDIA GPUs; name one with --device, or leave them out",
                    device.id));
  if (program) return std::make_unique<Kept>(device, settings, options, *program);
  return std::make_unique<HeldHere>(device, settings, options);
}

int keep_settings(const std::vector<std::string>& words) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) ::signal(signal, SIG_IGN);
  try {
    BackendOptions options;
    for (std::size_t i = 4; i < words.size(); ++i) options.library_directories.emplace_back(words[i]);
    cuda::NvmlSettings nvml(options, words.at(0), words.at(1));
    const ChangedSettings changed = nvml.apply({number(words.at(2)), number(words.at(3))});
    say(STDOUT_FILENO, fmt::format("{} {} {}", changed_word, int{changed.clock_locked}, changed.previous_cap_mw));
    wait_for_end_of_input();
    try {
      nvml.restore(changed);
    } catch (const search::Error& error) {
      say(STDERR_FILENO, fmt::format("warptune: {}", error.what()));
      return 1;
    }
  } catch (const search::Error& error) {
    say(STDOUT_FILENO, error.what());
  }
  return 0;
}

}  // namespace warptune::tuner::workers
