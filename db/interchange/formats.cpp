// Reads recorded spaces record by record, writes them to files, and tells what a file is that is no recording.
#include "db/interchange/formats.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "db/interchange/json_records.h"
#include "db/interchange/record_readers.h"
#include "db/interchange/recorded_space.h"
#include "db/interchange/text_file.h"

namespace warptune::db {

namespace {

// Returns the first 512 bytes; nothing if the file cannot be opened or read again.
std::optional<std::string> beginning_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    InputText text(file);
    return std::string(text.beginning().substr(0, 512));
  } catch (const InterchangeError&) {
    return std::nullopt;
  }
}

std::string kind_by_name(const std::string& name, const std::string& extension) {
  if (extension == ".toml") return fmt::format("a manifest: `warptune tune {}` tunes its kernel", name);
  if (extension == ".cu" || extension == ".cuh" || extension == ".cpp")
    return fmt::format("a source: `warptune init {}` writes a manifest for its kernel", name);
  if (extension == ".csv")
    return "a table, which does not say what was tuned: `warptune export --format warptune-json` writes sessions that "
           "can be imported";
  return {};
}

// Returns what a file is that was read as a recording and is none, and which verb takes it: "a store: `warptune merge
// …`". The text is empty if nothing better can be said than what the reader says. Never throws. It goes by the first
// bytes, and by the name only where these could be anything. It is asked only after reading has failed, so that a pipe
// is read once.
std::string foreign_kind(const std::filesystem::path& file) {
  using namespace std::string_view_literals;
  const std::optional<std::string> start = beginning_of(file);
  const std::string name = file.string();
  if (!start) return {};
  if (start->empty()) return "an empty file";
  if (start->starts_with("SQLite format 3\0"sv))
    return fmt::format("a store (SQLite): `--db {}` reads it in place, `warptune merge {}` takes its sessions over",
                       name, name);
  if (start->starts_with("\177ELF")) return "a program";
  if (start->find("\"warptune-wisdom/") != std::string::npos)
    return fmt::format(
        "wisdom, which holds winners alone: `warptune export --from {}` and `tune --transfer {}` read it", name, name);
  if (start->find("\"warptune/") != std::string::npos)
    return "what `--format json` prints for scripts: `warptune export --format warptune-json` writes sessions that can "
           "be imported";
  if (start->find("\"KttVersion\"") != std::string::npos)
    return "KTT's own output: its Scripts/ConvertJsonOutput.py makes T4 of it, which can be imported";
  return start->front() == '{' ? "" : kind_by_name(name, file.extension().string());
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
  const std::string kind = foreign_kind(file);
  throw InterchangeError(kind.empty() ? reason
                                      : fmt::format("{}: expected a recording, found {}", file.string(), kind));
}

// Notes the records that are not taken as they stand, so that one bad record does not cost the whole file.
class RecordDoubts {
 public:
  // `add` returns why a record counts as a failure, or throws where it cannot be taken at all.
  template <class Add>
  void take(const InputText& text, Add add) {
    try {
      const std::string why = add();
      if (!why.empty()) note(text, why, "it counts as a failure"), ++failed_;
    } catch (const std::invalid_argument& error) {
      note(text, error.what(), "it is left out");
    }
  }

  const std::string& first() const { return first_; }

  RecordedSpace finish(RecordedSpace space) {
    if (count_ > 0 && space.trials.size() == failed_) throw InterchangeError(first_);
    make_consistent(space);
    if (count_ > most_told)
      notes_.push_back(fmt::format("{} more records are not taken as they stand", count_ - most_told));
    space.notes.insert(space.notes.begin(), notes_.begin(), notes_.end());
    return space;
  }

 private:
  static constexpr std::size_t most_told = 3;

  void note(const InputText& text, const std::string& why, const char* what_becomes_of_it) {
    const std::string place = fmt::format("{}: {}", text.where(), why);
    if (count_ == 0) first_ = place;
    if (++count_ <= most_told) notes_.push_back(fmt::format("{}; {}", place, what_becomes_of_it));
  }

  std::vector<std::string> notes_;
  std::string first_;
  std::size_t count_ = 0, failed_ = 0;
};

}  // namespace

RecordedSpace read_recorded_space(const std::filesystem::path& file) {
  InputText text(file);
  return read_recorded_space(text);
}

RecordedSpace read_recorded_space(InputText& text) {
  const std::filesystem::path file = text.name();
  KernelTunerReader kernel_tuner;
  T4Reader t4;
  RecordDoubts doubts;
  try {
    const JsonHeader header =
        read_json_records(text, {"cache", "results"}, [&](const JsonHeader& seen, const Json& record) {
          doubts.take(
              text, [&] { return seen.collection == "cache" ? kernel_tuner.add(seen, record) : t4.add(seen, record); });
        });
    if (header.collection == "cache") return doubts.finish(kernel_tuner.finish(header));
    if (header.collection == "results") return doubts.finish(t4.finish(header));
  } catch (const InterchangeError& error) {
    refuse(file, error.what());  // no JSON, or no record that can be taken
  } catch (const std::invalid_argument& error) {
    refuse(file, doubts.first().empty() ? fmt::format("{}: {}", text.where(), error.what()) : doubts.first());
  }
  refuse(file, fmt::format("{}: neither a Kernel Tuner cache file (an object with \"cache\") nor T4 results (an object "
                           "with \"results\")",
                           text.name()));
}

void write_recorded_space(const RecordedSpace& space, RecordedSpaceWriter writer, const std::filesystem::path& file) {
  OutputText text(file);
  std::ostream out(&text);
  // Errors of writing are thrown as what they are, instead of leaving a bad stream silently.
  out.exceptions(std::ios::badbit);
  writer(space, out);
  text.commit();
}

}  // namespace warptune::db
