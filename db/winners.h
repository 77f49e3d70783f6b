// Winners: what each session settled on.
#pragma once

#include "db/connection.h"

namespace warptune::db {

void save_winner(Connection& connection, SessionId session, const Winner& winner);
void remove_winner(Connection& connection, SessionId session);
std::optional<Winner> load_winner(Connection& connection, SessionId session);

}  // namespace warptune::db
