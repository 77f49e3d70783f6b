// A session's copy of everything it reads.
#include "tuner/kernel/files/session_files.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/support/small_template.h"
#include "tuner/device/compile/device_headers.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/system/files.h"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TextsTest : public testing::Test {
 protected:
  TextsTest() { write_doubling_template(folder_, manifest()); }

  static std::string manifest() {
    std::string text = doubling_manifest;
    const std::string fill = "{ uniform = [1, 2], seed = 3 }";
    return text.replace(text.find(fill), fill.size(), "{ npy = \"in.npy\" }");
  }
  void write_data(float value) const {
    const std::vector<float> data(1000, value);
    write_npy(folder_.path() / "in.npy", ElementType::f32, {1000}, std::as_bytes(std::span(data)));
  }
  SessionFiles read(const fs::path& folder) const {
    return SessionFiles(TemplatePlace{folder, {}, {}, {}, {}, {}, {}, {}, {}});
  }
  SessionFiles read() const { return read(folder_.path()); }
  static std::string source_of(const KernelTemplate& kernel) {
    return compile_request(kernel, "host", kernel.default_values, kernel.default_values).source;
  }

  TemporaryFolder folder_;
};

TEST_F(TextsTest, WhatChangesLaterIsNotWhatASessionReads) {
  write_data(1);
  folder_.write("kernel.cu", "#include \"part.cuh\"\n// first\n");
  folder_.write("part.cuh", "// part one\n");
  const SessionFiles texts = read();
  folder_.write("kernel.cu", "// second\n");
  folder_.write("part.cuh", "// part two\n");
  folder_.write("template.toml", "broken");
  fs::remove(folder_.path() / "in.npy");
  const KernelTemplate kernel = load_template(texts.place());
  EXPECT_THAT(source_of(kernel), HasSubstr("// first"));
  EXPECT_TRUE(fs::exists(kernel.arguments.at(0).fill.file));
  std::ifstream part(kernel.include_directories.at(0) / "part.cuh");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(part), {}), "// part one\n");
  EXPECT_EQ(kernel.shown(kernel.source), fs::absolute(folder_.path() / "kernel.cu"));
}

TEST_F(TextsTest, TellsWhichFilesChangedSince) {
  write_data(1);
  const SessionFiles texts = read();
  EXPECT_THAT(texts.changed(), IsEmpty());
  folder_.write("kernel.cu", doubling_kernel);  // another time, the same content
  EXPECT_THAT(texts.changed(), IsEmpty());
  write_data(2);
  EXPECT_THAT(texts.changed(), ElementsAre(folder_.path() / "in.npy"));
}

TEST_F(TextsTest, DataAndHeadersAreHashedAndAMovedTemplateKeepsItsHashes) {
  write_data(1);
  folder_.write("kernel.cu", "#define HDR \"part.cuh\"\n#include HDR\n");
  folder_.write("part.cuh", "one");
  const TemplatePlace first = read().place();
  const TemporaryFolder other;
  fs::copy(folder_.path(), other.path() / "moved", fs::copy_options::recursive);
  const TemplatePlace moved = read(other.path() / "moved").place();
  EXPECT_EQ(moved.headers_hash, first.headers_hash);
  EXPECT_EQ(moved.data_hash, first.data_hash);
  write_data(2);
  EXPECT_NE(read().place().data_hash, first.data_hash);
  EXPECT_EQ(read().place().headers_hash, first.headers_hash);
  folder_.write("part.cuh", "two");
  EXPECT_NE(read().place().headers_hash, first.headers_hash);
}

