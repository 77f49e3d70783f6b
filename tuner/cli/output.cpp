// Where the program's words go. Written with fwrite: fmt::print throws when stderr is full, which ended sessions with
// SIGABRT when it happened while an error was told.
#include "tuner/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "search/plain_text.h"

namespace warptune::tuner::cli {

namespace {

bool complete = true;

// False, with errno, if not all of it could be written.
bool write(std::FILE* stream, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (!written) std::clearerr(stream);
  complete &= written;
  return written;
}

std::string shown(const std::string& text) {
  return search::printable(text, search::Lines::keep);
}

void write_to_stdout(const std::string& text) {
  if (write(stdout, shown(text)) || errno == EPIPE) return;  // whoever closed a pipe has read enough
  say(fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
}

void ignore(int) {}

}  // namespace

void prepare_output() {
  // Read-only for all three: what is written then fails as it would on a closed stream.
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  std::signal(SIGPIPE, ignore);  // not SIG_IGN, which compilers and workers would inherit
}

void say(const std::string& text) {
  write(stderr, shown(text) + '\n');
}

void complain(const std::string& text) {
  const bool colour = isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  write(stderr, fmt::format("{}error:{} {}\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "", shown(text)));
}

bool interactive() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

void show_status(const std::string& text) {
  write(stderr, "\r\033[K" + search::printable(text, search::Lines::escape));
}

void end_status() {
  write(stderr, "\n");
}

void write_output(const std::string& file, const std::string& text) {
  namespace fs = std::filesystem;
  if (file.empty() || file == "-") return write_to_stdout(text);
  // Written beside and renamed: a full disk never leaves half a header where a whole one was.
  const fs::path target = file, temporary = fmt::format("{}.{}.tmp", file, getpid());
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(temporary, target, error);
  if (stream && !error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw std::runtime_error(fmt::format("cannot write {}; check the folder's permissions and free space", file));
}

bool output_complete() {
  std::cout.flush();
  std::cerr.flush();
  return complete && std::cout.good() && std::cerr.good();
}

}  // namespace warptune::tuner::cli
