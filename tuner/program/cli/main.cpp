// Runs the program: parses the command line, calls the verb and returns its exit code. Every exception ends here as a
// sentence.
#include <fmt/format.h>

#include <csignal>

#include "search/error.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/start/complete.h"
#include "tuner/program/cli/terminal/interrupt.h"

namespace warptune::tuner::cli {

namespace {

ExitCode exit_code_of(search::ErrorKind kind) {
  using Kind = search::ErrorKind;
  switch (kind) {
    case Kind::usage:
      return usage_error;
    case Kind::manifest:
    case Kind::request:
    case Kind::expression:
    case Kind::data:
    case Kind::workload:
    case Kind::interchange:
    case Kind::wisdom:
      return request_error;
    case Kind::no_device:
      return no_device;
    case Kind::device_lost:
      return device_lost;
    case Kind::store:
      return store_error;
    case Kind::device:
    case Kind::internal:
      break;
  }
  return internal_error;
}

int answer_shell(const CLI::App& program, const std::vector<std::string>& words, const Context& context) {
  write_output("", lines_of(complete(program, {words.begin() + 1, words.end()}, context)));
  return success;
}

int run(CLI::App& program, Context& context, int argc, char** argv) {
  try {
    if (argc < 2) return say(first_steps()), usage_error;
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.front() == complete_verb) return answer_shell(program, words, context);
    take_reconnecting_limit();
    program.parse(argc, argv);
    return context.exit_code;
  } catch (const CLI::ParseError& error) {
    // CLI11 throws for --help and --version too. It has many exit codes of its own; this program has one, usage_error.
    if (error.get_exit_code() == 0) return program.exit(error);
    return complain(explanation(program, error)), usage_error;
  } catch (const search::Error& error) {
    return complain(error.what()), exit_code_of(error.kind());
  } catch (const Interrupted& stopped) {
    return end_status(), say(stopped.what()), interrupted;
  } catch (const std::invalid_argument& error) {
    return complain(error.what()), usage_error;
  } catch (const std::exception& error) {
    return complain(error.what()), internal_error;
  }
}

}  // namespace

}  // namespace warptune::tuner::cli

int main(int argc, char** argv) {
  using namespace warptune::tuner;
  using namespace warptune::tuner::cli;
  Context context;  // constructed first, since it records when the program was started
  prepare_output();
  // A write beyond the limit of a file's size then fails with an error, which is reported as a full disk is. By
  // default, SIGXFSZ would kill the program.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App program;
  context.system_database = system_database();
  add_verbs(program, context);
  const int code = run(program, context, argc, argv);
  return code == success && !output_complete() ? internal_error : code;
}
