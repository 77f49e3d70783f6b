// Makes the text that a whole program is compiled as: its device part, in which the device part of each own header that
// has a host part stands in place of its #include. Other headers stay files that the compiler reads. (Rejected:
// filtered files in a session's copy. An application at run time has no copy, and what is hashed would not be what is
// there.)
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace warptune::tuner {

// A NameOfFile returns what messages call a header.
using NameOfFile = std::function<std::string(const std::filesystem::path&)>;

// Returns the text to compile. `text` is that of `source`, which messages call `name`. `given` and `needed` are as in
// whole_program.h. `tuned` are the parameters whose values the compiler gets, none for a reference: exported files
// leave them alone (device/compile/tuned_file.h). Own headers are those that #include "…" finds beside the file that
// says so, or beside the source. They are read here. One that cannot be read is left to the compiler.
std::string program_text(const std::filesystem::path& source, std::string_view text, const std::set<std::string>& given,
                         const std::string& name, const NameOfFile& name_of_header,
                         const std::set<std::string>& needed = {}, const std::set<std::string>& tuned = {});

}  // namespace warptune::tuner
