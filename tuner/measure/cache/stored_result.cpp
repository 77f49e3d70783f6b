// Stores the result as CBOR; README.md lists the keys.
#include "tuner/measure/cache/stored_result.h"

#include <nlohmann/json.hpp>

#include "db/bounded_json.h"

namespace warptune::tuner {

namespace {

using nlohmann::json;

json::binary_t binary(const std::vector<std::byte>& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary_t({begin, begin + bytes.size()});
}

MachineCode code_from(const json& document) {
  MachineCode code;
  const auto& bytes = document.at("code").get_binary();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  code.bytes.assign(begin, begin + bytes.size());
  document.at("names").get_to(code.linkage_names);
  return code;
}

}  // namespace

std::string to_bytes(const CompileResult& result) {
  // A compiler's words need not be valid UTF-8 (they quote the source), so they travel as bytes.
  json document = {{"log", json::binary_t({result.log.begin(), result.log.end()})}, {"timed_out", result.timed_out}};
  if (result.code) {
    document["code"] = binary(result.code->bytes);
    document["names"] = result.code->linkage_names;
  }
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

std::optional<CompileResult> compile_result_from(std::string_view bytes) {
  try {
    const json document = db::parse_cbor<json>(bytes);
    const auto& log = document.at("log").get_binary();
    CompileResult result{std::nullopt, {log.begin(), log.end()}, document.at("timed_out").get<bool>()};
    if (document.contains("code")) result.code = code_from(document);
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace warptune::tuner
