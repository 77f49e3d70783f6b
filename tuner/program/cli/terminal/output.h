// Writes the program's output. What cannot be written is no reason to stop measuring: it is remembered, and the exit
// code says so in the end. Names and messages may come from stores and kernels: what a terminal would obey is shown
// escaped (search/plain_text.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner::cli {

// Prepares the standard streams, before anything else is done in `main`. Closed ones get a place, so that no file that
// is opened later becomes one of them. Writing to a pipe without a reader becomes an error instead of the program's
// end.
void prepare_output();

// Write the text and a newline to stderr. `complain` writes "error:" before it, in red on a colour terminal.
void say(const std::string& text);
void complain(const std::string& text);
// Returns whether stderr is a terminal that may be written over (progress lines).
bool interactive();
// Shows lines that the next ones replace (terminals only). Whatever else is said takes their place, and `end_status`
// removes them. None may be wider than `status_width`: the characters a line of stderr has room for, 0 where it is no
// terminal.
void show_status(const std::vector<std::string>& lines);
void end_status();
std::size_t status_width();

// Returns whether the terminal shows more than ASCII: by LC_ALL, LC_CTYPE or LANG.
bool has_unicode();

// Returns whether somebody sees a question and can answer it.
bool can_ask();
// Asks a question, and returns whether the answer is yes. `usual` is what an empty line means.
bool ask(const std::string& question, bool usual = false);

// Returns the text as a word for a POSIX shell, which reads the same text back, with quotes only where they are needed.
std::string shell_word(const std::string& text);

// Returns how many characters a line of stdout has room for: $COLUMNS if it is set, else the terminal's. It is 0, no
// limit, where stdout is no terminal, for a pipe keeps whole data.
std::size_t output_width();

// Writes text to a file, which is replaced in one step, or, for "" and "-", to stdout. Throws std::runtime_error if the
// file cannot be written. Throws std::invalid_argument if the file is a store, a kernel's source or a manifest; only a
// manifest may replace a manifest.
void write_output(const std::string& file, const std::string& text);

// Writes to stdout, with colours. What comes from elsewhere has to be in the text as search::printable makes it.
void write_coloured(const std::string& text);

// While one lives, what others print on the standard output, as a kernel's printf, goes to stderr: stdout is data.
class OthersOnStderr {
 public:
  OthersOnStderr();
  ~OthersOnStderr();
  OthersOnStderr(const OthersOnStderr&) = delete;
  OthersOnStderr& operator=(const OthersOnStderr&) = delete;

 private:
  int stdout_;  // a copy of the descriptor of the standard output
};

// Returns whether all output was written. What CLI11 printed counts too.
bool output_complete();

// Returns the columns that help takes: the terminal's, from 60 to 100, as longer lines are hard to read; 80 where there
// is no terminal.
std::size_t help_width();

// `two_columns` writes names on the left and what they mean in a column on the right. Each line begins with two spaces.
// A name that is too wide for its column has the line to itself.
using Entries = std::vector<std::pair<std::string, std::string>>;
std::string two_columns(const Entries& entries, std::size_t width);

// Returns a line "name    value" of what is known of one thing, wrapped to the output's width.
std::string fact(std::string_view name, const std::string& value);

}  // namespace warptune::tuner::cli
