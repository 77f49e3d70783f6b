// Sends a session's copy of its template (kernel/files/session_files.h) to another machine, file by file and in pieces,
// so that neither side holds all of it in memory.
#pragma once

#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tuner/measure/workers/channel.h"
#include "tuner/measure/workers/requests.h"

namespace warptune::tuner::agents {

// Reads a folder's files, one piece after the other.
class FolderSender {
 public:
  explicit FolderSender(std::filesystem::path folder);

  // Returns the next piece as a message ("do": "file", "path", "first"), or nothing after the last. Throws
  // std::runtime_error for a file that cannot be read.
  std::optional<workers::Message> next();

 private:
  std::filesystem::path folder_;
  std::deque<std::filesystem::path> left_;  // the files still to be sent, relative to the folder
  std::ifstream file_;
  bool first_ = true;
};

// Writes a piece to its file below a folder. Throws std::runtime_error for a path that leads out of the folder, and for
// what cannot be written.
void take_piece(const std::filesystem::path& folder, const std::string& path, bool first, const std::string& bytes);

// Returns the same template place below another root.
TemplatePlace moved(TemplatePlace place, const std::filesystem::path& root);

}  // namespace warptune::tuner::agents
