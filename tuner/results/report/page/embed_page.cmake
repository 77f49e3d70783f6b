# cmake -DFOLDER=assets -DFILES=names -DLICENSE=file -DOUTPUT=source -P embed_page.cmake: a C++ source with the page's
# texts, each with its hash, which the page's Content-Security-Policy names, and with the chart library's license.
set(entries "")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" content)
  file(SHA256 "${FOLDER}/${name}" hash)
  string(LENGTH "${content}" length)
  if(length GREATER 65000)
    message(FATAL_ERROR "${name}: C++ compilers need not take a literal of ${length} characters; divide the file")
  endif()
  string(APPEND entries "    {\"${name}\", R\"page__(${content})page__\", \"${hash}\"},\n")
endforeach()
file(READ "${LICENSE}" license)
file(WRITE "${OUTPUT}" "// Generated from the files in tuner/results/report/page/assets.
#include \"tuner/results/report/page/page.h\"

namespace warptune::tuner {

std::span<const PageAsset> page_assets() {
  static constexpr PageAsset assets[] = {
${entries}  };
  return assets;
}

std::string_view charts_license() {
  return R\"page__(${license})page__\";
}

}  // namespace warptune::tuner
")
