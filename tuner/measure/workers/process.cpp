// Spawning, last words, and burying.
#include "tuner/measure/workers/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <string_view>
#include <system_error>

#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::workers {

namespace {

constexpr int worker_socket = 3;
constexpr std::size_t last_words_bytes = 4096;

[[noreturn]] void fail(int error, const std::string& attempted) {
  throw std::system_error(error, std::generic_category(), attempted);
}

struct Pair {
  FileDescriptor ours, theirs;
};

Pair socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno, "making a worker's socket");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Pair output_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "making a worker's pipe");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A group of its own: a Ctrl-C at the terminal is the program's to answer, and a kill reaches the worker's children.
// Not a session, which the system's scheduler may treat as one (sched(7), autogroups): priorities would not hold
// between compiling and measuring workers.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A compiler takes some 40 MB for each configuration and gives it back; having the kernel map and clear it anew costs
// ten thousand page faults, which a virtual machine takes longer for than for the compilation. So glibc's malloc keeps
// what it has, in large pages (glibc manual, "Memory Allocation Tunables"; libraries without these names ignore them).
constexpr std::string_view kept_memory =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=4294967296:"
    "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.top_pad=67108864";

std::vector<std::string> worker_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const auto is_chosen = [](const std::string& entry) { return entry.starts_with("GLIBC_TUNABLES="); };
  if (std::ranges::none_of(environment, is_chosen)) environment.emplace_back(kept_memory);
  return environment;
}

// Empty if the process is gone, or goes while it is read, of which a stream would throw.
std::string stat_of(const std::string& process) {
  const FileDescriptor file(open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;
  const ssize_t bytes = read(file.get(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

// proc(5) on stat.
Halt halt_of(char state) {
  return state == 't' ? Halt::traced : state == 'T' ? Halt::stopped : Halt::none;
}

pid_t spawn(const Program& program, int socket, int output) {
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  // In this order: the pipe may have the number that the socket is going to take.
  posix_spawn_file_actions_adddup2(actions.get(), output, 1);
  posix_spawn_file_actions_adddup2(actions.get(), output, 2);
  posix_spawn_file_actions_adddup2(actions.get(), socket, worker_socket);
  // What the program was started with is not a kernel's to write to.
  posix_spawn_file_actions_addclosefrom_np(actions.get(), worker_socket + 1);
  std::vector<std::string> texts = {program.file.string()};
  texts.insert(texts.end(), program.arguments.begin(), program.arguments.end());
  for (const long number : {long{worker_socket}, long{getpid()}, long{protocol_version}})
    texts.push_back(std::to_string(number));
  std::vector<std::string> environment = worker_environment();
  pid_t pid = -1;
  const int error = posix_spawn(&pid, texts[0].c_str(), actions.get(), Attributes().get(), pointers_to(texts).data(),
                                pointers_to(environment).data());
  if (error != 0) fail(error, "starting the worker " + program.file.string());
  return pid;
}

}  // namespace

Process::Process(const Program& program) : channel_(FileDescriptor(), Side::program) {
  Pair socket = socket_pair(), output = output_pipe();
  pid_ = spawn(program, socket.theirs.get(), output.theirs.get());
  channel_ = Channel(std::move(socket.ours), Side::program, random_channel_key());
  channel_.send_key();
  output_ = std::move(output.ours);
}

Process::~Process() {
  if (status_) return;
  kill();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  note_end(status);
}

void Process::read_output() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(output_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) output_.reset();
    if (n <= 0) return;
    last_words_.append(buffer.data(), static_cast<std::size_t>(n));
    if (last_words_.size() > 2 * last_words_bytes) last_words_.erase(0, last_words_.size() - last_words_bytes);
  }
}

void Process::kill() {
  // Not after its end was seen: the number may be another's by then.
  if (!status_) ::kill(-pid_, SIGKILL);
}

std::optional<int> Process::try_reap() {
  if (status_) return status_;
  siginfo_t info{};
  const int waited = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  // A program that ignores SIGCHLD never learns how its children ended.
  if (waited != 0 && errno == ECHILD) return status_ = 0;
  if (waited != 0 || info.si_pid != pid_) return std::nullopt;
  kill();  // what it leaves behind, while its number still names its group
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) note_end(status);
  return status_;
}

void Process::note_end(int status) {
  status_ = status;
  ScratchFolder::remove_all_of(pid_);
}

Halt Process::halt() const {
  const std::string text = stat_of(std::to_string(pid_));
  const auto name_end = text.rfind(") ");
  return name_end == std::string::npos ? Halt::none : halt_of(text[name_end + 2]);
}

Halt Process::group_halt() const {
  Halt found = Halt::none;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry("/proc", ignored), end; entry != end; entry.increment(ignored)) {
    const std::string number = entry->path().filename().string();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;  // /proc/net/stat is a folder
    const std::string text = stat_of(number);
    const auto name_end = text.rfind(") ");
    if (name_end == std::string::npos) continue;
    char state = 0;
    long parent = 0, group = 0;
    std::istringstream(text.substr(name_end + 2)) >> state >> parent >> group;
    if (group == pid_) found = std::max(found, halt_of(state));
  }
  return found;
}

void Process::go_on() {
  if (!status_) ::kill(-pid_, SIGCONT);
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("was killed by SIG{} ({})", name ? name : std::to_string(WTERMSIG(status)),
                     strsignal(WTERMSIG(status)));
}

}  // namespace warptune::tuner::workers
