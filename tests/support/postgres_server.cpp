#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

namespace warptune {

namespace {

namespace fs = std::filesystem;

// Debian keeps the server's programs out of the PATH, by version; the newest is taken.
fs::path server_programs() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& version : fs::directory_iterator("/usr/lib/postgresql", ignored))
    if (fs::exists(version.path() / "bin/initdb", ignored) && fs::exists(version.path() / "bin/postgres", ignored))
      found.push_back(version.path() / "bin");
  for (const char* folder : {"/usr/bin", "/usr/local/bin"})
    if (found.empty() && fs::exists(fs::path(folder) / "initdb", ignored)) found.emplace_back(folder);
  return found.empty() ? fs::path() : *std::ranges::max_element(found);
}

const passwd* server_user() {
  const passwd* user = getpwnam("postgres");
  return user ? user : getpwnam("nobody");
}

void become_server_user() {
  if (geteuid() != 0) return;
  const passwd* user = server_user();
  if (!user || setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) _exit(98);
}

// A child that becomes the server's user and then the program; its words go to `log`.
pid_t start_program(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  become_server_user();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // behind the change of user, which clears it
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, 1);
  dup2(out, 2);
  setenv("LC_ALL", "C", 1);
  if (chdir("/") == 0) execv(program.c_str(), pointers.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What a shell command says; throws if it fails.
std::string output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t bytes = fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), bytes);
  if (pclose(pipe) != 0) throw std::runtime_error(command + ": " + text);
  return text;
}

}  // namespace

std::string PostgresServer::lacking() {
  if (server_programs().empty()) return "there is no PostgreSQL server; install Debian's `postgresql`";
  if (geteuid() == 0 && !server_user()) return "root may not run PostgreSQL, and there is no user to become";
  return "";
}

PostgresServer::PostgresServer() : bin_(server_programs()) {
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::create_directory(folder_.path() / "data");
  fs::create_directory(folder_.path() / "socket");
  if (geteuid() == 0)
    for (const char* name : {"data", "socket"})
      if (chown((folder_.path() / name).c_str(), server_user()->pw_uid, server_user()->pw_gid) != 0)
        throw std::runtime_error("cannot give the server its folder");
  fs::permissions(folder_.path() / "data", fs::perms(0700));
  // An own file each, which any user may write.
  const fs::path log = folder_.write("initdb.log", "");
  folder_.write("server.log", "");
  for (const char* name : {"initdb.log", "server.log"}) fs::permissions(folder_.path() / name, fs::perms(0666));
  const std::vector<std::string> arguments{"-D",
                                           (folder_.path() / "data").string(),
                                           "-U",
                                           "warptune",
                                           "-A",
                                           "trust",
                                           "-E",
                                           "UTF8",
                                           "--locale=C.UTF-8",
                                           "--no-sync",
                                           "--no-instructions"};
  if (wait_for(start_program(bin_ / "initdb", arguments, log)) != 0)
    throw std::runtime_error("initdb failed: " + contents(log));
  start();
}

PostgresServer::~PostgresServer() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGINT);  // "fast": open connections are closed
  wait_for(pid_);
}

void PostgresServer::start() {
  using namespace std::chrono_literals;
  // Without fsync a killed process loses nothing either, only a machine would.
  const std::vector<std::string> arguments{"-D", (folder_.path() / "data").string(),
                                           "-c", "listen_addresses=",
                                           "-c", "fsync=off",
                                           "-c", "unix_socket_directories=" + (folder_.path() / "socket").string(),
                                           "-c", "max_connections=60",
                                           "-c", "shared_buffers=32MB"};
  pid_ = start_program(bin_ / "postgres", arguments, folder_.path() / "server.log");
  for (int waited = 0; waited < 600; ++waited) {
    if (std::system((client("pg_isready") + " -q").c_str()) == 0) return;
    std::this_thread::sleep_for(50ms);
  }
  throw std::runtime_error("the server does not start: " + contents(folder_.path() / "server.log"));
}

void PostgresServer::kill() {
  ::kill(pid_, SIGQUIT);  // "immediate": no checkpoint, the next start recovers from the log
  wait_for(pid_);
  pid_ = 0;
}

std::string PostgresServer::client(const std::string& program) const {
  return fmt::format("'{}' -h '{}' -U warptune", (bin_ / program).string(), (folder_.path() / "socket").string());
}

std::string PostgresServer::address(const std::string& database, const std::string& user) const {
  const fs::path made = folder_.path() / ("made." + database);
  const int lock = open((folder_.path() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  flock(lock, LOCK_EX);
  if (!fs::exists(made)) {
    output_of(client("createdb") + " " + database);
    std::ofstream(made) << database;
  }
  close(lock);
  return fmt::format("postgresql://{}@/{}?host={}", user, database, (folder_.path() / "socket").string());
}

void PostgresServer::execute(const std::string& database, const std::string& sql) const {
  output_of(fmt::format("{} -d {} -X -q -v ON_ERROR_STOP=1 -c \"{}\"", client("psql"), database, sql));
}

}  // namespace warptune
