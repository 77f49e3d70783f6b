// Answers what the checks of places ask of the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace warptune::tuner::doctor {

// Returns the folder itself, or the nearest one above it that exists.
std::filesystem::path nearest_folder(const std::filesystem::path& folder);

// Returns an empty text if a file can be made in the folder, or in the nearest one above; else why not ("Permission
// denied").
std::string why_not_writable(const std::filesystem::path& folder);

// Returns what is to be said of a $TMPDIR that cannot be used; empty if it can, or if it is not set. Only compilers of
// the host look at it: the program's own folders are where P_tmpdir says, so that whoever cleans up after a killed
// process knows where to look.
std::string why_ignored(const std::string& temporary);

// Returns the kind of a network's file system: "NFS", "SMB", "Lustre" …; empty for disks of this machine.
std::string network_file_system(const std::filesystem::path& folder);

// Returns a number of bytes as text: "1.5 GiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace warptune::tuner::doctor
