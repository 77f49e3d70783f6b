// Describes the C and C++ libraries as kernels see them: the names of their headers, and what stands for these where a
// compiler has none (NVRTC). Nothing of the host's own is read, because glibc's headers do not compile for a GPU.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace warptune::tuner {

// Returns whether this is the name of a standard header: <vector>, <stdio.h>, <sys/time.h> …
bool is_standard_header(std::string_view name);
// Returns the names of all of them, but for those in the operating system's folders.
const std::set<std::string_view>& standard_headers();

// These texts declare what device code uses of <stdint.h>, <limits.h> and <float.h> and NVRTC does not have by itself.
// Repeating them does no harm.
extern const std::string_view standard_types;
extern const std::string_view standard_limits;

// Returns the text that stands for the header under NVRTC, which has C's mathematics, printf, assert and memcpy without
// it. The text has the types, in <limits.h> and <float.h> the limits, the functions' names in namespace std, and
// libcu++'s header where a toolkit has it. What only a host could use (std::vector, FILE) stays unknown.
std::string standard_header_text(std::string_view name);
// Returns that text for each of standard_headers(), by name. They are made once, for the life of the program. It is
// safe to call from any thread.
const std::map<std::string, std::string>& standard_header_texts();

}  // namespace warptune::tuner
