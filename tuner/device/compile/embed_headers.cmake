# cmake -DFOLDER=... -DFILES=... -DOUTPUT=... -P embed_headers.cmake: writes OUTPUT, a C++ source that defines the list of
# the device headers: each of FILES under its name below FOLDER.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  file(RELATIVE_PATH name "${FOLDER}" "${file}")
  string(APPEND entries "    {\"${name}\", R\"header(${content})header\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"tuner/device/compile/device_headers.h\"

namespace warptune::tuner {

std::span<const DeviceHeader> device_headers() {
  static constexpr DeviceHeader headers[] = {
${entries}  };
  return headers;
}

}  // namespace warptune::tuner
")
