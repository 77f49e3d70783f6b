// Confines threads with a seccomp filter and Landlock. The filter lists what is allowed: what a kernel's run, the
// loading of its code and a reference's threads need. All else fails with EPERM. A list of what is refused was
// rejected. Kernels passed it by a flag of open, by signals that a descriptor sends, and by a message that carries a
// descriptor. Landlock is used beside it: a filter cannot read paths.
#include "tuner/system/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <system_error>
#include <vector>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

namespace {

std::atomic<int> sealed_descriptor{-1};

#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = 0;
#endif

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t end_process = SECCOMP_RET_KILL_PROCESS;

constexpr std::uint32_t return_error(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}
constexpr std::uint32_t refuse = return_error(EPERM);
constexpr std::uint32_t pretend = return_error(0);  // returns 0 and does nothing

// System calls from this number on are newer than the lists below. C libraries try them first, so they fail with
// ENOSYS.
constexpr std::uint32_t first_unknown = 450;

constexpr int for_memory[] = {SYS_brk,    SYS_mmap,    SYS_munmap,     SYS_mprotect,
                              SYS_mremap, SYS_mincore, SYS_membarrier, SYS_memfd_create};

constexpr int for_threads[] = {SYS_futex,           SYS_exit,       SYS_exit_group,      SYS_set_robust_list,
                               SYS_get_robust_list, SYS_rseq,       SYS_set_tid_address, SYS_rt_sigprocmask,
                               SYS_rt_sigreturn,    SYS_sigaltstack};

constexpr int for_waiting[] = {SYS_nanosleep, SYS_clock_nanosleep, SYS_restart_syscall, SYS_ppoll,
                               SYS_pselect6,  SYS_rt_sigtimedwait, SYS_rt_sigsuspend,   SYS_pipe2};

constexpr int for_scheduling[] = {SYS_sched_yield,    SYS_sched_getaffinity,      SYS_sched_getscheduler,
                                  SYS_sched_getparam, SYS_sched_get_priority_min, SYS_sched_get_priority_max,
                                  SYS_getpriority};

constexpr int for_facts[] = {SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times,    SYS_getrusage,
                             SYS_getcpu,        SYS_sysinfo,      SYS_uname,        SYS_getpid,   SYS_gettid,
                             SYS_getppid,       SYS_getpgid,      SYS_getsid,       SYS_getuid,   SYS_geteuid,
                             SYS_getgid,        SYS_getegid,      SYS_getcwd,       SYS_getrandom};

constexpr int for_finding_files[] = {SYS_lseek,  SYS_fstat,   SYS_newfstatat, SYS_statx,      SYS_faccessat,
                                     SYS_statfs, SYS_fstatfs, SYS_faccessat2, SYS_readlinkat, SYS_getdents64};

constexpr int in_older_forms[] = {
#if defined(__x86_64__)
    SYS_stat,    SYS_lstat, SYS_access, SYS_readlink, SYS_time, SYS_getrlimit,
    SYS_getpgrp, SYS_pause, SYS_poll,   SYS_select,   SYS_pipe
#else
    SYS_getrlimit
#endif
};

// These calls may use all descriptors but the sealed one. No descriptor that a kernel may write to leads out of the
// process but its output: whatever else was open has been closed (measure/workers/process.cpp).
constexpr int by_descriptor[] = {SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64};

constexpr std::uint32_t reading_flags =
    O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_LARGEFILE;

class Filter {
 public:
  Filter(int sealed, pid_t own) : sealed_(static_cast<std::uint32_t>(sealed)), own_(static_cast<std::uint32_t>(own)) {
    load(offsetof(seccomp_data, arch));
    when(BPF_JEQ, this_architecture, {}, {give(refuse)});
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    when(BPF_JGE, 0x40000000, {give(refuse)});  // the calls of x32
#endif
    when(BPF_JGE, first_unknown, {give(return_error(ENOSYS))});
    for (const std::span<const int> calls : std::initializer_list<std::span<const int>>{
             for_memory, for_threads, for_waiting, for_scheduling, for_facts, for_finding_files, in_older_forms})
      for (const int call : calls) if_call(call, {{give(allow)}});
    // An advice from 100 on takes pages away from the whole machine (MADV_HWPOISON).
    if_call(SYS_madvise, {test(2, BPF_JGE, 100, {give(refuse)}), {give(allow)}});
    add_files();
    add_processes();
    code_.push_back(give(refuse));
  }

  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    // Before Linux 5.16 a filter slowed its threads down (speculative stores) unless it was asked not to.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
  }

 private:
  using Code = std::vector<sock_filter>;

  void add_files() {
    for (const int call : by_descriptor) if_call(call, {refuse_if(0, sealed_), {give(allow)}});
    // The standard descriptors stay open, lest the next file takes their place.
    if_call(SYS_close, {refuse_if(0, sealed_), refuse_if(0, 0), refuse_if(0, 1), refuse_if(0, 2), {give(allow)}});
    if_call(SYS_fcntl, {allow_if(1, F_GETFD), allow_if(1, F_SETFD), allow_if(1, F_GETFL), {give(refuse)}});
    if_call(SYS_openat, {reads_only(2)});
#if defined(__x86_64__)
    if_call(SYS_open, {reads_only(1)});
#endif
  }

