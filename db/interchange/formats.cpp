#include "db/interchange/formats.h"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

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

}  // namespace

RecordedSpace read_recorded_space(const std::filesystem::path& file) {
  InputText text(file);
  KernelTunerReader kernel_tuner;
  T4Reader t4;
  try {
    const JsonHeader header =
        read_json_records(text, {"cache", "results"}, [&](const JsonHeader& seen, const Json& record) {
          if (seen.collection == "cache")
            kernel_tuner.add(seen, record);
          else
            t4.add(seen, record);
        });
    if (header.collection == "cache") return kernel_tuner.finish(header);
    if (header.collection == "results") return t4.finish(header);
  } catch (const InterchangeError& error) {
    refuse(file, error.what());  // no JSON
  } catch (const std::invalid_argument& error) {
    refuse(file, fmt::format("{}: {}", text.where(), error.what()));
  }
  refuse(file, fmt::format("{}: neither a Kernel Tuner cache file (an object with \"cache\") nor T4 results (an object "
                           "with \"results\")",
                           text.name()));
}

void write_recorded_space(const RecordedSpace& space, RecordedSpaceWriter writer, const std::filesystem::path& file) {
  OutputText text(file);
  std::ostream out(&text);
  // Errors of writing come as what they are, not as a silent bad stream.
  out.exceptions(std::ios::badbit);
  writer(space, out);
  text.commit();
}

}  // namespace warptune::db
