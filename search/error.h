// Defines the project's one error type. The message tells people in a sentence what went wrong. The kind tells programs
// whose matter it is: the command line makes its exit code of the kind, and a worker sends it to the program that
// started it.
//
// Misuse of an interface (an unknown name, an index beyond the end) is std::invalid_argument, std::out_of_range or
// std::logic_error instead. A configuration that fails is neither: it is a trial (trial.h). Rejected: one class for
// each layer, each derived from std::runtime_error. Whoever turned them into codes or messages had to list them all, in
// the right order, and a new one was forgotten in one of the lists.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warptune::search {

enum class ErrorKind {
  internal,     // none of the following
  usage,        // a command line that is wrong
  manifest,     // a template's manifest that is wrong
  request,      // a size, a restriction or a name that does not fit the template or the device
  expression,   // a text that is no expression, or values that do not fit it
  data,         // a data file that a template or a request names
  workload,     // a problem that cannot be set up on this device
  interchange,  // a file of another tool, or of another store's sessions
  wisdom,       // a wisdom file
  device,       // a device refused or failed
  no_device,    // there is no such device
  device_lost,  // a device that this process can no longer use
  store,        // the store cannot be read or written
};

// Returns the enumerator's name, such as "no_device".
std::string_view to_string(ErrorKind kind);
// Returns `internal` for an unknown name, because another version of the program may know more kinds.
ErrorKind error_kind_from_string(std::string_view name);

// An Error is a plain value: one that is thrown in one thread may be rethrown and read in others.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// ErrorOf is an Error that has its kind in the type, for catch clauses that want one kind.
template <ErrorKind the_kind>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(the_kind, message) {}
};

// A DataError reports a data file that cannot be used. The message holds the file's name, what was expected and what to
// do.
using DataError = ErrorOf<ErrorKind::data>;

// Returns the kind of any exception, which is `internal` unless the exception is an Error.
ErrorKind kind_of(const std::exception& error);
// Throws the ErrorOf of a kind that is known only at run time.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& message);

}  // namespace warptune::search
