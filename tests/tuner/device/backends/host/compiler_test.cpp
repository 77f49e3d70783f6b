// The system's compiler behind the interface: logs, defines, includes, timeouts, leftovers.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/places.h"
#include "tests/tuner/device/backends/host/host_fixture.h"
#include "tuner/device/backends/host/compile/host_compiler.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Of this process: other tests compile at the same time.
std::size_t folders_left() {
  const auto ours = [](const fs::directory_entry& entry) {
    return entry.path().filename().string().rfind("warptune-" + std::to_string(getpid()) + "-", 0) == 0;
  };
  return static_cast<std::size_t>(std::count_if(fs::directory_iterator("/tmp"), fs::directory_iterator(), ours));
}

TEST(HostCompiler, AnErrorIsAResultWhoseLogPointsIntoTheSource) {
  const CompileResult result =
      shared_compiler().compile(request("\n\n__global__ void k(int* out) { *out = missing; }\n", {"k"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.log, HasSubstr("test/kernel.cu:3"));
  EXPECT_THAT(result.log, HasSubstr("missing"));
}

void write_script(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\n" << text;
  fs::permissions(file, fs::perms::owner_all);
}

// Hundreds of tests compile the same few kernels: the compiler that they find in PATH compiles each of them once
// (tests/support/remembering_compiler.sh). Its script knows the options that name temporary files; another such option
// would make every source a new one.
TEST(HostCompiler, OfTheTestsRemembersWhatItHasCompiled) {
  const ScratchFolder folder;
  const fs::path remembering = folder.path() / "remembering/c++", behind = folder.path() / "behind/c++";
  const fs::path program = folder.path() / "program", compiled = folder.path() / "compiled";
  fs::create_directories(remembering.parent_path());
  fs::copy_file(source_folder() + "/tests/support/remembering_compiler.sh", remembering);
  write_script(behind, "case \" $* \" in *' -c '*) echo >>'" + compiled.string() + "';; esac\nPATH='" +
                           std::getenv("PATH") + "' exec c++ \"$@\"\n");
  write_script(program,
               "PATH='" + behind.parent_path().string() + "':$PATH exec '" + remembering.string() + "' \"$@\"\n");
  HostCompiler compiler(program.string(), 60);
  const auto compiles = [&] { return fs::exists(compiled) ? fs::file_size(compiled) : 0; };
  const CompileRequest plain = request("#include <math.h>\n__global__ void k(float* y) { *y = sinf(*y); }\n", {"k"});
  const CompileResult first = compiler.compile(plain), second = compiler.compile(plain);
  ASSERT_TRUE(first.code && second.code) << first.log << second.log;
  EXPECT_EQ(compiles(), 1u);
  EXPECT_EQ(first.code->bytes, second.code->bytes);
  CompileRequest other = plain;
  other.defines = {{"y", "z"}};
  EXPECT_TRUE(compiler.compile(other).code);
  EXPECT_EQ(compiles(), 2u);
}

// What a kernel needs and the host backend lacks is said in the line that is shown of the log.
TEST(HostCompiler, AnErrorThatComesOfALimitNamesItAndThePage) {
  const auto error = [](const std::string& source) {
    const CompileResult result = shared_compiler().compile(request(source, {"k"}));
    EXPECT_FALSE(result.code) << source;
    EXPECT_FALSE(result.unfinished) << source;
    return first_error(result.log);
  };
  const std::string begin = "__global__ void k(unsigned* p) { ";
  for (const auto& [source, limit] :
       {std::pair<std::string, std::string>{begin + "asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(*p)); }",
                                            "compiles no inline PTX"},
        {"__global__ void k(cudaTextureObject_t t, float* p) { *p = tex2D<float>(t, 1, 2); }",
         "has no textures and surfaces"},
        {begin + "nvcuda::wmma::fill_fragment(*p, 0); }", "has no nvcuda::wmma"},
        {"#include <cub/cub.cuh>\n" + begin + "}", "has no CUB"},
        {"#include <cuda/pipeline>\n" + begin + "}", "has no <cuda/...>"},
        {"__global__ void c() {}\n" + begin + "c<<<1, 32>>>(); }", "cannot launch kernels"},
        {begin + "*p = __isShared(p); }", "if __isShared is CUDA's, the host backend lacks it"}}) {
    EXPECT_THAT(error(source), HasSubstr(limit));
    EXPECT_THAT(error(source), testing::EndsWith(" (warptune help host)")) << source;
  }
  EXPECT_THAT(error(begin + "*p = missing; }"), Not(HasSubstr("warptune help")));
}

TEST(HostCompiler, AKernelThatIsNotThereIsNamedInTheLog) {
  const CompileResult result = shared_compiler().compile(request("__global__ void k() {}", {"gone"}));
  EXPECT_FALSE(result.code.has_value());
  EXPECT_THAT(result.log, HasSubstr("kernel name gone"));
}

TEST(HostCompiler, DefinesReachTheSourceButNotTheShim) {
  CompileRequest wanted = request("__global__ void k(int* out) { *out = N + T * 2 + FLAG; }", {"k"});
  wanted.defines = {{"N", "100"}, {"T", "7"}, {"FLAG", "1"}, {"A", "0"}, {"wait", "0"}};
  auto module = build(wanted);
  Buffer<int> out(1);
  launch(*module, "k", {}, out.get());
  EXPECT_EQ(out.read()[0], 115);
}

TEST(HostCompiler, IncludesNothingFromOutsideItsRoot) {
  const ScratchFolder inside, outside;
  std::ofstream(inside.path() / "in.h") << "#define IN 1\n";
  std::ofstream(outside.path() / "out.h") << "#define OUT 2\n";
  const std::string out = (outside.path() / "out.h").string();
  CompileRequest wanted =
      request("#define HDR \"" + out + "\"\n#include \"in.h\"\n#include HDR\n__global__ void k() {}", {"k"});
  wanted.include_directories = {inside.path()};
  EXPECT_TRUE(shared_compiler().compile(wanted).code);
  wanted.root = inside.path();
  const CompileResult refused = shared_compiler().compile(wanted);
  EXPECT_FALSE(refused.code);
  EXPECT_FALSE(refused.unfinished);
  EXPECT_THAT(refused.log, HasSubstr("it includes " + out));
  wanted.source = "#include <cstdint>\n#include \"in.h\"\n__global__ void k(const char** name) { *name = __FILE__; }";
  EXPECT_TRUE(shared_compiler().compile(wanted).code);
}

// Nobody would know that it changed: neither a key of the cache nor a session's.
TEST(HostCompiler, AnAssemblerThatReadsAFileIsRefused) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "table.bin").string();
  std::ofstream(file) << ".byte 1\n";
  std::ofstream(folder.path() / "table.h") << "asm(\".data\\n.incbin \\\"" << file << "\\\"\\n.text\");\n";
  const std::string kernel = "__global__ void k(int* out) { *out = 1; }";
  const auto in_assembler = [&](const std::string& directive) {
    return "asm(\".data\\n\" " + directive + " \" \\\"" + file + "\\\"\\n.text\");\n" + kernel;
  };
  for (const std::string& source : {in_assembler("\".incbin\""), in_assembler("\".inc\" \"bin\""),
                                    in_assembler("\".include\""), "#include \"table.h\"\n" + kernel}) {
    CompileRequest wanted = request(source, {"k"});
    wanted.include_directories = {folder.path()};
    const CompileResult refused = shared_compiler().compile(wanted);
    EXPECT_FALSE(refused.code) << source;
    EXPECT_FALSE(refused.unfinished);
    EXPECT_THAT(refused.log, HasSubstr("its assembler reads " + file));
  }
  EXPECT_TRUE(shared_compiler().compile(request("asm(\".data\\n.byte 1\\n.text\");\n" + kernel, {"k"})).code);
}

