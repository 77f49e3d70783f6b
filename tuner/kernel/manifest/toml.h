// Includes toml++, the TOML parser, without its assertions. Where its input may break what it asserts (version 3.3:
// what follows a table's bracket), it reports that a line later. NDEBUG is undefined meanwhile, because with it toml++
// makes assumptions of its assertions.
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
