// Reads the headers that lie beside a source: what #include "…" finds without being told where to look.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

class OwnHeaders {
 public:
  explicit OwnHeaders(const std::filesystem::path& source);

  // Returns a reader that reads each file once, and no more than a few hundred. It looks for quoted names beside the
  // file that has them, then beside the source.
  HeaderReader reader();

  // Returns whether a header that was read has host code.
  bool have_host_part() const { return have_host_part_; }
  // Returns a sentence for each name that was not found; those of CUDA and of the C and C++ libraries are left out.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  std::optional<HeaderText> read(const IncludeLine& include, const std::string& from);

  std::filesystem::path folder_;
  std::set<std::filesystem::path> seen_;
  std::vector<std::string> missing_;
  bool have_host_part_ = false;
};

}  // namespace warptune::tuner::draft
