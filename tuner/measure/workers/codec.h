// Converts the contents of messages to and from JSON values. On the wire they are CBOR.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "search/expected_output.h"
#include "search/trial.h"
#include "search/value.h"
#include "tuner/device/backend.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner::workers {

using nlohmann::json;

std::string to_cbor(const json& value);
// Throws json::exception for invalid CBOR.
json from_cbor(const std::string& bytes);

// Convert texts that people and compilers wrote. These are not always UTF-8, which JSON strings must be.
json text_to_json(const std::string& text);
std::string text_from_json(const json& value);

json to_json(const search::NamedValues& values);
json to_json(const DeviceInfo& device);
json to_json(const BackendOptions& options);
json to_json(const CacheOptions& options);
json to_json(const MeasurePolicy& policy);
json to_json(Purpose purpose);
json to_json(const Rivals& rivals);
json to_json(const std::vector<search::ExpectedOutput>& outputs);
json to_json(
    const search::Trial& trial);  // without its configuration, objectives and metrics, which workers do not know

// Each of these throws json::exception for a value of another kind.
search::NamedValues named_values_from(const json& value);
DeviceInfo device_from(const json& value);
BackendOptions backend_options_from(const json& value);
CacheOptions cache_options_from(const json& value);
MeasurePolicy policy_from(const json& value);
Purpose purpose_from(const json& value);
Rivals rivals_from(const json& value);
std::vector<search::ExpectedOutput> expected_outputs_from(const json& value);
// Reads what a worker says of a trial that was made for this purpose.
void read_trial(const json& value, Purpose purpose, search::Trial& trial);

}  // namespace warptune::tuner::workers
