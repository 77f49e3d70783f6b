// Makes a text, to be hashed, of all in a manifest that can change a measurement.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner {

// Returns the keys and values of a TOML manifest, whatever its layout and comments. It leaves out those that only
// describe or that a session's key has anyway: summary, techniques, presets, sizes, variants, backends, work, and the
// parameters' `about`. For a .json file it returns `manifest_without_comments`. Throws ManifestError and RequestError.
std::string measured_content(const std::filesystem::path& manifest);

// Returns the text without empty lines and lines that are comments. Versions before measured_content hashed this text,
// and it is still compared with what they stored.
std::string manifest_without_comments(const std::filesystem::path& manifest);

}  // namespace warptune::tuner
