#include "db/interchange/json_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;

class JsonRecords : public TemporaryFiles {
 protected:
  JsonHeader read(const std::string& text) {
    InputText input(file(text));
    records_.clear();
    return read_json_records(input, {"cache", "results"},
                             [&](const JsonHeader&, const Json& record) { records_.push_back(record.dump()); });
  }

  std::vector<std::string> records_;
};

TEST_F(JsonRecords, ComeOneByOneFromObjectsAndArrays) {
  read(R"({"a": 1, "cache": {"x": {"p": [1, {"q": 2}]}, "y": 3}, "b": {"c": []}})");
  EXPECT_THAT(records_, ElementsAre(R"({"p":[1,{"q":2}]})", "3"));
  read(R"({"results": [[1], {}, "text", null, true]})");
  EXPECT_THAT(records_, ElementsAre("[1]", "{}", "\"text\"", "null", "true"));
}

TEST_F(JsonRecords, LeaveTheOtherMembersInTheHeader) {
  const JsonHeader header = read(R"({"a": {"deep": [1, 2]}, "cache": {}, "b": null, "results": [1]})");
  EXPECT_EQ(header.collection, "cache");
  EXPECT_EQ(header.members.dump(), R"({"a":{"deep":[1,2]},"b":null,"results":[1]})");
  EXPECT_FALSE(header.unfinished);
}

TEST_F(JsonRecords, KeepEveryBitOfANumber) {
  read(R"({"cache": {"x": [0.1, 1e-320, 1.7976931348623157e308, 9007199254740993, 2.0, -0.0]}})");
  EXPECT_THAT(records_, ElementsAre("[0.1,1e-320,1.7976931348623157e+308,9007199254740993,2.0,-0.0]"));
}

TEST_F(JsonRecords, EndWithTheirFile) {
  EXPECT_TRUE(read(R"({"cache": {"x": 1, "y": {"half)").unfinished);
  EXPECT_THAT(records_, ElementsAre("1"));
  EXPECT_THROW(read(R"({"a": 1, "b")"), InterchangeError);
  EXPECT_THROW(read("3"), InterchangeError);
}

}  // namespace
}  // namespace warptune::db
