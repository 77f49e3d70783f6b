// Loads libpq with dlopen(), and finds its functions with dlsym().
#include "db/postgresql/postgres_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "db/schema/open.h"
#include "db/store_access.h"

namespace warptune::db {

namespace {

constexpr const char* library_name = "libpq.so.5";  // its interface has been this one since PostgreSQL 8.2

[[noreturn]] void refuse(const std::string& why) {
  throw StoreError(StoreError::Cause::cannot_open,
                   fmt::format("cannot open a store on a server: {} ({}); install PostgreSQL's client library, as with "
                               "`apt install libpq5` or `dnf install libpq`, or name a file",
                               library_name, why));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function) refuse(fmt::format("it has no function {}", name));
}

PostgresLibrary load() {
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // never closed, since connections use it to the end
  if (!library) refuse(::dlerror());
  PostgresLibrary pq;
  find(library, "PQconnectdbParams", pq.connectdbParams);
  find(library, "PQstatus", pq.status);
  find(library, "PQerrorMessage", pq.errorMessage);
  find(library, "PQfinish", pq.finish);
  find(library, "PQexec", pq.exec);
  find(library, "PQprepare", pq.prepare);
  find(library, "PQexecPrepared", pq.execPrepared);
  find(library, "PQresultStatus", pq.resultStatus);
  find(library, "PQresultErrorField", pq.resultErrorField);
  find(library, "PQntuples", pq.ntuples);
  find(library, "PQgetvalue", pq.getvalue);
  find(library, "PQgetisnull", pq.getisnull);
  find(library, "PQgetlength", pq.getlength);
  find(library, "PQcmdTuples", pq.cmdTuples);
  find(library, "PQclear", pq.clear);
  find(library, "PQsetNoticeProcessor", pq.setNoticeProcessor);
  find(library, "PQlibVersion", pq.libVersion);
  return pq;
}

}  // namespace

const PostgresLibrary& postgres_library() {
  static const PostgresLibrary library = load();
  return library;
}

std::string postgres_version() {
  try {
    const int version = postgres_library().libVersion();
    return fmt::format("libpq {}.{}", version / 10000, version % 10000);
  } catch (const StoreError&) {
    return fmt::format("no {}: stores are files", library_name);
  }
}

}  // namespace warptune::db