TEST_F(TextsTest, FilesThatAreNamedAbsolutelyAreCopiedToo) {
  const TemporaryFolder elsewhere;
  write_data(1);
  fs::rename(folder_.path() / "in.npy", elsewhere.path() / "data.npy");
  elsewhere.write("include/far.cuh", "// far\n");
  std::string text = manifest();
  text.replace(text.find("in.npy"), 6, (elsewhere.path() / "data.npy").string());
  const std::string folder = (elsewhere.path() / "include").string();
  folder_.write("template.toml", "options = [\"-I" + folder + "\", \"-include\", \"far.cuh\", \"-O1\"]\n" + text);
  const SessionFiles texts = read();
  const KernelTemplate kernel = load_template(texts.place());
  fs::remove_all(elsewhere.path() / "data.npy");
  EXPECT_TRUE(fs::exists(kernel.arguments.at(0).fill.file));
  EXPECT_THAT(kernel.options, ElementsAre("-O1"));
  EXPECT_THAT(source_of(kernel), HasSubstr("#include \"far.cuh\"\n#line 1 \"doubling/kernel.cu\"\n"));
  ASSERT_EQ(kernel.include_directories.size(), 3u);  // the template's, the option's, and that of Warptune's own headers
  EXPECT_TRUE(fs::exists(kernel.include_directories.at(1) / "far.cuh"));
  for (const fs::path& each : kernel.include_directories) EXPECT_TRUE(each.string().starts_with(kernel.root.string()));
}

TEST_F(TextsTest, AnUnknownHeaderOfWarptunesIsAnErrorThatListsThoseThereAre) {
  write_data(1);
  folder_.write("kernel.cu", "#include \"part.cuh\"\n");
  folder_.write("part.cuh", "#include <warptune/device/vector.cuh>\n");
  try {
    read();
    FAIL() << "a session with a header that is not there";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr((folder_.path() / "part.cuh").string()),
                                    HasSubstr("no header <warptune/device/vector.cuh>; there are"),
                                    HasSubstr("<warptune/device/vectors.cuh>")));
  }
  folder_.write("part.cuh", "#if __has_include(<warptune/device/vector.cuh>)\n#endif\n");
  EXPECT_NO_THROW(read());
}

TEST_F(TextsTest, AMissingFileIsNamed) {
  try {
    read();
    FAIL() << "a session without its data";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("in.npy"));
  }
}

TEST_F(TextsTest, WarptunesHeadersAreCopiedAndHashedWhereASourceIncludesThem) {
  write_data(1);
  const std::string none = read().place().headers_hash;
  folder_.write("kernel.cu", "#include <warptune/device/look_back.cuh>\n");
  const SessionFiles texts = read();
  const fs::path copy = texts.place().include_directories.back() / "warptune/device";
  EXPECT_TRUE(fs::exists(copy / "look_back.cuh"));
  EXPECT_TRUE(fs::exists(copy / "warp.cuh"));  // which the other includes
  EXPECT_FALSE(fs::exists(copy / "async_copy.cuh"));
  EXPECT_THAT(texts.changed(), IsEmpty());
  EXPECT_NE(texts.place().headers_hash, none);
  folder_.write("kernel.cu", "#include <warptune/device/warp.cuh>\n");
  EXPECT_NE(read().place().headers_hash, texts.place().headers_hash);
}

TEST_F(TextsTest, AChangedHeaderOfWarptunesNameMakesAnotherHash) {
  write_data(1);
  folder_.write("kernel.cu", "#include <warptune/device/warp.cuh>\n");
  const std::string own = read().place().headers_hash;
  EXPECT_EQ(read().place().headers_hash, own);
  const std::string text(find_device_header("warptune/device/warp.cuh")->text);
  folder_.write("warptune/device/warp.cuh", text + "// changed\n");
  EXPECT_NE(read().place().headers_hash, own);
}

// NVRTC takes no byte order mark in a header, and no parser of ours has to know of one.
TEST_F(TextsTest, TextsLoseTheirByteOrderMarkAndDataDoNot) {
  const std::string mark = "\xEF\xBB\xBF";
  folder_.write("kernel.cu", mark + "#include \"part.cuh\"\n" + doubling_kernel);
  folder_.write("part.cuh", mark + "#define PART 1\n");
  folder_.write("template.toml", mark + doubling_manifest);
  const SessionFiles texts = read();
  for (const auto& [file, copy] : texts.files()) {
    std::ifstream stream(copy);
    EXPECT_FALSE(std::string(std::istreambuf_iterator<char>(stream), {}).starts_with(mark)) << file;
  }
  EXPECT_THAT(texts.changed(), IsEmpty());
  EXPECT_EQ(read_file(folder_.path() / "part.cuh"), "#define PART 1\n");
  EXPECT_EQ(read_bytes(folder_.path() / "part.cuh"), mark + "#define PART 1\n");
}

}  // namespace
}  // namespace warptune::tuner
