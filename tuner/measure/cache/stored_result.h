// A compile's result as bytes: what the cache keeps, and what workers send each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner {

std::string to_bytes(const CompileResult& result);
// Nothing for bytes that are no such result.
std::optional<CompileResult> compile_result_from(std::string_view bytes);

}  // namespace warptune::tuner
