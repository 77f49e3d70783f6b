// Reads recorded spaces record by record, and writes them to files.
#include "db/interchange/formats.h"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

#include "db/interchange/consistent_space.h"
#include "db/interchange/foreign_file.h"
#include "db/interchange/json_records.h"
#include "db/interchange/kernel_tuner.h"
#include "db/interchange/t4.h"

namespace warptune::db {

namespace {

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
