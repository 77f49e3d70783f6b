// The program: verbs in, exit codes out. Every exception ends here as a sentence.
#include <fmt/format.h>

#include <csignal>

#include "search/error.h"
#include "tuner/cli/verbs.h"
#include "tuner/session/provenance.h"

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

int run(CLI::App& program, Context& context, int argc, char** argv) {
  try {
    program.parse(argc, argv);
    return context.exit_code;
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help to stdout and errors to stderr; its own codes are many, ours is one.
    return program.exit(error) == 0 ? success : usage_error;
  } catch (const search::Error& error) {
    return complain(error.what()), exit_code_of(error.kind());
  } catch (const std::invalid_argument& error) {
    return complain(error.what()), usage_error;
  } catch (const std::exception& error) {
    return complain(error.what()), internal_error;
  }
}

}  // namespace

}  // namespace warptune::tuner::cli

int main(int argc, char** argv) {
  using namespace warptune::tuner::cli;
  Context context;  // first: it knows when the program was started
  prepare_output();
  // A file that may not grow is an error to report, as a full disk is, not a reason to be killed.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App program("Tunes GPU kernel parameters: compiles, verifies and measures configurations, and keeps the best.",
                   "warptune");
  program.set_version_flag("--version", std::string("warptune ") + warptune::tuner::tool_version);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 success, 1 internal error, 2 usage, 3 template or request, 4 no device, 5 store, 6 nothing "
      "correct, 7 device lost, 8 regression, 9 not current, 10 check failed, 130 interrupted.");
  context.system_database = system_database();
  add_tune(program, context);
  add_devices(program, context);
  add_space(program, context);
  add_strategies(program, context);
  add_best(program, context);
  add_history(program, context);
  add_show(program, context);
  add_diff(program, context);
  add_export(program, context);
  add_import(program, context);
  add_merge(program, context);
  add_gc(program, context);
  add_check(program, context);
  add_revalidate(program, context);
  add_select(program, context);
  add_compare(program, context);
  add_run(program, context);
  add_cache(program, context);
  add_worker(program, context);
  const int code = run(program, context, argc, argv);
  return code == success && !output_complete() ? internal_error : code;
}
