// What a template's C++ functions compute is kept between sessions, and believed only as long as it is whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/small_template.h"
#include "tuner/session/preparation.h"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

// Both functions take longer than what is not worth keeping, and leave a mark of each call.
constexpr char functions[] = R"(
#include <cstdio>

extern "C" int usleep(unsigned microseconds);

static void mark(char letter) {
  usleep(330000);
  if (FILE* marks = std::fopen(MARKS, "a")) {
    std::fputc(letter, marks);
    std::fclose(marks);
  }
}

extern "C" void numbers(float* in, int count) {
  mark('f');
#pragma omp parallel for
  for (int i = 0; i < count; ++i) in[i] = START + i % 3;
}

extern "C" void scrambled(float* in, float* extra, int count) {
  for (int i = 0; i < count; ++i) extra[i] = in[i], in[i] = -1;
}

extern "C" void doubled(const float* in, double* out, int count) {
  mark('r');
#pragma omp parallel for
  for (int i = 0; i < count; ++i) out[i] = 2.0 * in[i];
}
)";

class HostFunctionResults : public testing::Test {
 protected:
  HostFunctionResults() {
    std::string text = doubling_manifest;
    replace(text, "fill = { uniform = [1, 2], seed = 3 }", "fill = { function = \"numbers\" }");
    replace(text,
            "[reference]\n[[reference.launches]]\nkernel = \"reference\"\ngrid = \"ceildiv(n, 128)\"\nblock = 128\n",
            "[fills]\nnumbers = { source = \"functions.cpp\", arguments = [\"in\", \"count\"] }\n"
            "[reference]\nsource = \"functions.cpp\"\nfunction = \"doubled\"\n");
    write_doubling_template(folder_, text);
    write_functions(1);
    manifest_ = text;
  }

  static void replace(std::string& text, const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  }
  void write_functions(int start) {
    std::string text = functions;
    replace(text, "MARKS", '"' + (folder_.path() / "marks").string() + '"');
    replace(text, "START", std::to_string(start));
    folder_.write("functions.cpp", text);
  }

  // The calls of one more run, which must be right: "fr" for both functions.
  std::string calls(std::int64_t n = 1000, bool with_cache = true) {
    TuneRequest request;
    request.manifest = folder_.path() / "template.toml";
    request.device = "host";
    request.sizes = {{"n", n}};
    if (with_cache) request.evaluator.cache.folder = folder_.path() / "cache";
    const std::atomic<bool> stop{false};
    const search::Trial trial = run_once(request, {}, stop).trial;
    EXPECT_TRUE(trial.correct()) << trial.message;
    const fs::path marks = folder_.path() / "marks";
    std::string text;
    std::getline(std::ifstream(marks), text);
    fs::remove(marks);
    return text;
  }

  TemporaryFolder folder_;
  std::string manifest_;
};

TEST_F(HostFunctionResults, AreKeptByTheContentOfAllThatTheyDependOn) {
  EXPECT_EQ(calls(), "fr");
  EXPECT_EQ(calls(), "") << "the same again";
  EXPECT_EQ(calls(1000, false), "fr") << "without a cache";
  EXPECT_EQ(calls(999), "fr") << "a number and the buffers differ";
  write_functions(2);
  EXPECT_EQ(calls(), "fr") << "the code differs";
}

// Functions that read a buffer share its bytes on the host.
TEST_F(HostFunctionResults, DoNotDependOnWhatAnotherFunctionDoesToItsInputs) {
  std::string text = manifest_;
  replace(text, "[reference]\n",
          "scrambled = { source = \"functions.cpp\", arguments = [\"in\", \"extra\", \"count\"] }\n[reference]\n");
  replace(
      text, "[arguments.in]\n",
      "[arguments.extra]\ntype = \"float\"\nshape = [\"n\"]\nfill = { function = \"scrambled\" }\n[arguments.in]\n");
  write_doubling_template(folder_, text);
  write_functions(1);
  EXPECT_EQ(calls(), "fr");
}

TEST_F(HostFunctionResults, AreComputedAgainIfTheirFileIsDamaged) {
  calls();
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache")) {
    if (!entry.is_regular_file() || entry.file_size() < 100) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(90);
    file.put('\x55').put('\x56');
  }
  EXPECT_EQ(calls(), "fr");
  EXPECT_EQ(calls(), "");
}

}  // namespace
}  // namespace warptune::tuner
