// What of a manifest can change a measurement, as a text to hash.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner {

// Of a TOML manifest its keys and values, whatever its layout and comments, without those that describe or that a
// session's key has anyway: summary, techniques, presets, sizes, variants, backends, and the parameters' `about`. Of
// any other file `manifest_without_comments`. Throws ManifestError, RequestError.
std::string measured_content(const std::filesystem::path& manifest);

// The text without empty lines and lines that are comments: what was hashed before measured_content, and is still
// compared with what older versions stored.
std::string manifest_without_comments(const std::filesystem::path& manifest);

}  // namespace warptune::tuner
