// An nvJitLink that accepts everything and cannot finish: nvJitLinkComplete is missing, as in a library of another
// time.
#include <cstddef>
#include <cstdint>

extern "C" {

int nvJitLinkCreate(void** handle, std::uint32_t, const char**) {
  static int any;
  *handle = &any;
  return 0;
}

int nvJitLinkDestroy(void**) {
  return 0;
}

int nvJitLinkAddData(void*, int, const void*, std::size_t, const char*) {
  return 0;
}

int nvJitLinkAddFile(void*, int, const char*) {
  return 0;
}
}
