// Copies a template's files and hashes them, and finds the headers that sources may include.
#include "tuner/kernel/files/session_files.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/include_scan.h"
#include "tuner/device/compile/tuned_file.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;

// No library that a kernel includes has more headers than this. Beyond it, somebody named the root of a disk.
constexpr std::size_t most_files = 20'000;

fs::path full_name(const fs::path& file) {
  return fs::absolute(file).lexically_normal();
}

// Returns the content's hash, or nothing if the file cannot be read. With a `to`, what is read is written there too, so
// that hash and copy are of the same bytes. The byte order mark of a text is left out: NVRTC takes none in a header.
std::optional<std::string> hash_of_file(const fs::path& from, bool is_text, std::ofstream* to) {
  std::ifstream stream(from, std::ios::binary);
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  if (!stream || !state) return std::nullopt;
  XXH3_128bits_reset(state.get());
  std::vector<char> buffer(std::size_t{1} << 18);
  std::array<char, byte_order_mark.size()> first{};
  const bool marked = is_text && stream.read(first.data(), first.size()) &&
                      std::string_view(first.data(), first.size()) == byte_order_mark;
  stream.clear();
  if (!marked) stream.seekg(0);
  do {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<std::size_t>(stream.gcount());
    XXH3_128bits_update(state.get(), buffer.data(), got);
    if (to) to->write(buffer.data(), static_cast<std::streamsize>(got));
  } while (stream);
  if (stream.bad()) return std::nullopt;
  const XXH128_hash_t value = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

// Returns the folder beside the manifest if it exists. Otherwise the name is relative to where the program was started.
fs::path found_folder(const fs::path& manifest_folder, const std::string& folder) {
  std::error_code error;
  return fs::is_directory(manifest_folder / folder, error) ? manifest_folder / folder : fs::path(folder);
}

// Moves what options say of files to `place`, and returns the other options.
std::vector<std::string> take_file_options(const std::vector<std::string>& options, const fs::path& manifest_folder,
                                           TemplatePlace& place) {
  for (const std::string& option : options)
    if (option.starts_with('@') || option.starts_with("-imacros") || option.starts_with("--options-file"))
      throw RequestError(
          fmt::format("the option {} reads a file, which no session's key would know: write what it "
                      "holds into the manifest",
                      option));
  FileOptions found = file_options(options);
  place.first_includes.insert(place.first_includes.end(), found.first_includes.begin(), found.first_includes.end());
  for (const std::string& folder : found.include_directories)
    place.include_directories.push_back(found_folder(manifest_folder, folder));
  return std::move(found.others);
}

std::vector<const fs::path*> sources_of(const KernelTemplate& kernel) {
  std::vector<const fs::path*> sources = {&kernel.source};
  if (!kernel.reference.default_configuration) sources.push_back(&kernel.reference.source);
  for (const HostFunction& fill : kernel.fills) sources.push_back(&fill.source);
  return sources;
}

// Moves every path of a template that is read later below `root`. Paths that a manifest gives absolutely would
// otherwise lead out of the copy.
void move_below(const fs::path& root, KernelTemplate& kernel) {
  const auto move = [&](fs::path& file) {
    if (file.empty()) return;
    const fs::path full = full_name(file);
    if (!full.string().starts_with(root.string() + '/')) file = root / full.relative_path();
  };
  move(kernel.source);
  move(kernel.reference.source);
  for (HostFunction& fill : kernel.fills) move(fill.source);
  if (kernel.reference.function) move(kernel.reference.function->source);
  for (Argument& argument : kernel.arguments) move(argument.fill.file);
  for (auto& [name, fill] : kernel.reference.data) move(fill.file);
}

// Throws RequestError for a misspelt header of Warptune's. It would fail in every configuration, and so the error comes
// once, before anything is compiled. A header that a source asks for first (__has_include) may be missing.
void require_device_headers(const std::string& text, const fs::path& file, std::vector<fs::path> folders) {
  if (text.find("warptune/device/") == std::string::npos || text.find("__has_include") != std::string::npos) return;
  folders.push_back(file.parent_path());
  for (const IncludeName& include : scan_includes(text).names) {
    const auto holds = [&](const fs::path& folder) { return is_file(folder / include.name); };
    if (include.name.starts_with("warptune/device/") && std::ranges::none_of(folders, holds))
      throw RequestError(fmt::format("{} cannot be compiled: {}", file.string(), no_such_device_header(include.name)));
  }
}

std::string without(const fs::path& root, std::string text) {
  const std::string part = root.string();
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

// Returns a file's name for a hash. The name is as seen from the folder that finds the file, so that a moved template
// keeps its keys. The last folder is that of Warptune's own headers. Their names do not depend on how many folders come
// before it.
std::string name_in(const std::vector<fs::path>& folders, const fs::path& file) {
  const fs::path own = file.lexically_relative(folders.back());
  if (!own.empty() && *own.begin() != "..") return own.string();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path relative = file.lexically_relative(folders[i]);
    if (!relative.empty() && *relative.begin() != "..") return fmt::format("{}:{}", i, relative.string());
  }
  return file.lexically_relative(folders.front()).string();
}

}  // namespace

