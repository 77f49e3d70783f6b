// Tells what the queue of work knows of its users, for stores on a server only.
#pragma once

#include <string>
#include <vector>

#include "db/engine/connection.h"
#include "db/quota.h"

namespace warptune::db {

// The advisory locks of claims have two numbers: this one, "WTwk", which tells them from others in the database, and
// the number of the work.
inline constexpr int claim_locks = 0x5754776b;

// Returns "SELECT … AS id FROM pg_locks l WHERE …", which selects the work that somebody holds.
std::string locks_of_claims();

// Returns "WITH held AS (…), … users AS (…)", for a query to go on with. `held` is locks_of_claims(); `users` has a row
// for each submitter who runs something, has spent something lately or has a quota, with `devices` at work,
// `reserved_s`, `day_s`, `week_s`, `month_s`, `limit_s`, `period`, `over`.
const std::string& with_users();

std::vector<WorkUser> work_users(Connection& connection);

// Both throw StoreError if the caller is no owner of the store; set_quota() also if the server has no such user.
void set_quota(Connection& connection, const std::string& user, const Quota& quota);
// Returns false if there was none.
bool remove_quota(Connection& connection, const std::string& user);

}  // namespace warptune::db
