// Requests as the Python part writes them: JSON, so that neither side binds every field of every structure. Private to
// the extension; its own Python files are the only writers.
#pragma once

#include <string>
#include <vector>

#include "tuner/session/queue/work.h"
#include "tuner/session/request.h"

namespace warptune::python {

// Throws search::Error of the kind `request`, or Json::exception, for what is no request.
tuner::TuneRequest request_from_json(const std::string& text);

// The problems of a call for many of them: a list of values by name. Throws likewise.
std::vector<search::NamedValues> problems_from_json(const std::string& text);

// What work's loop is asked for. Throws likewise.
tuner::WorkRequest work_request_from_json(const std::string& text);

// The "configuration" of a request for a single run: values by name.
search::NamedValues configuration_from_json(const std::string& text);

// Where things are on this machine.
tuner::BackendOptions backend_from_json(const std::string& text);

}  // namespace warptune::python
