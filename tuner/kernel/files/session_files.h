// Reads all that a session needs, once. The bytes that are hashed are then the bytes that are compiled and measured,
// whatever happens to the files meanwhile. A session copies the manifest, the sources, every header that they may
// include and the data into a folder of its own, under their full names. From then on all its processes read that copy
// only. (Rejected: handing bytes around in memory. The host's compiler needs files anyway, and NVRTC 13.0 does not find
// headers by name that another one in a folder includes relatively.)
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner {

// A TemplatePlace is where a process finds a template: in its own place, or, with a `root`, in a session's copy. In a
// copy, the options that name folders and headers have become lists, so that no absolute path leads out of the copy.
struct TemplatePlace {
  std::filesystem::path manifest;
  std::filesystem::path capture;                           // empty, or a call whose data are tuned on
  std::vector<std::filesystem::path> include_directories;  // added to the template's own; in a copy: all there are
  std::filesystem::path root;
  std::vector<std::string> options;
  std::map<std::string, std::vector<std::string>> backend_options;
  std::vector<std::string> first_includes;
  std::string headers_hash, data_hash;
};

// Returns the template, with the data of its capture, if there is one, instead of its own. Throws ManifestError and
// RequestError.
KernelTemplate load_template(const TemplatePlace& place);

class SessionFiles {
 public:
  // Data says whether data are copied, or only hashed for a caller that wants nothing but the hashes.
  enum class Data { copied, hashed };

  // Reads everything that a template in its own place needs. Throws ManifestError, and RequestError for what cannot be
  // read or copied.
  explicit SessionFiles(const TemplatePlace& original, Data data = Data::copied);

  // Returns where the copy is. It exists as long as this object lives.
  const TemplatePlace& place() const { return place_; }
  // Returns each file that was read, with its copy. Warptune's own headers, which every program has, are left out.
  std::map<std::filesystem::path, std::filesystem::path> files() const;
  // Returns the files whose content has changed, or that are gone.
  std::vector<std::filesystem::path> changed() const;

 private:
  struct Copied {
    std::string hash;
    bool is_text = true;
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type written;
  };

  void copy_all(const TemplatePlace& original);
  const Copied* copy(const std::filesystem::path& file, bool is_text = true, bool write = true);
  void copy_or_throw(const std::filesystem::path& file, bool is_text = true, bool write = true);
  void copy_headers(const KernelTemplate& kernel);
  void copy_data(const KernelTemplate& kernel);
  std::filesystem::path copied(const std::filesystem::path& file) const;

  Data data_;
  ScratchFolder folder_;
  TemplatePlace place_;
  std::map<std::filesystem::path, Copied> files_;  // by their full names
};

}  // namespace warptune::tuner
