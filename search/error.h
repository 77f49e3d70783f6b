// The project's one error type. What went wrong is a sentence for people; whose matter it is is a kind for programs:
// the command line makes its exit code of the kind, and a worker sends it to the program that started it.
//
// Misuse of an interface (an unknown name, an index beyond the end) is std::invalid_argument, std::out_of_range or
// std::logic_error instead. A configuration that fails is neither: it is a trial (trial.h).
// Rejected: a class a layer, each derived from std::runtime_error. Whoever turned them into codes or messages had to
// list them all, in the right order, and a new one was forgotten in one of the lists.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warptune::search {

enum class ErrorKind {
  internal,     // none of the following
  usage,        // a command line
  manifest,     // what a template says
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

// "no_device"; the enumerators' names.
std::string_view to_string(ErrorKind kind);
// `internal` for a name that is none: another version of the program may know more.
ErrorKind error_kind_from_string(std::string_view name);

// A value: what is thrown in one thread may be rethrown and read in others.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// The same with the kind in the type, for catch clauses that want one kind.
template <ErrorKind the_kind>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(const std::string& message) : Error(the_kind, message) {}
};

// A data file that cannot be used, with its name, what was expected and what to do.
using DataError = ErrorOf<ErrorKind::data>;

// The kind of any exception: `internal` unless it is an Error.
ErrorKind kind_of(const std::exception& error);
// Throws the ErrorOf of a kind that is known only at run time.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& message);

}  // namespace warptune::search
