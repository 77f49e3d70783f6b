// Files that somebody made to break whoever reads them: each is an error, soon, and takes no memory to speak of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "search/error.h"
#include "tests/support/small_template.h"
#include "tuner/kernel/capture.h"
#include "tuner/kernel/data/matrix_market.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/files/space_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/t1/t1.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const search::Error& error) {
    return error.what();
  }
  return "";
}

class HostileFiles : public testing::Test {
 protected:
  std::string manifest_error(const std::string& text) {
    write_doubling_template(folder_);
    return error_of([&] { parse_manifest(text, folder_.path() / "template.toml"); });
  }
  std::string manifest_error(const std::string& from, const std::string& to) {
    std::string text = doubling_manifest;
    return manifest_error(text.replace(text.find(from), from.size(), to));
  }
  std::string npy_error(const std::string& header, ElementType type = ElementType::f32) {
    std::string file("\x93NUMPY\x02\x00", 8);
    for (int i = 0; i < 4; ++i) file += static_cast<char>(header.size() >> (8 * i));
    return error_of([&] { npy_elements(file + header + std::string(24, '\0'), "a.npy", type, 6); });
  }

  TemporaryFolder folder_;
};

TEST_F(HostileFiles, DeeplyNestedTomlIsRefused) {
  for (const char* text : {"[", "{a=", "[{a="})
    EXPECT_THAT(manifest_error("a = " + repeated(text, 100'000)), HasSubstr("nest too deep")) << text;
  EXPECT_THAT(manifest_error("a" + repeated(".a", 100'000) + " = 1"),
              HasSubstr("template.toml:1: expected TOML: tables or arrays nest"));
  EXPECT_THAT(manifest_error("\n[a" + repeated(".'a'", 100'000) + "]"),
              HasSubstr("template.toml:2: expected TOML: tables or arrays nest"));
}

TEST_F(HostileFiles, BracketsWithoutKeysAndLettersBeyondAsciiAreErrorsWithTheirLine) {
  EXPECT_THAT(manifest_error("name = \"x\"\n[ \n"), HasSubstr(":2: expected TOML"));
  EXPECT_THAT(manifest_error("name = \"x\"\n\u00e9 = 1\n"), HasSubstr(":2: expected TOML: a character beyond ASCII"));
  EXPECT_THAT(manifest_error("# \u00e9\nname = \"\u00e9\"\n[ \n"), HasSubstr(":3: expected TOML"));
}

TEST_F(HostileFiles, BracketsInTextsAndCommentsAreNoNesting) {
  const std::string many = repeated("[{", 1000);
  const std::string quoted = "summary = \"" + many + "\\\"[\"\n# " + many + "\n";
  EXPECT_EQ(manifest_error(quoted + doubling_manifest), "");
  EXPECT_EQ(manifest_error("summary = '''" + many + "\n'[" + many + "'''\n" + doubling_manifest), "");
}

TEST_F(HostileFiles, DeeplyNestedJsonIsRefusedByEveryReader) {
  for (const auto& [open, close] : {std::pair("[", "]"), {"{\"a\":", "}"}}) {
    const std::string text = repeated(open, 200'000) + "1" + repeated(close, 200'000);
    const auto file = folder_.write("deep.json", text);
    EXPECT_NE(error_of([&] { load_t1(file); }), "");
    EXPECT_NE(error_of([&] { load_space_file(file); }), "");
    EXPECT_NE(error_of([&] { read_capture(file); }), "");
    EXPECT_THAT(error_of([&] { parse_wisdom(text, "a.json"); }), HasSubstr("more than 64 objects and arrays"));
  }
  EXPECT_THROW(workers::from_cbor(repeated("\x81", 1'000'000)), nlohmann::json::exception);
}

TEST_F(HostileFiles, NestedListsOfT1EndAsAnError) {
  EXPECT_THROW(t1_values(repeated("list(", 100'000)), std::invalid_argument);
  EXPECT_THROW(t1_values(repeated("[x for x in ", 100'000)), std::invalid_argument);
}

TEST_F(HostileFiles, DomainsUpToTheLargestIntegersEnd) {
  EXPECT_EQ(manifest_error("powers_of_two = [1, 8]", "powers_of_two = [1, 4611686018427387904]"), "");
  EXPECT_THAT(manifest_error("powers_of_two = [1, 8]", "range = [1, 9223372036854775807]"),
              HasSubstr("more than a million"));
  EXPECT_THAT(manifest_error("powers_of_two = [1, 8]", "range = [-9223372036854775808, 9223372036854775807]"),
              HasSubstr("more than a million"));
  EXPECT_EQ(manifest_error("powers_of_two = [1, 8]\ndefault = 1",
                           "range = [9223372036854775806, 9223372036854775807]\ndefault = 9223372036854775807"),
            "");
}

TEST_F(HostileFiles, DomainsOfAHundredThousandValuesAreReadOnce) {
  std::string values = "values = [1, 2.5";
  for (int i = 3; i < 100'000; ++i) values += ", " + std::to_string(i);
  EXPECT_EQ(manifest_error("powers_of_two = [1, 8]", values + "]"), "");
  EXPECT_THAT(manifest_error("powers_of_two = [1, 8]", values + ", 7.0]"), HasSubstr("the value 7.0 is there twice"));
}

TEST_F(HostileFiles, DerivedNamesThatDoubleForEverAreRefused) {
  std::string derived = "[derived]\na0 = \"n + n\"\n";
  for (int i = 1; i <= 40; ++i)
    derived += "a" + std::to_string(i) + " = \"a" + std::to_string(i - 1) + " + a" + std::to_string(i - 1) + "\"\n";
  EXPECT_THAT(manifest_error("[sizes]", derived + "[sizes]"), HasSubstr("with the derived names in it written out"));
}

TEST_F(HostileFiles, HeadersOfNpyAreReadToTheLetter) {
  const std::string rest = ", 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(npy_error("{'descr': '<f4'" + rest), "");
  EXPECT_EQ(npy_error("{'shape': (6,), 'descr': '<f4', 'fortran_order': False}\n"), "");
  EXPECT_THAT(npy_error("{'descr': [('a', '<f4')]" + rest), HasSubstr("a structured type is not supported"));
  EXPECT_THAT(npy_error("{'descr': '<f4', 'fortran_order': True, 'shape': (6,)}"), HasSubstr("expected C order"));
  EXPECT_THAT(npy_error("{'note': '<f4'" + rest), HasSubstr("damaged"));
  EXPECT_THAT(npy_error("{'descr': '<f4', 'shape': (6,)}"), HasSubstr("expected 'descr', 'fortran_order' and 'shape'"));
  EXPECT_THAT(npy_error("{" + std::string(900'000, ' ')), HasSubstr("header of 900001 bytes"));
}

TEST_F(HostileFiles, ShapesWhoseProductWrapsAreRefused) {
  // 2^63 + 1 times 2 times 3 is 6 in 64 bits.
  EXPECT_THAT(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775809, 2, 3), }"),
              HasSubstr("more than 2^64 elements"));
}

TEST_F(HostileFiles, AMatrixTakesTheMemoryOfItsFileAndNotOfItsHeader) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const SparseMatrix matrix = parse_matrix_market(banner + "2000000000 2000000000 1\n1 1 1\n", "a.mtx");
  EXPECT_EQ(matrix.longest_row(), 1);
  EXPECT_THAT(error_of([&] { matrix_market_part(matrix, "a.mtx", MatrixPart::row_starts, ElementType::i32, 4); }),
              HasSubstr("there are 2000000001 row_starts"));
  EXPECT_THAT(error_of([&] { parse_matrix_market(banner + "2 2 9223372036854775807\n1 1 1\n", "a.mtx"); }),
              HasSubstr("the file ends after 1 of"));
}

TEST_F(HostileFiles, PipesAndDevicesAreNoData) {
  const auto pipe = folder_.path() / "pipe.mtx";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& file : {pipe, std::filesystem::path("/dev/zero"), folder_.path()}) {
    EXPECT_THAT(error_of([&] { read_matrix_market(file); }), HasSubstr("it is no regular file"));
    EXPECT_THAT(error_of([&] { read_npy(file, ElementType::f32, 1); }), HasSubstr("it is no regular file"));
  }
}

}  // namespace
}  // namespace warptune::tuner
