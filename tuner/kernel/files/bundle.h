// Packs a template with all that it reads for another machine. A bundle holds names and bytes, and no folders of this
// machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner {

struct BundledFile {
  std::string path, content;  // the path is relative, in the folder that it is unpacked in
};

struct Bundle {
  std::string manifest;  // the manifest's path among the files
  std::vector<BundledFile> files;
};

// Returns the manifest, sources, headers and data. Warptune's own headers are left out, because they are wherever
// Warptune is. Throws ManifestError. Throws RequestError for a template that names files by absolute paths, which would
// not be there, or that has very large data.
Bundle bundle_of(const std::filesystem::path& manifest);

// Lays the files into a folder. Throws RequestError for a path that leads out of it, and if they cannot be written.
void unpack(const std::vector<BundledFile>& files, const std::filesystem::path& folder);

}  // namespace warptune::tuner
