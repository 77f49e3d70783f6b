// Opens libpq, PostgreSQL's own client library, when the first store on a server is opened. The program starts without
// it, and its packages need not depend on it.
#pragma once

#include <libpq-fe.h>

#include <string>

namespace warptune::db {

// Holds the functions that the store calls, by their names in libpq without "PQ".
struct PostgresLibrary {
  decltype(&::PQconnectdbParams) connectdbParams = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQerrorMessage) errorMessage = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQexec) exec = nullptr;
  decltype(&::PQprepare) prepare = nullptr;
  decltype(&::PQexecPrepared) execPrepared = nullptr;
  decltype(&::PQresultStatus) resultStatus = nullptr;
  decltype(&::PQresultErrorField) resultErrorField = nullptr;
  decltype(&::PQntuples) ntuples = nullptr;
  decltype(&::PQgetvalue) getvalue = nullptr;
  decltype(&::PQgetisnull) getisnull = nullptr;
  decltype(&::PQgetlength) getlength = nullptr;
  decltype(&::PQcmdTuples) cmdTuples = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQsetNoticeProcessor) setNoticeProcessor = nullptr;
  decltype(&::PQlibVersion) libVersion = nullptr;
};

// Returns the library, which is loaded once for the process. Throws StoreError, which says which package brings it.
const PostgresLibrary& postgres_library();

}  // namespace warptune::db