// A header of that name lies where the program was started, which is no place of the template's.
TEST(HostCompiler, TheCurrentFolderIsNotSearched) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "stray.h") << "#define STRAY 1\n";
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const CompileResult result =
      shared_compiler().compile(request("#include \"stray.h\"\n__global__ void k() {}", {"k"}));
  fs::current_path(before);
  EXPECT_FALSE(result.code);
}

TEST(HostCompiler, ACompilerThatIsKilledOrCannotStartSaysNothingOfTheSource) {
  const ScratchFolder folder;
  const fs::path program = folder.path() / "cxx";
  const auto made = [&](const std::string& act) {
    std::ofstream(program) << "#!/bin/sh\ncase \"$*\" in *--version*) echo g++ 12;; *) " + act + ";; esac\n";
    fs::permissions(program, fs::perms::owner_all);
    return HostCompiler(program.string(), 60).compile(request("__global__ void k() {}", {"k"}));
  };
  EXPECT_TRUE(made("kill -KILL $$").unfinished);
  EXPECT_TRUE(made("echo 'cxx: fatal error: Killed signal terminated program cc1plus' >&2; exit 1").unfinished);
  EXPECT_TRUE(made("echo 'cc1plus: error: something' >&2; exit 4").unfinished);
  EXPECT_FALSE(made("echo 'kernel.cu:1:1: error: something' >&2; exit 1").unfinished);
}

