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

}  // namespace
}  // namespace warptune::tuner
