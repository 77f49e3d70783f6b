// A template with all that it reads, on its way to another machine: names and bytes, without folders of this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner {

struct BundledFile {
  std::string path, content;  // the path is relative, in the folder that it is unpacked in
};

struct Bundle {
  std::string manifest;  // its path
  std::vector<BundledFile> files;
};

// The manifest, sources, headers and data; Warptune's own headers are wherever Warptune is. Throws ManifestError, and
// RequestError for a template that names files by absolute paths, which would not be there, or has very large data.
Bundle bundle_of(const std::filesystem::path& manifest);

// Lays the files into a folder. Throws RequestError for a path that leads out of it, and if they cannot be written.
void unpack(const std::vector<BundledFile>& files, const std::filesystem::path& folder);

}  // namespace warptune::tuner
