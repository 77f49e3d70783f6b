// Writes what `--format json` prints: one document a verb, of one documented schema (output.schema.json, README.md). It
// is a document and not a bare array, so that it can say which schema it has and be added to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "db/settled.h"
#include "tuner/kernel/json_values.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// The schema is counted up whenever a reader of older documents would no longer understand newer ones.
inline constexpr char output_schema[] = "warptune/2";

// Returns {"schema": …, "verb": …}, to be filled.
Json document(std::string_view verb);
// Returns the same with a table's rows as an array of objects under `member`.
Json document(std::string_view verb, const std::string& member, const Table& rows);
// Returns the document's text, which ends with a newline.
std::string text_of(const Json& document);

// Return JSON's null for what is missing.
Json json_or_null(const std::string& text);
Json json_or_null(const std::optional<double>& number);
// Returns a decimal count as a number, rounded beyond 64 bits; null if it is none.
Json count_json(const std::string& decimal);

Json json_of(const db::SessionKey& key);
Json json_of(const db::SessionRecord& session);
// Returns a trial of the session with its settled figures. Where the session knows its device's limits, launches say
// what limits their occupancy.
Json json_of(const db::StoredTrial& trial, const std::optional<db::Winner>& winner, const db::SessionRecord& session);

// Returns a single run: what was asked for, what it came to, and what was counted.
Json json_of(const search::Trial& trial, const search::NamedValues& configuration);

// Adds what a session found: "session", "winner", "default", "speed_up", "gain", "finals" and "failures", from its
// trials and its winner. It is the same for every verb that shows a session.
void add_findings(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                  const std::optional<db::Winner>& winner, Json& document);

// Returns the later measurements of a session's configurations, one a row.
Table check_history(const std::vector<db::TrialCheck>& checks, const db::SessionRecord& session);

// Returns what `show --format json` prints.
Json session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                      const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks);

}  // namespace warptune::tuner
