// Packs a template, and unpacks it again to see that nothing is missing.
#include "tuner/kernel/files/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/problem.h"
#include "tuner/system/files.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;

// This limits a database's row, and what one sends for each template. Larger data lie on a file system that nodes
// share.
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

// Returns the longest folder that all files lie in.
fs::path common_folder(const std::map<fs::path, fs::path>& files) {
  fs::path folder = files.begin()->first.parent_path();
  for (const auto& [file, copy] : files) {
    const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    fs::path common;
    for (auto part = folder.begin(); part != end; ++part) common /= *part;
    folder = common;
  }
  return folder;
}

Bundle packed(const SessionFiles& texts, const fs::path& manifest) {
  Bundle bundle;
  const auto files = texts.files();
  const fs::path folder = common_folder(files);
  std::uintmax_t bytes = 0;
  for (const auto& [file, copy] : files) {
    std::string content = read_bytes(copy).value();
    bytes += content.size();
    if (bytes > most_bytes)
      throw RequestError(
          fmt::format("the template {} has more than {} MiB of files, {} among them: tune it where they "
                      "are (`warptune tune --db …`)",
                      manifest.string(), most_bytes >> 20, file.string()));
    bundle.files.push_back({file.lexically_relative(folder).string(), std::move(content)});
  }
  bundle.manifest = fs::absolute(manifest).lexically_normal().lexically_relative(folder).string();
  return bundle;
}

// Throws RequestError unless the bundle, when unpacked elsewhere, is the same template and reads nothing outside of its
// folder.
void require_whole(const Bundle& bundle, const SessionFiles& original, const fs::path& manifest) {
  const ScratchFolder elsewhere;
  unpack(bundle.files, elsewhere.path());
  const SessionFiles moved(TemplatePlace{elsewhere.path() / bundle.manifest});
  const std::string inside = fs::absolute(elsewhere.path()).lexically_normal().string() + '/';
  for (const auto& [file, copy] : moved.files())
    if (!file.string().starts_with(inside))
      throw RequestError(
          fmt::format("{} names {} by its absolute path, which other machines may not have: name it "
                      "relative to the manifest",
                      manifest.string(), file.string()));
  if (moved.place().headers_hash == original.place().headers_hash &&
      moved.place().data_hash == original.place().data_hash)
    return;
  throw RequestError(
      fmt::format("{} reads other headers or data when it lies in another folder: name all of them "
                  "relative to the manifest",
                  manifest.string()));
}

}  // namespace

Bundle bundle_of(const fs::path& manifest) {
  const SessionFiles texts(TemplatePlace{manifest});
  Bundle bundle = packed(texts, manifest);
  require_whole(bundle, texts, manifest);
  return bundle;
}

void unpack(const std::vector<BundledFile>& files, const fs::path& folder) {
  for (const BundledFile& file : files) {
    const fs::path path(file.path);
    if (path.empty() || path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end())
      throw RequestError(
          fmt::format("the file '{}' would lie outside the folder that its template is unpacked in; do "
                      "not trust where it comes from",
                      file.path));
    fs::create_directories((folder / path).parent_path());
    std::ofstream stream(folder / path, std::ios::binary);
    stream.write(file.content.data(), static_cast<std::streamsize>(file.content.size()));
    stream.close();
    if (!stream) throw RequestError(fmt::format("cannot write {}: is the disk full?", (folder / path).string()));
  }
}

}  // namespace warptune::tuner
