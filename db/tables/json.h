// Converts values to JSON text that SQLite's JSON functions can query, and back without losing type or bit: 2 stays an
// integer, 2.0 a double. JSON has no infinities and no NaN; they are written as {"double": "inf"}.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"
#include "search/value.h"

namespace warptune::db {

// All throw nlohmann::json::exception: writing if a string is not UTF-8, reading if the text is not of this form.
std::string to_json(const search::NamedValues& values);
std::string json_value(const search::Value& value);
std::string to_json(const std::map<std::string, double>& numbers);
std::string to_json(const std::vector<double>& numbers);
std::string to_json(const std::vector<std::string>& texts);
// Writes {"values": {…}, "launches": [{"kernel", "values"}], "lacking": […], "failure"}.
std::string to_json(const search::Counters& counters);

search::NamedValues values_from_json(std::string_view text);
std::map<std::string, double> number_map_from_json(std::string_view text);
std::vector<double> numbers_from_json(std::string_view text);
std::vector<std::string> texts_from_json(std::string_view text);
search::Counters counters_from_json(std::string_view text);

// Equal sets of values give equal text, whatever their order.
std::string to_sorted_json(search::NamedValues values);

// Converts a trial's launches to the JSON text of their column and back. Figures that are 0 and a launch count of 1 are
// left out, since there are many trials. Returns an empty text if there are no launches.
std::string launches_to_json(const std::vector<search::LaunchUse>& launches);
// Throws std::exception for a text that launches_to_json() did not write.
std::vector<search::LaunchUse> launches_from_json(std::string_view text);

}  // namespace warptune::db
