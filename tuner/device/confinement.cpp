#include "tuner/device/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

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

constexpr std::uint32_t refuse_with(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

// What concerns other processes, and ways to a file's or a socket's content that name it otherwise than by its first
// argument.
constexpr int refused[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_execve,
    SYS_execveat,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_sendfile,
    SYS_splice,
    SYS_tee,
    SYS_vmsplice,
    SYS_copy_file_range,
    SYS_openat2,
    SYS_close_range,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_truncate,
    SYS_unlinkat,
    SYS_setpgid,
    SYS_pidfd_send_signal,
    SYS_renameat2,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_unlink,
    SYS_rename,
#endif
};

// Their first argument is a descriptor.
constexpr int by_descriptor[] = {
    SYS_read,    SYS_write,    SYS_readv,  SYS_writev,  SYS_pread64,  SYS_pwrite64, SYS_preadv,     SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg,    SYS_recvmmsg,
    SYS_dup,     SYS_dup3,     SYS_fcntl,  SYS_close,   SYS_shutdown, SYS_ioctl,    SYS_setsockopt,
#if defined(__x86_64__)
    SYS_dup2,
#endif
};

class Filter {
 public:
  Filter(int sealed, pid_t own) {
    load(offsetof(seccomp_data, arch));
    unless_equal_return(this_architecture, refuse_with(EPERM));
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);  // the calls of x32
    give(refuse_with(EPERM));
#endif
    for (const int call : refused) if_call(call, {BPF_STMT(BPF_RET | BPF_K, refuse_with(EPERM))});
    if_call(SYS_clone3, {BPF_STMT(BPF_RET | BPF_K, refuse_with(ENOSYS))});  // the C library then takes clone
    if_call(SYS_clone, test(0, BPF_JSET, CLONE_THREAD, allow, refuse_with(EPERM)));
    for (const int call : {SYS_kill, SYS_tgkill})
      if_call(call, test(0, BPF_JEQ, static_cast<std::uint32_t>(own), allow, refuse_with(EPERM)));
    if_call(SYS_openat, read_only(2));
#if defined(__x86_64__)
    if_call(SYS_open, read_only(1));
    if_call(SYS_dup2, test(1, BPF_JEQ, static_cast<std::uint32_t>(sealed), refuse_with(EPERM), 0));
#endif
    if_call(SYS_dup3, test(1, BPF_JEQ, static_cast<std::uint32_t>(sealed), refuse_with(EPERM), 0));
    for (const int call : by_descriptor)
      if_call(call, test(0, BPF_JEQ, static_cast<std::uint32_t>(sealed), refuse_with(EPERM), allow));
    give(allow);
  }

  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    // Before Linux 5.16 a filter slowed its threads down (speculative stores) unless it was asked not to.
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
  }

 private:
  using Code = std::vector<sock_filter>;

  void add(int code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  void give(std::uint32_t action) {
    add(BPF_RET | BPF_K, action, 0, 0);
  }
  void unless_equal_return(std::uint32_t value, std::uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    give(action);
  }
  void if_call(int call, const Code& then) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(then.size()));
    code_.insert(code_.end(), then.begin(), then.end());
  }

  static std::uint32_t low_half(int argument) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument));
  }
  // Looks at an argument's low half (both machines are little-endian); action 0: goes on with the next rule.
  static Code test(int argument, int comparison, std::uint32_t value, std::uint32_t if_true, std::uint32_t if_false) {
    Code code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half(argument)),
                 {static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), 0, 1, value},
                 BPF_STMT(BPF_RET | BPF_K, if_true)};
    if (if_false != 0)
      code.push_back(BPF_STMT(BPF_RET | BPF_K, if_false));
    else
      code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    return code;
  }
  static Code read_only(int argument) {
    return {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half(argument)), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY, 0, 1), BPF_STMT(BPF_RET | BPF_K, allow),
            BPF_STMT(BPF_RET | BPF_K, refuse_with(EPERM))};
  }

  Code code_;
};

}  // namespace

void confine_kernels(int sealed) {
  sealed_descriptor.store(sealed);
}

void confine_this_thread() {
  thread_local bool done = false;
  const int sealed = sealed_descriptor.load(std::memory_order_relaxed);
  if (done || sealed < 0 || this_architecture == 0) return;
  done = true;
  Filter(sealed, getpid()).install();
}

}  // namespace warptune::tuner
