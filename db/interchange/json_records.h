// Streams over JSON files that are one object with a few small members and one huge collection of records.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/interchange/recorded_space.h"
#include "db/interchange/text_file.h"

namespace warptune::db {

using Json = nlohmann::ordered_json;

// A JsonHeader holds what was read besides the records.
struct JsonHeader {
  Json members = Json::object();  // of the outer object, those read so far
  std::string collection;         // the name of the collection; empty if there was none
  bool unfinished = false;        // the text ended within the collection
};

// A RecordHandler is given one element of the collection when it has been read. `header` has the members that came
// before.
using RecordHandler = std::function<void(const JsonHeader& header, const Json& record)>;

// Parses the outer object, in which NaN and Infinity are null (python_json.h); the first member named as one of
// `collections` is handed out element by element, and never held as a whole. If the text ends within the collection,
// what was complete by then has been handed out, and the header says so. Throws InterchangeError (file, line, byte,
// what was expected).
JsonHeader read_json_records(InputText& text, const std::vector<std::string>& collections, const RecordHandler& handle);

// Write and read, as a member of a file's header, whether higher values of the objectives are better. The formats have
// no field of their own for this. The member is null where the objectives' names suggest it. The reader throws
// std::invalid_argument.
inline constexpr char senses_field[] = "objective_higher_is_better";
Json senses_to_json(const RecordedSpace& space);
void read_senses(const Json& header, RecordedSpace& space);

// Write and read, as a member of a file's header, what the values of `problem_size` are called and which of them are
// sizes: {"sizes": ["M", "N"], "variants": ["PRECISION"]}. The member is null where that is not known. The reader
// throws std::invalid_argument.
inline constexpr char problem_names_field[] = "problem_names";
Json problem_names_to_json(const RecordedSpace& space);
void read_problem_names(const Json& header, RecordedSpace& space);

}  // namespace warptune::db
