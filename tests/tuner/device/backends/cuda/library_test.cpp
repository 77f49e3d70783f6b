#include "tuner/device/backends/cuda/compile/library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/device/backends/cuda/compile/nvrtc.h"

namespace warptune::tuner::cuda {
namespace {

using testing::HasSubstr;

TEST(OpenLibrary, RepeatsTheLoadersWordsIfThereIsNone) {
  std::string failure;
  EXPECT_FALSE(open_library({{"libno_such_thing.so.1", "libnor_this.so"}, {"/nowhere"}, {}}, failure));
  EXPECT_THAT(failure, HasSubstr("libno_such_thing.so.1"));
  EXPECT_THAT(failure, HasSubstr("No such file"));
}

TEST(OpenLibrary, TellsAboutAFileThatIsThereAndDoesNotLoad) {
  const TemporaryFolder folder;
  folder.write("libbroken.so.1", "this is no library");
  std::string failure;
  EXPECT_FALSE(open_library({{"libbroken.so.1"}, {folder.path()}, {}}, failure));
  EXPECT_THAT(failure, HasSubstr(folder.path().string()));
}

TEST(OpenLibrary, PrefersTheFoldersGivenOverTheLoader) {
  std::string failure;
  const auto library =
      open_library({{"libnot_there.so", "libcuda.so.1"}, {"/nowhere", FAKE_LIBRARIES_DIR "/cuda"}, {}}, failure);
  ASSERT_TRUE(library) << failure;
  EXPECT_EQ(library->file(), std::filesystem::canonical(FAKE_LIBRARIES_DIR "/cuda/libcuda.so.1"));
  EXPECT_NE(library->find("cuInit"), nullptr);
  EXPECT_EQ(library->find("cuNoSuchFunction"), nullptr);
}

TEST(OpenLibrary, LooksInTheLastFoldersAfterTheLoader) {
  std::string failure;
  const auto library = open_library({{"libnvidia-ml.so.1"}, {}, {FAKE_LIBRARIES_DIR "/cuda"}}, failure);
  ASSERT_TRUE(library) << failure;
}

// PyPI's NVRTC has no run path, and asks the loader for its built-ins by their bare name.
TEST(LoadNvrtc, OpensTheBuiltInsBesideIt) {
  BackendOptions options;
  options.library_directories = {FAKE_LIBRARIES_DIR "/nvrtc_apart"};
  const auto nvrtc = load_nvrtc(options);
  ASSERT_EQ(nvrtc->version_text(), "NVRTC 13.77");
  EXPECT_NE(::dlopen("libnvrtc-builtins.so.13.77", RTLD_LAZY | RTLD_NOLOAD), nullptr) << ::dlerror();
}

}  // namespace
}  // namespace warptune::tuner::cuda