KernelTemplate load_template(const TemplatePlace& place) {
  KernelTemplate kernel = load_template(place.manifest);
  if (!place.capture.empty()) apply_capture(read_capture(place.capture), kernel);
  if (place.root.empty()) {
    kernel.include_directories.insert(kernel.include_directories.end(), place.include_directories.begin(),
                                      place.include_directories.end());
    return kernel;
  }
  move_below(place.root, kernel);
  kernel.root = place.root;
  kernel.include_directories = place.include_directories;
  kernel.options = place.options;
  kernel.backend_options = place.backend_options;
  kernel.first_includes = place.first_includes;
  kernel.headers_hash = place.headers_hash;
  kernel.data_hash = place.data_hash;
  return kernel;
}

// A manifest may change between the reading and the copying, and then the copy may name files that are missing. So the
// copy is loaded as a check, and made anew up to two times if that fails.
SessionFiles::SessionFiles(const TemplatePlace& original, Data data) : data_(data) {
  for (int tries = 2;; --tries) {
    copy_all(original);
    try {
      load_template(place_);
      return;
    } catch (const ManifestError& error) {
      if (tries == 0) throw ManifestError(without(place_.root, error.what()));
      fs::remove_all(place_.root);
      files_.clear();
    }
  }
}

void SessionFiles::copy_all(const TemplatePlace& original) {
  const KernelTemplate kernel = load_template(original);
  place_ = {};
  place_.root = full_name(folder_.path() / "texts");
  place_.include_directories = kernel.include_directories;
  const fs::path folder = kernel.manifest.parent_path();
  place_.options = take_file_options(kernel.options, folder, place_);
  for (const auto& [backend, more] : kernel.backend_options)
    place_.backend_options[backend] = take_file_options(more, folder, place_);
  for (fs::path& each : place_.include_directories) each = full_name(each);
  // The folder of Warptune's own headers comes last, so that a folder of the user's may hold others by the same names.
  // The headers that no source includes are removed again later.
  const fs::path own = place_.root / "built-in";
  write_device_headers(own);
  place_.include_directories.push_back(own);
  copy_or_throw(kernel.manifest);
  for (const fs::path* source : sources_of(kernel)) copy_or_throw(*source);
  copy_headers(kernel);
  copy_data(kernel);
  if (!original.capture.empty()) {
    copy_or_throw(original.capture);
    place_.capture = copied(original.capture);
  }
  place_.manifest = copied(kernel.manifest);
  for (fs::path& each : place_.include_directories) {
    each = copied(each);
    fs::create_directories(each);
  }
}

