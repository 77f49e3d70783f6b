#include "tuner/report/table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warptune::tuner
