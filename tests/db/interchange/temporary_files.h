// Files for one test, gone after it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune::db {

class TemporaryFiles : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path file(const std::string& text, const std::string& name = "file.json") const {
    return folder_.write(name, text);
  }
  static std::string text(const std::filesystem::path& file) {
    std::ostringstream all;
    all << std::ifstream(file, std::ios::binary).rdbuf();
    return all.str();
  }

 private:
  TemporaryFolder folder_;
};

// The message of the exception that `action` throws; fails the test if it throws none.
template <class Exception, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace warptune::db
