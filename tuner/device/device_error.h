#pragma once

#include <stdexcept>
#include <string>

#include "search/trial.h"

namespace warptune::tuner {

// A device that refused or failed. Thrown inside a backend, caught by the evaluator, which makes a trial of it.
class DeviceError : public std::runtime_error {
 public:
  // `outcome` is what a trial becomes by it (launch_error, resource_limit, timeout, crash); `code` the native name
  // ("CUDA_ERROR_ILLEGAL_ADDRESS"). `sticky` means that the device (its context) can no longer be used.
  DeviceError(search::Outcome outcome, std::string code, const std::string& message, bool sticky = false)
      : std::runtime_error(message), outcome_(outcome), code_(std::move(code)), sticky_(sticky) {}
  search::Outcome outcome() const { return outcome_; }
  const std::string& code() const { return code_; }
  bool sticky() const { return sticky_; }

 private:
  search::Outcome outcome_;
  std::string code_;
  bool sticky_;
};

// No such device or backend on this machine, with what to do about it. A program's end, not a trial.
class NoDeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The device can no longer be used by this process: the trial that lost it is known, but nothing more can be measured
// here.
class DeviceLostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warptune::tuner
