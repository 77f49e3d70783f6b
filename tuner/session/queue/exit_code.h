// Names the program's exit codes. They are below the command line because work's loop reads them of the sessions that
// it starts (worked_session.h).
#pragma once

namespace warptune::tuner {

// The exit codes are documented in program/cli/README.md, and scripts rely on them.
enum ExitCode : int {
  success = 0,
  internal_error = 1,  // or output that could not be written
  usage_error = 2,     // the command line
  request_error = 3,   // a template, size or space that cannot be tuned
  no_device = 4,
  store_error = 5,
  nothing_correct = 6,  // tuned, but no configuration gave the right result
  device_lost = 7,      // a kernel took the device from this process; the same command continues
  regression = 8,       // a stored winner is slower than recorded
  not_current = 9,      // stored under another driver, compiler, source …
  check_failed = 10,    // a stored winner is wrong now, or could not be measured
  work_not_done = 11,   // submitted work failed, was cancelled, or had not ended in time
  slower_machine = 12,  // a stored winner is slower than recorded, and so is its default configuration
  interrupted = 130,
};

}  // namespace warptune::tuner
