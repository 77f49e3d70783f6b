// Writes the program's output with fwrite, and lays out columns. (Rejected: fmt::print. It throws when stderr is full,
// which ended sessions with SIGABRT when it happened while an error was reported.)
#include "tuner/program/cli/terminal/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "db/interchange/write_place.h"
#include "search/plain_text.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

// The flags are atomic, since any thread may write.
std::atomic<bool> all_written = true;
std::atomic<bool> status_shown = false;

// Returns a text as the stream takes it. A terminal that shows ASCII alone gets that; files and pipes get the same
// bytes under every locale.
std::string for_stream(std::FILE* stream, const std::string& text) {
  return isatty(fileno(stream)) != 0 && !has_unicode() ? search::with_ascii_signs(text) : text;
}

// Returns false, with errno set, if not all of it could be written.
bool write(std::FILE* stream, const std::string& wanted) {
  const std::string text = for_stream(stream, wanted);
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (!written) std::clearerr(stream);
  if (!written) all_written = false;
  return written;
}

std::string shown(const std::string& text) {
  return search::printable(text, search::Lines::keep);
}

void write_to_stdout(const std::string& text) {
  if (write(stdout, text) || errno == EPIPE) return;  // whoever closed a pipe has read enough
  say(fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
}

void ignore(int) {}

std::size_t readable_width(std::size_t columns) {
  constexpr std::size_t least = 20, most = 10'000;  // anything else is no terminal's
  return std::clamp(columns, least, most);
}

// Writes the whole text. Throws std::system_error.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EPIPE) return;  // whoever closed a pipe has read enough
    if (written < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Returns the width of a stream's terminal; nothing where there is none, or one that does not know its width.
std::optional<std::size_t> terminal_width(int stream) {
  winsize size{};
  if (isatty(stream) == 0 || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return readable_width(size.ws_col);
}

// Returns what kind of file this is, if somebody has made it by hand or by hours of tuning and a slip of -o may hit it;
// empty for any other file.
std::string what_would_be_lost(const fs::path& file, const std::string& text) {
  constexpr std::string_view launches = "\n[[launches]]";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  std::string there(std::size_t{1} << 20, '\0');
  there.resize(static_cast<std::size_t>(std::ifstream(file, std::ios::binary).read(there.data(), 1 << 20).gcount()));
  if (there.starts_with("SQLite format 3")) return "a store, or another database";
  const bool is_source = there.find("__global__") != there.npos;
  if (is_source && (file.extension() == ".cu" || file.extension() == ".cuh")) return "a kernel's source";
  const bool is_manifest = file.extension() == ".toml" && there.find(launches) != there.npos;
  return is_manifest && text.find(launches) == text.npos ? "a kernel's manifest" : "";
}

}  // namespace

void prepare_output() {
  // All three are read-only, so that writing fails as it would on a closed stream.
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  std::signal(SIGPIPE, ignore);  // not SIG_IGN, which compilers and workers would inherit
}

void say(const std::string& text) {
  end_status();
  write(stderr, shown(text) + '\n');
}

void complain(const std::string& text) {
  end_status();
  const bool colour = isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  write(stderr, fmt::format("{}error:{} {}\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "", shown(text)));
}

bool interactive() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

// The cursor stays at the beginning of the first line, where it distracts least.
void show_status(const std::vector<std::string>& lines) {
  std::string text = "\r\033[J";
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "" : "\n") + search::printable(lines[i], search::Lines::escape);
  if (lines.size() > 1) text += fmt::format("\033[{}A", lines.size() - 1);
  write(stderr, text + "\r");
  status_shown = true;
}

void end_status() {
  if (!status_shown.exchange(false)) return;
  write(stderr, "\r\033[J");
}

std::size_t status_width() {
  return isatty(STDERR_FILENO) == 0 ? 0 : terminal_width(STDERR_FILENO).value_or(80);
}

bool has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string charset = search::lower_case(value);
    return charset.find("utf-8") != charset.npos || charset.find("utf8") != charset.npos;
  }
  return false;
}

bool can_ask() {
  return interactive() && isatty(STDIN_FILENO) != 0;
}

bool ask(const std::string& question, bool usual) {
  end_status();
  write(stderr, question + (usual ? " [Y/n] " : " [y/N] "));
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  return answer.empty() ? usual : answer.front() == 'y' || answer.front() == 'Y';
}

std::string shell_word(const std::string& text) {
  constexpr char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::size_t output_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const long given = std::atol(columns); given > 0) return readable_width(static_cast<std::size_t>(given));
  return terminal_width(STDOUT_FILENO).value_or(0);
}

void write_output(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") return write_to_stdout(shown(text));
  if (const std::string lost = what_would_be_lost(file, text); !lost.empty())
    throw std::invalid_argument(fmt::format("{} is {}, and would be lost: name another file with -o", file, lost));
  try {
    db::OutputFile output(file);
    write_all(output.descriptor(), text);
    output.commit();
  } catch (const std::system_error& error) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}; {}", file, error.code().message(), db::advice_on_writing(file)));
  }
}

void write_coloured(const std::string& text) {
  write_to_stdout(text);
}

OthersOnStderr::OthersOnStderr() : stdout_(dup(STDOUT_FILENO)) {
  std::fflush(stdout);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

OthersOnStderr::~OthersOnStderr() {
  std::fflush(stdout);
  dup2(stdout_, STDOUT_FILENO);
  close(stdout_);
}

bool output_complete() {
  std::cout.flush();
  std::cerr.flush();
  return all_written && std::cout.good() && std::cerr.good();
}

std::size_t help_width() {
  constexpr std::size_t usual = 80, narrowest = 60, widest = 100;
  const std::size_t columns = output_width();
  return columns == 0 ? usual : std::clamp(columns, narrowest, widest);
}

std::string two_columns(const Entries& entries, std::size_t width) {
  constexpr std::size_t margin = 2, gap = 2, widest_name = 26;
  std::size_t names = 0;
  for (const auto& [name, meaning] : entries)
    if (text_width(name) <= widest_name) names = std::max(names, text_width(name));
  const std::size_t column = margin + names + gap;
  std::string text;
  for (const auto& [name, meaning] : entries) {
    text += std::string(margin, ' ') + name;
    const std::size_t end = margin + text_width(name);
    text += end + gap > column ? '\n' + std::string(column, ' ') : std::string(column - end, ' ');
    text += wrapped_text(meaning, width, column) + '\n';
  }
  return text;
}

std::string fact(std::string_view name, const std::string& value) {
  constexpr std::size_t column = 20;                            // enough for most metrics' names
  const std::size_t width = std::max(column, name.size() + 2);  // programs tell the two apart by two spaces
  return fmt::format("{:<{}}{}\n", name, width, wrapped_text(value, output_width(), column));
}

}  // namespace warptune::tuner::cli
