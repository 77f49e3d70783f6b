// A PostgreSQL server of the tests' own, in a temporary folder on a Unix socket. It ends with this object, and with
// this process. Root may not run one: it becomes `postgres` or `nobody`.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune {

class PostgresServer {
 public:
  // Why there can be none here; empty if there can.
  static std::string lacking();

  // Makes a data folder and starts the server. Throws std::runtime_error.
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  void start();
  // As after a power cut: nothing is written any more.
  void kill();

  // Of a database, which is made if it is not there yet, also by several processes at once.
  std::string address(const std::string& database, const std::string& user = "warptune") const;
  // Runs statements as the superuser. Throws std::runtime_error with what psql says.
  void execute(const std::string& database, const std::string& sql) const;

 private:
  std::string client(const std::string& program) const;  // with the options that reach the server

  TemporaryFolder folder_;
  std::filesystem::path bin_;
  pid_t pid_ = 0;
};

}  // namespace warptune
