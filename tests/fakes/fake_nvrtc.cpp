// A fake NVRTC: "compiles" everything to what the fake driver loads, with faults on demand. The macro FAULT decides:
//   0        a program as it should be
//   error    does not compile
//   hang     never ends
//   crash    takes the process with it
//   N        its kernels end with the CUresult N when the fake driver runs them
// Each compilation that was asked for adds a byte to the file $FAKE_NVRTC_COUNT.
#include <nvrtc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#ifndef FAKE_NVRTC_MINOR
#define FAKE_NVRTC_MINOR 0
#endif

struct _nvrtcProgram {
  std::map<std::string, std::string> names;  // expression -> lowered
  std::string fault = "0";
  std::string log;
};

namespace {

constexpr char image[64] = "\177ELF";

void count() {
  const char* path = std::getenv("FAKE_NVRTC_COUNT");
  std::FILE* file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  std::fputc('.', file);
  std::fclose(file);
}

std::string lowered(const _nvrtcProgram& program, const std::string& expression) {
  const bool runs = program.fault != "0";
  return runs ? expression + "__fault_" + program.fault : expression;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = FAKE_NVRTC_MINOR;
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult) {
  return "NVRTC_ERROR_FAKE";
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int, const char* const*,
                               const char* const*) {
  *program = new _nvrtcProgram;
  constexpr std::string_view define = "#define FAULT ";
  const std::string_view text = source;
  if (const auto at = text.find(define); at != std::string_view::npos) {
    const auto value = text.substr(at + define.size());
    (*program)->fault = value.substr(0, value.find('\n'));
  }
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  program->names[expression];
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int, const char* const*) {
  count();
  if (program->fault == "hang")
    for (;;) pause();
  if (program->fault == "crash") std::raise(SIGSEGV);
  if (program->fault == "error") program->log = "kernel.cu(1): error: this was to be expected";
  for (auto& [expression, name] : program->names) name = lowered(*program, expression);
  return program->log.empty() ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, std::size_t* bytes) {
  *bytes = sizeof image;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char* code) {
  std::memcpy(code, image, sizeof image);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  *name = program->names[expression].c_str();
  return NVRTC_SUCCESS;
}
}
