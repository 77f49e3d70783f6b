// A GPU with faults on demand: the fake driver and the fake NVRTC as a toolkit, and a template whose parameter FAULT
// they understand.
#pragma once

#include "tests/tuner/measure/workers/fault_suite.h"

namespace warptune::tuner {

class FakeGpuFaults : public FaultSuite {
 protected:
  FakeGpuFaults() {
    namespace fs = std::filesystem;
    const fs::path libraries = folder_.path() / "toolkit/lib64", fakes = FAKE_LIBRARIES_DIR;
    fs::create_directories(libraries);
    fs::create_symlink(fakes / "cuda/libcuda.so.1", libraries / "libcuda.so.1");
    fs::create_symlink(fakes / "cuda/libcupti.so.13", libraries / "libcupti.so.13");
    fs::create_symlink(fakes / "nvrtc/libnvrtc.so.13", libraries / "libnvrtc.so.13");
    more_environment_ = "CUDA_HOME=" + (folder_.path() / "toolkit").string();
    folder_.write("kernel.cu", "// nobody compiles FAULT and N\nint parameters[] = {FAULT, N};\n");
    folder_.write("reference.cu", "// nor this");
    write_template("0", 1);
  }

  // faults x repeats configurations; the faults are all numbers or all strings
  void write_template(const std::string& faults, int repeats) {
    const std::string none = faults.starts_with('"') ? "\"0\"" : "0";
    folder_.write("template.toml", "name = \"faults\"\n[sizes]\nn = 64\n[parameters.FAULT]\nvalues = [" + faults +
                                       "]\ndefault = " + none + "\n[parameters.N]\nrange = [1, " +
                                       std::to_string(repeats) +
                                       R"toml(]
default = 1
[arguments.out]
type = "int"
shape = ["n"]
role = "output"
[[launches]]
kernel = "faults"
grid = "n // 32"
block = 32
arguments = ["out"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "n // 32"
block = 32
arguments = ["out"]
)toml");
  }
};

}  // namespace warptune::tuner