  void add_processes() {
    if_call(SYS_clone, {test(0, BPF_JSET, CLONE_THREAD, {give(allow)}), {give(refuse)}});
    if_call(SYS_clone3, {{give(return_error(ENOSYS))}});  // the C library then takes clone
    // A stopped process could not end itself when its time is up.
    for (const int call : {SYS_kill, SYS_tgkill}) {
      std::vector<Code> rules = {test(0, BPF_JEQ, own_, {}, {give(refuse)})};
      for (const int signal : {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU})
        rules.push_back(
            test(call == SYS_kill ? 1 : 2, BPF_JEQ, static_cast<std::uint32_t>(signal), {give(end_process)}));
      rules.push_back({give(allow)});
      if_call(call, rules);
    }
    // A kernel may ask for the limits of its own process, but set no new limit.
    if_call(SYS_prlimit64, {test(0, BPF_JEQ, 0, {}, {give(refuse)}),
                            test(2, BPF_JEQ, 0, {}, {give(refuse)}),
                            test(2, BPF_JEQ, 0, {}, {give(refuse)}, high_half),
                            {give(allow)}});
    // This call may name any process, so it does nothing. A reference's threads may be bound to cores (OMP_PROC_BIND),
    // and do without it.
    if_call(SYS_sched_setaffinity, {{give(pretend)}});
  }

  static constexpr std::size_t high_half = 4;

  static sock_filter give(std::uint32_t action) {
    return {BPF_RET | BPF_K, 0, 0, action};
  }
  static sock_filter loading(std::size_t offset) {
    return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
  }
  void load(std::size_t offset) {
    code_.push_back(loading(offset));
  }

  // Runs `then` if the loaded word compares so with `value`, else `otherwise`. Each continues behind both, or returns.
  // Only one of them may have code.
  static Code choice(int comparison, std::uint32_t value, const Code& then, const Code& otherwise) {
    Code code = {{static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), static_cast<std::uint8_t>(otherwise.size()),
                  static_cast<std::uint8_t>(then.size()), value}};
    code.insert(code.end(), then.begin(), then.end());
    code.insert(code.end(), otherwise.begin(), otherwise.end());
    return code;
  }
  void when(int comparison, std::uint32_t value, const Code& then, const Code& otherwise = {}) {
    const Code code = choice(comparison, value, then, otherwise);
    code_.insert(code_.end(), code.begin(), code.end());
  }
  // Adds the rules of a call, which are tried in turn. The last rule must return.
  void if_call(int call, const std::vector<Code>& rules) {
    Code then;
    for (const Code& rule : rules) then.insert(then.end(), rule.begin(), rule.end());
    when(BPF_JEQ, static_cast<std::uint32_t>(call), then);
  }

  // Tests one half of an argument. Both architectures are little-endian.
  static Code test(int argument, int comparison, std::uint32_t value, const Code& then, const Code& otherwise = {},
                   std::size_t half = 0) {
    Code code = {loading(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument) + half)};
    const Code rest = choice(comparison, value, then, otherwise);
    code.insert(code.end(), rest.begin(), rest.end());
    return code;
  }
  static Code refuse_if(int argument, std::uint32_t value) {
    return test(argument, BPF_JEQ, value, {give(refuse)});
  }
  static Code allow_if(int argument, std::uint32_t value) {
    return test(argument, BPF_JEQ, value, {give(allow)});
  }
  static Code reads_only(int argument) {
    Code code = test(argument, BPF_JSET, ~reading_flags, {give(refuse)});
    code.push_back(give(allow));
    return code;
  }

  std::uint32_t sealed_, own_;
  Code code_;
};

void permit_reading(const FileDescriptor& rules, const char* path) {
  const FileDescriptor place(open(path, O_PATH | O_CLOEXEC));
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  rule.parent_fd = place.get();
  syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

// Keeps devices from kernels, and so terminals, which are devices. Kernels also cannot see what /proc shows of other
// processes' insides, which a thread under Landlock may not look into. Where the system has no Landlock (before Linux
// 5.13), both can be read.
void leave_devices_out() {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE;
  const FileDescriptor rules(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
  if (rules.get() < 0) return;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/", error), end; !error && entry != end; entry.increment(error))
    if (entry->path() != "/dev") permit_reading(rules, entry->path().c_str());
  if (error) return;
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"}) permit_reading(rules, device);
  syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

}  // namespace

void confine_kernels(int sealed) {
  sealed_descriptor.store(sealed);
}

void confine_this_thread() {
  thread_local bool done = false;
  const int sealed = sealed_descriptor.load(std::memory_order_relaxed);
  if (done || sealed < 0 || this_architecture == 0) return;
  done = true;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  leave_devices_out();
  Filter(sealed, getpid()).install();
}

}  // namespace warptune::tuner
