#include "tuner/system/confinement.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

// `what` is done by a confined process of its own, for a thread cannot be freed again. The status as waitpid gives it.
int status_when_confined(const std::function<bool()>& what, int sealed = 1000) {
  const pid_t child = fork();
  if (child == 0) {
    confine_kernels(sealed);
    confine_this_thread();
    _exit(what() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool possible(const std::function<bool()>& what, int sealed = 1000) {
  const int status = status_when_confined(what, sealed);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status) == 1;
}

class Confinement : public testing::Test {
 protected:
  Confinement() {
    std::ofstream(file()) << "precious";
    EXPECT_EQ(pipe(sealed_.data()), 0);
    EXPECT_EQ(pipe(other_.data()), 0);
  }
  ~Confinement() override {
    for (const int end : {sealed_[0], sealed_[1], other_[0], other_[1]}) close(end);
  }
  std::string file() const { return (folder_.path() / "file").string(); }
  std::string beside() const { return (folder_.path() / "beside").string(); }

  TemporaryFolder folder_;
  std::array<int, 2> sealed_{}, other_{};
};

TEST_F(Confinement, SealsTheDescriptorForTheThreadAndThoseThatItStarts) {
  const int sealed = sealed_[1];
  EXPECT_FALSE(possible([&] { return write(sealed, "x", 1) == 1; }, sealed));
  EXPECT_FALSE(possible([&] { return close(sealed) == 0; }, sealed));
  EXPECT_FALSE(possible([&] { return dup(sealed) >= 0 || dup2(sealed, 77) >= 0; }, sealed));
  EXPECT_FALSE(possible([&] { return dup2(other_[1], sealed) >= 0; }, sealed));
  EXPECT_FALSE(possible([&] { return fcntl(sealed, F_DUPFD, 50) >= 0; }, sealed));
  EXPECT_FALSE(possible(
      [&] {
        bool written = false;
        std::thread([&] { written = write(sealed, "x", 1) == 1; }).join();
        return written;
      },
      sealed));
  EXPECT_TRUE(possible([&] { return write(other_[1], "x", 1) == 1; }, sealed));
}

// A message may carry a descriptor, which arrives under another number.
TEST_F(Confinement, PassesNoDescriptorOn) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_FALSE(possible([&] {
    char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {};
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* cargo = CMSG_FIRSTHDR(&message);
    cargo->cmsg_level = SOL_SOCKET;
    cargo->cmsg_type = SCM_RIGHTS;
    cargo->cmsg_len = CMSG_LEN(sizeof(int));
    return sendmsg(ends[0], &message, 0) == 1;
  }));
  for (const int end : ends) close(end);
}

TEST_F(Confinement, ChangesNoFile) {
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT, O_RDONLY | O_APPEND, O_PATH,
                          O_RDONLY | O_ASYNC, O_WRONLY | O_CREAT | O_TRUNC})
    EXPECT_FALSE(possible([&] { return open(file().c_str(), flags, 0600) >= 0; })) << flags;
  const int held = open(file().c_str(), O_RDWR);
  const std::string again = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(held);
  EXPECT_FALSE(possible([&] { return open(again.c_str(), O_RDONLY | O_TRUNC) >= 0; }));
  EXPECT_FALSE(possible([&] { return truncate(file().c_str(), 0) == 0 || ftruncate(held, 0) == 0; }));
  close(held);
  EXPECT_FALSE(possible([&] { return open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600) >= 0; }));
  EXPECT_FALSE(possible([&] { return mkdir(beside().c_str(), 0700) == 0 || mkfifo(beside().c_str(), 0600) == 0; }));
  EXPECT_FALSE(
      possible([&] { return symlink("a", beside().c_str()) == 0 || link(file().c_str(), beside().c_str()) == 0; }));
  EXPECT_FALSE(possible([&] { return std::rename(file().c_str(), beside().c_str()) == 0; }));
  EXPECT_FALSE(possible([&] { return renameat(AT_FDCWD, file().c_str(), AT_FDCWD, beside().c_str()) == 0; }));
  EXPECT_FALSE(possible([&] { return unlink(file().c_str()) == 0 || rmdir(folder_.path().c_str()) == 0; }));
  EXPECT_FALSE(possible([&] { return chmod(file().c_str(), 0) == 0 || chown(file().c_str(), 1, 1) == 0; }));
  EXPECT_FALSE(possible([&] { return utimensat(AT_FDCWD, file().c_str(), nullptr, 0) == 0 || chdir("/") == 0; }));
  EXPECT_EQ(std::filesystem::file_size(file()), 8u);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(beside())));
}

TEST_F(Confinement, LeavesOtherProcessesAlone) {
  const pid_t parent = getpid();
  EXPECT_FALSE(possible([&] { return ::kill(parent, 0) == 0 || ::kill(0, 0) == 0 || ::kill(-1, 0) == 0; }));
  EXPECT_FALSE(possible([&] { return syscall(SYS_tkill, parent, 0) == 0; }));
  EXPECT_FALSE(possible([&] { return system("true") == 0 || fork() >= 0; }));
  EXPECT_FALSE(possible([&] { return execl("/bin/true", "true", nullptr) == 0; }));
  EXPECT_FALSE(possible([&] { return setpriority(PRIO_PROCESS, static_cast<id_t>(parent), 19) == 0; }));
  EXPECT_FALSE(possible([&] {
    rlimit limit{};
    return prlimit(parent, RLIMIT_NOFILE, nullptr, &limit) == 0;
  }));
  // A descriptor's owner gets a signal of one's choice when there is something to read.
  EXPECT_FALSE(possible([&] {
    return fcntl(other_[0], F_SETOWN, parent) == 0 || fcntl(other_[0], F_SETSIG, SIGKILL) == 0 ||
           fcntl(other_[0], F_SETFL, O_ASYNC) == 0;
  }));
}

