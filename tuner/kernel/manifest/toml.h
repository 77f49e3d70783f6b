// toml++, the TOML parser. Where its input may break what it asserts (version 3.3: what follows a table's bracket), it
// reports that a line later; so its assertions are left out, and with NDEBUG what it makes of them: assumptions.
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
