#include "tuner/results/report/text/table.h"

#include <gtest/gtest.h>

#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {
namespace {

Table example() {
  Table table({"name", "time_ms", "note"});
  table.add({std::string("a,b"), 0.1234567890123, std::nullopt});
  table.add({std::string("µ \"q\""), 12.0, std::string("x")});
  return table;
}

TEST(Table, AlignsColumnsForPeople) {
  EXPECT_EQ(example().render(Format::table),
            "NAME   TIME MS  NOTE\n"
            "a,b    0.12346  -\n"
            "µ \"q\"       12  x\n");
}

TEST(Table, ShowsWhatATerminalWouldObeyAndKeepsARowOnItsLine) {
  Table table({"name"});
  table.add({std::string("a\x1b[2Jb\nc\xff")});
  EXPECT_EQ(table.render(Format::table), "NAME\na\\x1b[2Jb\\nc\\xff\n");
  EXPECT_EQ(table.render(Format::json), "[\n  {\n    \"name\": \"a\\u001b[2Jb\\nc\ufffd\"\n  }\n]\n");
}

TEST(Table, CsvQuotesAndKeepsEveryDigit) {
  EXPECT_EQ(example().render(Format::csv),
            "name,time_ms,note\r\n\"a,b\",0.1234567890123,\r\n\"µ \"\"q\"\"\",12.0,x\r\n");
}

TEST(Table, JsonIsAnArrayOfObjects) {
  EXPECT_NE(example().render(Format::json).find("\"time_ms\": 0.1234567890123,\n    \"note\": null"),
            std::string::npos);
  EXPECT_EQ(Table({"a"}).render(Format::json), "[]\n");
}

TEST(Table, GivesProgramsTypedValuesAndPeopleTexts) {
  Table table({"configuration", "error", "values"});
  table.add({search::NamedValues{{"BLOCK", std::int64_t{64}}, {"FAST", true}}, Cell("± 0.43 %", 0.0043),
             std::vector<double>{1, 2.5}});
  EXPECT_EQ(table.render(Format::table),
            "CONFIGURATION          ERROR  VALUES\nBLOCK=64,FAST=true  ± 0.43 %  1, 2.5\n");
  EXPECT_EQ(table.render(Format::csv), "configuration,error,values\r\n\"BLOCK=64,FAST=true\",0.0043,\"1, 2.5\"\r\n");
  EXPECT_EQ(table.render(Format::json),
            "[\n  {\n    \"configuration\": {\n      \"BLOCK\": 64,\n      \"FAST\": true\n    },\n"
            "    \"error\": 0.0043,\n    \"values\": [\n      1.0,\n      2.5\n    ]\n  }\n]\n");
}

// A column of each kind: a name, a figure, two that can go, a configuration and a message.
Table wide() {
  Table table({"kernel", "time_ms", "clock_mhz", "uuid", "never", "configuration", "message"});
  table.heading("time_ms", "TIME").less_important({"uuid", "clock_mhz"});
  table.add({std::string("convolution"), Cell("59.0 µs", 0.059), 1980.0, std::string("GPU-2e7a9c1f-7d3b"), std::nullopt,
             search::NamedValues{{"BLOCK_X", std::int64_t{128}}, {"BLOCK_Y", std::int64_t{4}}, {"PADDED", true}},
             std::nullopt});
  table.add({std::string("gemm"), Cell("1.24 ms", 1.24), 1755.0, std::string("GPU-2e7a9c1f-7d3b"), std::nullopt,
             search::NamedValues{{"TILE", std::int64_t{64}}},
             std::string("out[3] (element 3): expected 1.5, got 0; 17 of 4096 elements differ")});
  return table;
}

TEST(Table, ShowsEveryColumnWithContentWhereThereIsRoom) {
  EXPECT_EQ(wide().render(Format::table),
            "KERNEL          TIME  CLOCK MHZ  UUID               CONFIGURATION                      MESSAGE\n"
            "convolution  59.0 µs       1980  GPU-2e7a9c1f-7d3b  BLOCK_X=128,BLOCK_Y=4,PADDED=true  -\n"
            "gemm         1.24 ms       1755  GPU-2e7a9c1f-7d3b  TILE=64                            "
            "out[3] (element 3): expected 1.5, got 0; 17 of 4096 elements differ\n");
}

TEST(Table, WrapsTextsAndLeavesLessImportantColumnsOutWhereThereIsLessRoom) {
  EXPECT_EQ(wide().render(Format::table, 120),
            "KERNEL          TIME  CLOCK MHZ  UUID               CONFIGURATION                      MESSAGE\n"
            "convolution  59.0 µs       1980  GPU-2e7a9c1f-7d3b  BLOCK_X=128,BLOCK_Y=4,PADDED=true  -\n"
            "gemm         1.24 ms       1755  GPU-2e7a9c1f-7d3b  TILE=64                            "
            "out[3] (element 3): expected 1.5,\n"
            "                                                                                       "
            "got 0; 17 of 4096 elements differ\n");
  EXPECT_EQ(wide().render(Format::table, 60),
            "KERNEL          TIME  CONFIGURATION  MESSAGE\n"
            "convolution  59.0 µs  BLOCK_X=128,   -\n"
            "                      BLOCK_Y=4,\n"
            "                      PADDED=true\n"
            "gemm         1.24 ms  TILE=64        out[3] (element 3):\n"
            "                                     expected 1.5, got 0; 17\n"
            "                                     of 4096 elements differ\n"
            "Not shown, for want of room: CLOCK MHZ, UUID\n");
}

// As two hashes side by side in a terminal of 60 columns; a word of common length stays whole.
TEST(Table, BreaksLongWordsWhereNothingElseMakesALineFit) {
  Table table({"item", "first", "second"});
  table.add({std::string("source"), std::string("b75fc1276df9f65eee8224c2"), std::string("aa511debc345268b0ef52fd0")});
  EXPECT_EQ(table.render(Format::table, 60),
            "ITEM    FIRST                     SECOND\n"
            "source  b75fc1276df9f65eee8224c2  aa511debc345268b0ef52fd0\n");
  EXPECT_EQ(table.render(Format::table, 42),
            "ITEM    FIRST             SECOND\n"
            "source  b75fc1276df9f65e  aa511debc345268b\n"
            "        ee8224c2          0ef52fd0\n");
}

TEST(Table, WhereNoColumnsFitEachRowIsABlockOfLines) {
  Table table = wide();
  EXPECT_EQ(table.render(Format::table, 24),
            "KERNEL      convolution\n"
            "TIME        59.0 µs\n"
            "CLOCK MHZ   1980\n"
            "UUID        GPU-2e7a9c1f\n"
            "            -7d3b\n"
            "CONFIGURATION\n"
            "            BLOCK_X=128,\n"
            "            BLOCK_Y=4,\n"
            "            PADDED=true\n"
            "\n"
            "KERNEL      gemm\n"
            "TIME        1.24 ms\n"
            "CLOCK MHZ   1755\n"
            "UUID        GPU-2e7a9c1f\n"
            "            -7d3b\n"
            "CONFIGURATION\n"
            "            TILE=64\n"
            "MESSAGE     out[3]\n"
            "            (element 3):\n"
            "            expected\n"
            "            1.5, got 0;\n"
            "            17 of 4096\n"
            "            elements\n"
            "            differ\n");
}

TEST(Table, KeepsEveryColumnForProgramsWhateverTheWidth) {
  EXPECT_EQ(wide().render(Format::csv, 40), wide().render(Format::csv));
  EXPECT_NE(wide().render(Format::csv, 40).find("kernel,time_ms,clock_mhz,uuid,never,configuration,message"),
            std::string::npos);
  EXPECT_EQ(wide().render(Format::json, 40), wide().render(Format::json));
}

TEST(Table, RefusesAHeadingForAColumnThatItHasNot) {
  EXPECT_THROW(Table({"a"}).heading("b", "B"), std::logic_error);
  EXPECT_THROW(Table({"a"}).less_important({"b"}), std::logic_error);
}

TEST(Wrapped, BreaksBehindSpacesAndCommasAndCutsLongWords) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("A=1,B=22,C=3", 8), (Lines{"A=1,", "B=22,C=3"}));
  EXPECT_EQ(wrapped("µµµµµ", 2), (Lines{"µµ", "µµ", "µ"}));
  EXPECT_EQ(wrapped("first\nsecond one", 6), (Lines{"first", "second", "one"}));
  EXPECT_EQ(wrapped("", 5), (Lines{""}));
  EXPECT_EQ(wrapped("never broken at all", 0), (Lines{"never broken at all"}));
}

TEST(Wrapped, IndentsTheLinesThatFollow) {
  EXPECT_EQ(wrapped_text("Winner of the whole session", 30, 10), "Winner of the whole\n          session");
}

}  // namespace
}  // namespace warptune::tuner
