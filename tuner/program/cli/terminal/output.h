// Where the program's words go. What cannot be written is no reason to stop measuring: it is remembered, and the exit
// code says so in the end. Names and messages may come from stores and kernels: what a terminal would obey is shown
// escaped (search/plain_text.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::tuner::cli {

// Before anything else in `main`: gives closed standard streams a place, so that no file that is opened later becomes
// one of them, and lets a pipe without a reader be an error of writing instead of the program's end.
void prepare_output();

// One line to stderr, ending as given plus a newline; a red "error:" before errors on a colour terminal.
void say(const std::string& text);
void complain(const std::string& text);
// True if stderr is a terminal that may be written over (progress lines).
bool interactive();
// Lines that the next ones replace (terminals only); whatever else is said takes their place, as does `end_status`.
// None may be wider than `status_width`: the characters a line of stderr has room for, 0 where it is no terminal.
void show_status(const std::vector<std::string>& lines);
void end_status();
std::size_t status_width();

// Whether the terminal shows more than ASCII: by LC_ALL, LC_CTYPE or LANG.
bool has_unicode();

// Whether somebody sees a question and can answer it.
bool can_ask();
// Yes or no; `usual` is what an empty line means.
bool ask(const std::string& question, bool usual = false);

// As a POSIX shell reads it back, with quotes only where they are needed.
std::string shell_word(const std::string& text);

// Characters a line of stdout has room for: $COLUMNS if it is set, else the terminal's; 0, no limit, where stdout is no
// terminal, for a pipe keeps whole data.
std::size_t output_width();

// Text to a file (replaced in one step; throws) or, for "" and "-", to stdout. A store, a kernel's source or a manifest
// is not replaced, unless by a manifest: std::invalid_argument.
void write_output(const std::string& file, const std::string& text);

// To stdout, with colours: what comes from elsewhere has to be in it as search::printable makes it.
void write_coloured(const std::string& text);

// While one lives, what others print on the standard output, as a kernel's printf, goes to stderr: stdout is data.
class OthersOnStderr {
 public:
  OthersOnStderr();
  ~OthersOnStderr();
  OthersOnStderr(const OthersOnStderr&) = delete;
  OthersOnStderr& operator=(const OthersOnStderr&) = delete;

 private:
  int stdout_;  // a copy of it
};

// Whether all of it was written. What CLI11 printed counts too.
bool output_complete();

}  // namespace warptune::tuner::cli
