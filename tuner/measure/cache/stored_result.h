// Converts a compile's result to and from bytes, for the cache and for messages between workers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {

std::string to_bytes(const CompileResult& result);
// Returns nothing for bytes that are no such result.
std::optional<CompileResult> compile_result_from(std::string_view bytes);

}  // namespace warptune::tuner
