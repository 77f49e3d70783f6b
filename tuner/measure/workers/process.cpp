// Spawns workers, reads what they print, and looks up their state in /proc.
#include "tuner/measure/workers/process.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::workers {

namespace {

constexpr int worker_socket = 3;
constexpr std::size_t last_words_bytes = 4096;

struct Pair {
  FileDescriptor ours, theirs;
};

Pair socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "making a worker's socket");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The setting that makes glibc's malloc keep its memory, in large pages (glibc manual, "Memory Allocation Tunables";
// libraries without these names ignore them). A compiler takes some 40 MB for each configuration and gives it back.
// Mapping and clearing it anew costs ten thousand page faults, which take longer on a virtual machine than the
// compilation.
constexpr std::string_view kept_memory =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=4294967296:"
    "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.top_pad=67108864";

std::vector<std::string> worker_environment() {
  return std::getenv("GLIBC_TUNABLES") ? std::vector<std::string>() : environment_with({std::string(kept_memory)});
}

// Returns the text of /proc/PROCESS/stat; empty if the process is gone, or goes while it is read. A stream would throw
// then.
std::string stat_of(const std::string& process) {
  const FileDescriptor file(open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;
  const ssize_t bytes = read(file.get(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

// Reads the state letter of /proc/PID/stat, see proc(5).
Halt halt_of(char state) {
  return state == 't' ? Halt::traced : state == 'T' ? Halt::stopped : Halt::none;
}

// Spawns the worker in a group of its own: the program handles a Ctrl-C at the terminal, and a kill reaches the
// worker's children. It is not a session of its own, because the system's scheduler may treat a session as one unit
// (sched(7), autogroups): priorities between compiling and measuring workers would not hold. Other descriptors are
// closed, so that a kernel cannot write to what the program was started with.
Child spawn(const Program& program, int socket, int output) {
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<std::string> command = {program.file.string()};
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  for (const long number : {long{worker_socket}, long{getpid()}, long{protocol_version}})
    command.push_back(std::to_string(number));
  return Child::start({.command = std::move(command),
                       .environment = worker_environment(),
                       .descriptors = {{nothing.get(), 0}, {output, 1}, {output, 2}, {socket, worker_socket}},
                       .closes_others = true},
                      ChildGroup::own);
}

}  // namespace

Process::Process(const Program& program) : channel_(FileDescriptor(), Side::program) {
  Pair socket = socket_pair();
  Pipe output;
  fcntl(output.read.get(), F_SETFL, O_NONBLOCK);
  child_ = spawn(program, socket.theirs.get(), output.write.get());
  channel_ = Channel(std::move(socket.ours), Side::program, random_channel_key());
  channel_.send_key();
  output_ = std::move(output.read);
}

Process::~Process() {
  if (try_reap()) return;
  child_.kill();
  child_.reap();
  ScratchFolder::remove_all_of(pid());
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

std::optional<int> Process::try_reap() {
  const bool was_known = child_.has_been_reaped();
  const std::optional<int> status = child_.try_reap();
  if (status && !was_known) ScratchFolder::remove_all_of(pid());
  return status;
}

Halt Process::halt() const {
  const std::string text = stat_of(std::to_string(pid()));
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
    if (group == pid()) found = std::max(found, halt_of(state));
  }
  return found;
}

}  // namespace warptune::tuner::workers