void SessionFiles::copy_headers(const KernelTemplate& kernel) {
  std::vector<IncludeRoot> roots;
  for (const fs::path* source : sources_of(kernel)) {
    roots.push_back({read_file(copied(*source)).value_or(""), full_name(*source).parent_path()});
    require_device_headers(roots.back().text, full_name(*source), place_.include_directories);
  }
  std::string first;
  for (const std::string& header : place_.first_includes) first += fmt::format("#include \"{}\"\n", header);
  for (const search::Parameter& parameter : kernel.parameters)
    for (const search::Value& value : parameter.values) first += "#define V " + search::to_text(value) + "\n";
  roots.push_back({first, {}});
  const auto read = [&](const fs::path& file) -> std::optional<std::string> {
    if (!copy(file)) return std::nullopt;
    auto text = read_file(copied(file));
    if (text) require_device_headers(*text, file, place_.include_directories);
    return text;
  };
  std::set<std::string> lines;
  const std::set<std::string> given = kernel.given_macros();
  for (const fs::path& file : reachable_files(roots, place_.include_directories, read)) {
    const std::string content = read_file(copied(file)).value_or("");
    const std::string_view tuned = text_when_tuning(content, given);
    if (tuned.empty() && !content.empty()) continue;  // this kernel's own winners, which change no configuration
    const std::string hash = tuned.size() == content.size() ? files_.at(file).hash : content_hash(tuned);
    lines.insert(name_in(place_.include_directories, file) + ' ' + hash + '\n');
  }
  for (const DeviceHeader& header : device_headers()) {
    const fs::path own = place_.include_directories.back() / header.name;
    if (!files_.contains(own)) fs::remove(own);
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  if (!text.empty()) place_.headers_hash = content_hash(text);
}

void SessionFiles::copy_data(const KernelTemplate& kernel) {
  std::string text;
  for (const fs::path& file : kernel.size_files) {
    copy_or_throw(file, false);
    text += "size " + files_.at(full_name(file)).hash + '\n';
  }
  const auto take = [&](const std::string& name, const Fill& fill) {
    if (fill.file.empty()) return;
    copy_or_throw(fill.file, false, data_ == Data::copied);
    text += name + ' ' + files_.at(full_name(fill.file)).hash + '\n';
  };
  for (const Argument& argument : kernel.arguments) take(argument.name, argument.fill);
  for (const auto& [name, fill] : kernel.reference.data) take("expected " + name, fill);
  if (!text.empty()) place_.data_hash = content_hash(text);
}

fs::path SessionFiles::copied(const fs::path& file) const {
  if (file.string().starts_with(place_.root.string() + '/')) return file;  // Warptune's own headers
  return place_.root / full_name(file).relative_path();
}

const SessionFiles::Copied* SessionFiles::copy(const fs::path& file, bool is_text, bool write) {
  const fs::path name = full_name(file);
  if (const auto known = files_.find(name); known != files_.end()) return &known->second;
  std::error_code error;
  if (!fs::is_regular_file(name, error)) return nullptr;
  if (files_.size() == most_files)
    throw RequestError(
        fmt::format("the template includes from more than {} files, {} among them; name the folders of "
                    "its headers more closely (-I, include_directories)",
                    most_files, name.string()));
  Copied made{"", is_text, fs::file_size(name, error), fs::last_write_time(name, error)};
  const fs::path target = copied(name);
  std::ofstream stream;
  fs::create_directories(target.parent_path());
  const bool is_own = target == name;
  if (is_own)
    write = false;
  else if (write)
    stream.open(target, std::ios::binary);
  else
    fs::create_symlink(name, target, error);  // a link is enough where a manifest checks that its data are there
  const auto hash = hash_of_file(name, made.is_text, write ? &stream : nullptr);
  if (write) stream.close();
  if (!hash) return nullptr;
  if (!stream)
    throw RequestError(fmt::format("cannot copy {} to {}, from where this session was to read it: is the disk full?",
                                   name.string(), target.string()));
  made.hash = *hash;
  return &files_.emplace(name, std::move(made)).first->second;
}

void SessionFiles::copy_or_throw(const fs::path& file, bool is_text, bool write) {
  if (!copy(file, is_text, write))
    throw RequestError(fmt::format("cannot read {}, which the template needs", file.string()));
}

std::map<fs::path, fs::path> SessionFiles::files() const {
  std::map<fs::path, fs::path> files;
  for (const auto& [file, made] : files_)
    if (copied(file) != file) files.emplace(file, copied(file));
  return files;
}

std::vector<fs::path> SessionFiles::changed() const {
  std::vector<fs::path> changed;
  for (const auto& [file, copied] : files_) {
    std::error_code error;
    if (fs::last_write_time(file, error) == copied.written && fs::file_size(file, error) == copied.bytes && !error)
      continue;
    if (hash_of_file(file, copied.is_text, nullptr) != copied.hash) changed.push_back(file);
  }
  return changed;
}

}  // namespace warptune::tuner