TEST_F(Confinement, ReachesNoNetwork) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    EXPECT_FALSE(possible([&] { return socket(family, SOCK_DGRAM, 0) >= 0; })) << family;
  EXPECT_FALSE(possible([] {
    std::array<int, 2> ends{};
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0;
  }));
}

// What is typed so, a shell at that terminal executes.
TEST_F(Confinement, TypesIntoNoTerminal) {
  int master = -1, terminal = -1;
  char name[64] = {};
  if (openpty(&master, &terminal, name, nullptr, nullptr) != 0) GTEST_SKIP() << "no terminals here";
  EXPECT_FALSE(possible([&] {
    char letter = 'x';
    return ioctl(terminal, TIOCSTI, &letter) == 0;
  }));
  EXPECT_FALSE(possible([&] { return ioctl(terminal, TIOCSCTTY, 1) == 0; }));
  const bool has_landlock = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
  EXPECT_EQ(possible([&] { return open(name, O_RDONLY | O_NOCTTY) >= 0; }), !has_landlock);
  const std::string memory = "/proc/" + std::to_string(getpid()) + "/mem";
  EXPECT_FALSE(has_landlock && possible([&] { return open(memory.c_str(), O_RDONLY) >= 0; }));
  close(master);
  close(terminal);
}

TEST_F(Confinement, ChangesNothingOfItsProcessThatOutlastsTheKernel) {
  EXPECT_FALSE(possible([] {
    const rlimit none{};
    return setrlimit(RLIMIT_AS, &none) == 0 || setrlimit(RLIMIT_NOFILE, &none) == 0;
  }));
  EXPECT_FALSE(possible([] {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    return sigaction(SIGTERM, &action, nullptr) == 0;
  }));
  EXPECT_FALSE(possible([] {
    itimerval soon{};
    soon.it_value.tv_sec = 1000;
    return setitimer(ITIMER_REAL, &soon, nullptr) == 0;
  }));
  EXPECT_FALSE(possible([] { return close(0) == 0 || close(1) == 0 || close(2) == 0; }));
  EXPECT_FALSE(possible([] { return setpriority(PRIO_PROCESS, 0, 19) == 0 || setsid() >= 0; }));
  EXPECT_TRUE(possible([] {
    cpu_set_t before, one, after;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_getaffinity(0, sizeof before, &before);
    const bool said = sched_setaffinity(0, sizeof one, &one) == 0;
    return said && sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after) != 0;
  }));
}

// Else nobody but the program could end it when its time is up.
TEST_F(Confinement, EndsAProcessThatStopsItself) {
  for (const int signal : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU}) {
    const int killed = status_when_confined([&] { return ::kill(getpid(), signal) == 0; });
    EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGSYS) << killed;
    const int raised = status_when_confined([&] { return raise(signal) == 0; });
    EXPECT_TRUE(WIFSIGNALED(raised) && WTERMSIG(raised) == SIGSYS) << raised;
  }
  const int aborted = status_when_confined([]() -> bool { std::abort(); });
  EXPECT_TRUE(WIFSIGNALED(aborted) && WTERMSIG(aborted) == SIGABRT) << aborted;
}

TEST_F(Confinement, LeavesWhatSoundKernelsNeed) {
  EXPECT_TRUE(possible([&] {
    std::ifstream stream(file());
    std::string text;
    return std::getline(stream, text) && text == "precious";
  }));
  EXPECT_TRUE(possible([] { return std::ifstream("/proc/meminfo").good() && open("/dev/null", O_RDONLY) >= 0; }));
  EXPECT_TRUE(possible([] {
    void* memory = std::malloc(std::size_t{64} << 20);
    std::free(memory);
    return memory != nullptr && std::printf("a kernel prints\n") > 0 && std::fflush(stdout) == 0;
  }));
  EXPECT_TRUE(possible([] {
    int sum = 0;
    std::thread one([&] { sum += 1; });
    one.join();
    usleep(1);
    rlimit stack{};
    return sum == 1 && getrlimit(RLIMIT_STACK, &stack) == 0 && std::thread::hardware_concurrency() > 0;
  }));
  // As a module's code is loaded: from a nameless file, by its path.
  EXPECT_TRUE(possible([] {
    const int library = memfd_create("library", MFD_CLOEXEC);
    std::ifstream stream("/proc/self/exe", std::ios::binary);
    std::string bytes(4096, '\0');
    stream.read(bytes.data(), 4096);
    const bool written = write(library, bytes.data(), bytes.size()) == 4096;
    const int again = open(("/proc/self/fd/" + std::to_string(library)).c_str(), O_RDONLY | O_CLOEXEC);
    void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, again, 0);
    return written && code != MAP_FAILED && close(again) == 0;
  }));
}

TEST(ConfinementOfNobody, IsForThoseWhoAskForItAlone) {
  confine_this_thread();
  const int file = open("/dev/null", O_WRONLY);
  EXPECT_GE(file, 0);
  close(file);
}

}  // namespace
}  // namespace warptune::tuner
