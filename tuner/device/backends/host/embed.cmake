# Writes OUTPUT, a C++ source that defines the shim's text: FILES one after the other, each under its own name in the
# compiler's messages. HOOKS is another text, of what tracked modules are linked with. HEADERS are those that sources
# include by name, below FOLDER; PAGE is LIMITS.md. An installed program needs no file of this folder.

# Each file is a literal of its own: C++ compilers need not take one of more than 65,536 characters.
function(append_file variable file)
  file(READ "${file}" content)
  get_filename_component(name "${file}" NAME)
  set(${variable} "${${variable}} +\n    R\"shim(\n#line 1 \"warptune/${name}\"\n${content})shim\"" PARENT_SCOPE)
endfunction()
set(text "")
foreach(file IN LISTS FILES)
  append_file(text "${file}")
endforeach()
set(hooks "")
foreach(file IN LISTS HOOKS)
  append_file(hooks "${file}")
endforeach()
file(READ "${PAGE}" page)
set(entries "")
foreach(file IN LISTS HEADERS)
  file(READ "${file}" content)
  file(RELATIVE_PATH name "${FOLDER}" "${file}")
  string(APPEND entries "    {\"${name}\", R\"shim(${content})shim\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"tuner/device/backends/host/compile/shim_text.h\"

#include <string>

namespace warptune::tuner::host {

namespace {

const std::string shim_text = std::string()${text};
const std::string hooks_text = std::string()${hooks};

}  // namespace

const std::string_view kShimText = shim_text;
const std::string_view kHooksText = hooks_text;

const std::string_view kLimitsPage = R\"shim(${page})shim\";

std::span<const CudaHeader> cuda_headers() {
  static constexpr CudaHeader headers[] = {
${entries}  };
  return headers;
}

}  // namespace warptune::tuner::host
")
