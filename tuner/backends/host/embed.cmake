# Writes OUTPUT, a C++ source that defines the shim's text: FILES one after the other, each under its own name in the
# compiler's messages. An installed program needs no file of this folder.
set(text "")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  get_filename_component(name "${file}" NAME)
  string(APPEND text "\n#line 1 \"warptune/${name}\"\n${content}")
endforeach()
file(WRITE "${OUTPUT}" "#include \"tuner/backends/host/shim_text.h\"

namespace warptune::tuner::host {

const std::string_view kShimText = R\"shim(${text})shim\";

}  // namespace warptune::tuner::host
")
