// The files of the folder; code_cache.h has their layout.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "tuner/kernel/content_hash.h"
#include "tuner/runtime/code_cache.h"

namespace warptune::runtime {

namespace {

constexpr std::string_view format = "warptune-code/1";

std::string body_of(const tuner::MachineCode& code) {
  std::string body = fmt::format("{}\n", code.linkage_names.size());
  for (const auto& [name, symbol] : code.linkage_names) body += name + '\n' + symbol + '\n';
  return body.append(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
}

}  // namespace

std::optional<tuner::MachineCode> read_code(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string first;
  if (!std::getline(stream, first)) return std::nullopt;
  std::stringstream rest;
  rest << stream.rdbuf();
  if (first != fmt::format("{} {}", format, tuner::content_hash(rest.str()))) return std::nullopt;
  tuner::MachineCode code;
  std::string line, symbol;
  std::getline(rest, line);
  for (std::size_t names = std::stoul(line); names > 0; --names) {
    std::getline(rest, line);
    std::getline(rest, symbol);
    code.linkage_names[line] = symbol;
  }
  const std::string bytes(std::istreambuf_iterator<char>(rest), {});
  code.bytes.resize(bytes.size());
  std::memcpy(code.bytes.data(), bytes.data(), bytes.size());
  return code;
}

// Written beside and renamed, so that another process never reads half a file.
void write_code(const std::filesystem::path& file, const tuner::MachineCode& code) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", file.string(), getpid());
  std::ofstream stream(temporary, std::ios::binary);
  const std::string body = body_of(code);
  stream << format << ' ' << tuner::content_hash(body) << '\n' << body;
  stream.close();
  if (stream) std::filesystem::rename(temporary, file, ignored);
  if (!stream || ignored) std::filesystem::remove(temporary, ignored);
}

}  // namespace warptune::runtime
