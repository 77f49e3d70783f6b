#include "tests/fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "db/interchange/formats.h"
#include "db/interchange/session_json.h"
#include "db/store.h"
#include "search/error.h"
#include "search/expression/expression.h"
#include "search/plain_text.h"
#include "search/space/search_space.h"
#include "tests/support/small_template.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/data/matrix_market.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/files/space_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/kernel/t1/t1.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/measure/cache/shared_cache.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/program/serve/http.h"
#include "tuner/results/exporters/defines.h"
#include "tuner/results/exporters/header.h"
#include "tuner/results/wisdom/wisdom_file.h"
#include "tuner/system/crypto.h"

namespace warptune::fuzz {

namespace {

namespace fs = std::filesystem;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Work>
void expecting_errors(Work work) {
  try {
    work();
  } catch (const search::Error&) {
  }
}

// A file in memory that the input is written to again and again: a disk would take most of the time.
class InputFile {
 public:
  InputFile() : file_(memfd_create("fuzz", 0)), path_("/proc/self/fd/" + std::to_string(file_)) { require(file_ >= 0); }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const fs::path& with(std::string_view content) {
    require(ftruncate(file_, 0) == 0);
    require(pwrite(file_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
    return path_;
  }

 private:
  int file_;
  fs::path path_;
};

InputFile& input_file() {
  static InputFile file;
  return file;
}

const search::NamedValues names{{"x", std::int64_t{7}}, {"y", -2.5},     {"s", std::string("fp16")}, {"t", true},
                                {"z", std::int64_t{0}}, {"m", INT64_MIN}};

// The search evaluates through its own graph, which must agree with the bytecode on what is satisfied. The numbers get
// a second value, so that they stay open; choices of 0 are the values of `names`.
bool satisfied_in_a_space(const search::Expression& expression) {
  std::vector<search::Parameter> parameters;
  for (const auto& [name, value] : names) parameters.push_back({name, {value}});
  for (std::size_t open : {0, 1, 4}) parameters[open].values.push_back(std::int64_t{3});
  const auto space = search::SearchSpace::build(parameters, {{.text = expression.text()}});
  return space.contains({std::vector<std::uint32_t>(names.size())});
}

void expression(std::string_view input) {
  std::optional<search::Expression> parsed;
  std::optional<search::Value> value;
  try {
    parsed = search::Expression::parse(input);
    value = parsed->evaluate(names);
  } catch (const search::ExpressionError& error) {
    require(error.column() >= 1 && error.column() <= input.size() + 1);
  }
  if (!parsed) return;
  try {
    require(satisfied_in_a_space(*parsed) == (value && search::truth(*value)));
  } catch (const std::invalid_argument&) {  // a name that is none of these
  }
}

void manifest(std::string_view input) {
  static const TemporaryFolder folder;
  static const bool written = (write_doubling_template(folder), true);
  require(written);
  expecting_errors([&] { tuner::parse_manifest(std::string(input), folder.path() / "template.toml"); });
}

// A user's source: what `init` makes of it, and its device part, whose lines keep their numbers.
void kernel_source(std::string_view input) {
  const std::string kept = tuner::device_part(input, {"TILE", "N"});
  require(std::count(kept.begin(), kept.end(), '\n') == std::count(input.begin(), input.end(), '\n'));
  expecting_errors([&] {
    const fs::path source = input_file().with(input);
    tuner::draft::describe_source({.source = source, .manifest = source.parent_path() / "template.toml"});
  });
}

void t1(std::string_view input) {
  expecting_errors([&] { tuner::load_t1(input_file().with(input)); });
}

void t1_values(std::string_view input) {
  try {
    tuner::t1_values(std::string(input));
  } catch (const std::invalid_argument&) {
  }
}

void space(std::string_view input) {
  expecting_errors([&] { tuner::load_space_file(input_file().with(input)); });
}

void capture(std::string_view input) {
  expecting_errors([&] { tuner::read_capture(input_file().with(input)); });
}

void npy(std::string_view input) {
  for (const auto type : {tuner::ElementType::f32, tuner::ElementType::u8})
    expecting_errors([&] {
      const auto elements = tuner::npy_elements(input, "a.npy", type, 6);
      require(elements.size() == 6 * tuner::size_bytes(type));
      require(elements.empty() ||
              elements.data() + elements.size() <= std::as_bytes(std::span(input)).data() + input.size());
    });
}

void mtx(std::string_view input) {
  expecting_errors([&] {
    const tuner::SparseMatrix matrix = tuner::parse_matrix_market(input, "a.mtx");
    require(matrix.longest_row() <= matrix.nonzeros());
    if (matrix.rows < 1'000'000) require(matrix.row_starts().back() == matrix.nonzeros());
    const auto elements = static_cast<std::size_t>(matrix.nonzeros());
    tuner::matrix_market_part(matrix, "a.mtx", tuner::MatrixPart::values, tuner::ElementType::i16, elements);
  });
}

// Kernel Tuner's cache files and T4 results, told apart by what they hold.
void recording(std::string_view input) {
  expecting_errors([&] { db::read_recorded_space(input_file().with(input)); });
}

void sessions(std::string_view input) {
  expecting_errors([&] { db::read_sessions(input_file().with(input)); });
}

// No line of what is exported may come from the file as code.
void wisdom(std::string_view input) {
  expecting_errors([&] {
    const tuner::Wisdom wisdom = tuner::parse_wisdom(std::string(input), "a.json");
    tuner::parse_wisdom(tuner::wisdom_text(wisdom), "b.json");
    if (wisdom.entries.empty()) return;
    const std::string header = tuner::export_header(wisdom);
    require(header == search::printable(header, search::Lines::keep));
    require(header.find("\\\n") == std::string::npos && header.find("?\?/") == std::string::npos);
    const std::string defines = tuner::export_defines(wisdom);
    require(defines.find("\\\n") == std::string::npos && defines.find("?\?/") == std::string::npos);
    require(defines.find("*/") == defines.rfind("*/"));
  });
}

void cbor(std::string_view input) {
  try {
    const auto message = tuner::workers::from_cbor(std::string(input));
    tuner::workers::from_cbor(tuner::workers::to_cbor(message));
    search::Trial trial;
    if (message.contains("trial")) tuner::workers::read_trial(message.at("trial"), tuner::Purpose::trial, trial);
    if (message.contains("values")) tuner::workers::named_values_from(message.at("values"));
    if (message.contains("device")) tuner::workers::device_from(message.at("device"));
  } catch (const nlohmann::json::exception&) {
  }
}

void cached_code(std::string_view input) {
  if (const auto result = tuner::compile_result_from(input)) tuner::to_bytes(*result);
}

void shared_entry(std::string_view input) {
  std::string why_not;
  const std::string key = tuner::sha256("a key");
  if (const auto bytes = tuner::bytes_of_shared_entry(key, input, why_not))
    if (tuner::shared_entry(key, *bytes) != input) std::abort();
}

void store(std::string_view input) {
  static const TemporaryFolder folder;
  const fs::path file = folder.path() / "store.db";
  std::ofstream(file, std::ios::binary) << input;
  expecting_errors([&] {
    const db::Store store = db::Store::open(file, db::OpenMode::read_only);
    for (const db::SessionRecord& session : store.history({})) {
      store.trials(session.id);
      store.winner(session.id);
      store.checks(session.id);
      store.trial_page(session.id, {});
      store.outcome_counts(session.id);
    }
    store.best({});
    store.checks_by_session();
    store.summary();
  });
}

// What a browser asks a page server for; and that an address made of any text means this text again.
void address(std::string_view input) {
  const auto request = tuner::serve::parse_target(input);
  require(!request || request->path.starts_with('/'));
  const std::string text(input.substr(0, input.find('\0')));
  const auto made = tuner::serve::parse_target("/?q=" + tuner::serve::url_encoded(text));
  require(made && made->parameter("q") == text);
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"expression", expression},
      {"manifest", manifest},
      {"kernel_source", kernel_source},
      {"t1", t1},
      {"t1_values", t1_values},
      {"space", space},
      {"capture", capture},
      {"npy", npy},
      {"mtx", mtx},
      {"recording", recording},
      {"sessions", sessions},
      {"wisdom", wisdom},
      {"cbor", cbor},
      {"cached_code", cached_code},
      {"shared_entry", shared_entry},
      {"store", store},
      {"address", address},
  };
  return all;
}

}  // namespace warptune::fuzz
