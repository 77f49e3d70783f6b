// Reads what a compiler's options say of files: folders of headers, and headers that are read before the source.
#pragma once

#include <string>
#include <vector>

namespace warptune::tuner {

struct FileOptions {
  std::vector<std::string> first_includes;       // -include, --pre-include: names as #include takes them
  std::vector<std::string> include_directories;  // -I and its like
  std::vector<std::string> others;               // all other options, in order
};

// Values may stand in the option's word ("-Ifolder", "--pre-include=FILE") or in the next one.
FileOptions file_options(const std::vector<std::string>& options);

}  // namespace warptune::tuner