TEST(HostCompiler, IncludesComeFromTheRequestsFolders) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "part.h") << "__device__ inline float part(float x) { return sqrtf(x) + PART; }\n";
  CompileRequest wanted = request("#include \"part.h\"\n__global__ void k(float* out) { *out = part(4); }", {"k"});
  wanted.include_directories = {folder.path()};
  wanted.defines = {{"PART", "0.5f"}};
  auto module = build(wanted);
  Buffer<float> out(1);
  launch(*module, "k", {}, out.get());
  EXPECT_EQ(out.read()[0], 2.5f);
  EXPECT_THAT(shared_compiler().preprocess(wanted), HasSubstr("return sqrtf(x) + 0.5f"));
}

TEST(HostCompiler, PreprocessingTellsDifferentDefinesApartAndForgetsComments) {
  CompileRequest one = request("// comment\n__global__ void k(int* out) { *out = N; }", {"k"}), two = one;
  one.defines = {{"N", "1"}};
  two.defines = {{"N", "2"}};
  EXPECT_NE(shared_compiler().preprocess(one), shared_compiler().preprocess(two));
  EXPECT_THAT(shared_compiler().preprocess(one), Not(HasSubstr("comment")));
  two = one;
  two.source = "// other words\n\n__global__ void k(int* out) { *out = N; }";
  EXPECT_EQ(shared_compiler().preprocess(one), shared_compiler().preprocess(two));
}

TEST(HostCompiler, ManyCompilesAtOnceDoNotDisturbEachOther) {
  std::vector<CompileResult> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      CompileRequest wanted = request("__global__ void k(int* out) { *out = N; }", {"k"});
      wanted.defines = {{"N", std::to_string(i)}};
      results[i] = shared_compiler().compile(wanted);
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].code.has_value()) << results[i].log;
    auto module = shared_device().load(*results[i].code);
    Buffer<int> out(1);
    launch(*module, "k", {}, out.get());
    EXPECT_EQ(out.read()[0], static_cast<int>(i));
  }
}

TEST(HostCompiler, ACompileThatTakesTooLongIsEndedAndLeavesNothingBehind) {
  BackendOptions options;
  options.compile_timeout_s = 1;
  auto compiler = entry().compiler({}, options);
  const std::size_t before = folders_left();
  // Instantiates 2^40 templates.
  const CompileResult result = compiler->compile(request(R"(
    template <int Depth, long long I> struct Tree { static const long long value = Tree<Depth - 1, 2 * I>::value + Tree<Depth - 1, 2 * I + 1>::value; };
    template <long long I> struct Tree<0, I> { static const long long value = I; };
    __global__ void k(long long* out) { *out = Tree<40, 1>::value; }
  )",
                                                         {"k"}));
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.code.has_value());
  EXPECT_LE(folders_left(), before);
}

TEST(HostCompiler, StatesItsVersionBriefly) {
  EXPECT_THAT(shared_compiler().version(), ::testing::MatchesRegex("(g|clang)\\+\\+ [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(HostCompiler, AnAbsentCompilerIsNoDevice) {
  BackendOptions options;
  options.host_compiler = "no-such-compiler";
  EXPECT_THROW(entry().compiler({}, options), NoDeviceError);
}

}  // namespace
}  // namespace warptune::tuner::host
