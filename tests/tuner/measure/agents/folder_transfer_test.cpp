#include "tuner/measure/agents/folder_transfer.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/system/files.h"

namespace warptune::tuner::agents {
namespace {

// Everything the sender has, laid down elsewhere; the number of pieces.
std::size_t transfer(const std::filesystem::path& from, const std::filesystem::path& to) {
  FolderSender sender(from);
  std::size_t pieces = 0;
  for (; const auto piece = sender.next(); ++pieces) {
    const workers::json text = workers::from_cbor(piece->text);
    take_piece(to, workers::text_from_json(text.at("path")), text.at("first").get<bool>(), piece->payload);
  }
  return pieces;
}

TEST(FolderTransfer, FilesOfAnySizeArriveAsTheyWere) {
  const TemporaryFolder from, to;
  const std::string mebibyte(std::size_t{1} << 20, 'x'), large = mebibyte + mebibyte + "the rest";
  std::filesystem::create_directories(from.path() / "a" / "b");
  from.write("empty", "");
  from.write("a/whole.bin", mebibyte);
  from.write("a/b/large.bin", large);
  to.write("empty", "what was there before");
  EXPECT_EQ(transfer(from.path(), to.path()), 1u + 2u + 3u);
  EXPECT_EQ(read_file(to.path() / "empty"), "");
  EXPECT_EQ(read_file(to.path() / "a/whole.bin"), mebibyte);
  EXPECT_EQ(read_file(to.path() / "a/b/large.bin"), large);
}

TEST(FolderTransfer, NothingIsWrittenOutsideTheFolder) {
  const TemporaryFolder to;
  const std::filesystem::path inside = to.path() / "inside";
  for (const std::string path : {"../outside", "/tmp/outside", "a/../../outside", ""})
    EXPECT_THROW(take_piece(inside, path, true, "text"), std::runtime_error) << path;
  EXPECT_FALSE(std::filesystem::exists(to.path() / "outside"));
}

TEST(FolderTransfer, APlaceMovesWithItsRootAndWhatLiesElsewhereStays) {
  TemplatePlace place;
  place.root = "/tmp/here/texts";
  place.manifest = "/tmp/here/texts/home/a/template.toml";
  place.include_directories = {"/tmp/here/texts/home/a/include", "/usr/include"};
  const TemplatePlace there = moved(place, "/tmp/there");
  EXPECT_EQ(there.root, "/tmp/there");
  EXPECT_EQ(there.manifest, "/tmp/there/home/a/template.toml");
  EXPECT_EQ(there.capture, "");
  EXPECT_EQ(there.include_directories.front(), "/tmp/there/home/a/include");
  EXPECT_EQ(there.include_directories.back(), "/usr/include");
}

}  // namespace
}  // namespace warptune::tuner::agents
