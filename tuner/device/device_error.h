// Declares the errors that backends throw.
#pragma once

#include <string>

#include "search/error.h"
#include "search/trial.h"

namespace warptune::tuner {

// Says that a device refused or failed. A backend throws it, and the evaluator catches it and makes a trial of it.
class DeviceError : public search::Error {
 public:
  // `outcome` is what a trial becomes by it (launch_error, resource_limit, timeout, crash). `code` is the native name
  // ("CUDA_ERROR_ILLEGAL_ADDRESS"). `sticky` means that the device (its context) can no longer be used.
  DeviceError(search::Outcome outcome, std::string code, const std::string& message, bool sticky = false)
      : Error(search::ErrorKind::device, message), outcome_(outcome), code_(std::move(code)), sticky_(sticky) {}
  search::Outcome outcome() const { return outcome_; }
  const std::string& code() const { return code_; }
  bool sticky() const { return sticky_; }

 private:
  search::Outcome outcome_;
  std::string code_;
  bool sticky_;
};

// Says that there is no such device or backend on this machine, and what to do about it. It ends the program and makes
// no trial.
using NoDeviceError = search::ErrorOf<search::ErrorKind::no_device>;

// The device can no longer be used by this process: the trial that lost it is known, but nothing more can be measured
// here.
using DeviceLostError = search::ErrorOf<search::ErrorKind::device_lost>;

}  // namespace warptune::tuner
