// Reads and writes files in pieces of 1 MiB, and refuses paths that lead out of the folder.
#include "tuner/measure/agents/folder_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tuner/measure/workers/codec.h"

namespace warptune::tuner::agents {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

bool leads_out(const fs::path& path) {
  return path.empty() || path.is_absolute() ||
         std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

FolderSender::FolderSender(fs::path folder) : folder_(std::move(folder)) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) left_.push_back(entry.path().lexically_relative(folder_));
}

std::optional<workers::Message> FolderSender::next() {
  if (left_.empty()) return std::nullopt;
  const fs::path path = left_.front();
  if (first_) file_ = std::ifstream(folder_ / path, std::ios::binary);
  workers::Message piece;
  piece.payload.resize(piece_bytes);
  file_.read(piece.payload.data(), static_cast<std::streamsize>(piece_bytes));
  if (!file_.is_open() || file_.bad())
    throw std::runtime_error(fmt::format("cannot read {} to send it to an agent", (folder_ / path).string()));
  piece.payload.resize(static_cast<std::size_t>(file_.gcount()));
  piece.text = workers::to_cbor(
      {{"do", "file"}, {"path", workers::text_to_json(path.string())}, {"first", std::exchange(first_, false)}});
  if (file_.eof()) {
    left_.pop_front();
    first_ = true;
  }
  return piece;
}

void take_piece(const fs::path& folder, const std::string& path, bool first, const std::string& bytes) {
  if (leads_out(path)) throw std::runtime_error(fmt::format("{} is no place for a session's file", path));
  const fs::path file = folder / path;
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | (first ? std::ios::trunc : std::ios::app));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file.string()));
}

TemplatePlace moved(TemplatePlace place, const fs::path& root) {
  const std::string from = place.root.string();
  const auto move = [&](fs::path& path) {
    const std::string text = path.string();
    if (text.starts_with(from)) path = root.string() + text.substr(from.size());
  };
  move(place.manifest);
  move(place.capture);
  for (fs::path& folder : place.include_directories) move(folder);
  place.root = root;
  return place;
}

}  // namespace warptune::tuner::agents
