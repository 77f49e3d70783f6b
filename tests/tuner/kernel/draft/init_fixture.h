#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Describes sources in a folder of their own.
class Init : public testing::Test {
 protected:
  draft::InitResult describe(const std::string& source, const std::string& kernel = "") {
    draft::InitRequest request;
    request.source = folder_.write("kernel.cu", source);
    request.manifest = folder_.path() / "template.toml";
    request.kernel = kernel;
    request.schema = "manifest.schema.json";
    if (!reference_.empty()) request.reference = folder_.path() / reference_;
    return draft::describe_source(request);
  }

  // Of a source that leaves no blank.
  KernelTemplate loaded(const std::string& source, const std::string& kernel = "") {
    const draft::InitResult result = describe(source, kernel);
    EXPECT_THAT(result.blanks, testing::IsEmpty()) << result.text;
    return parse_manifest(result.text, folder_.path() / "template.toml");
  }

  static std::string grid(const Launch& launch, std::size_t axis) { return launch.grid[axis].text(); }
  static std::string block(const Launch& launch, std::size_t axis) { return launch.block[axis].text(); }

  static std::vector<std::string> names(const std::vector<search::Parameter>& parameters) {
    std::vector<std::string> result;
    for (const search::Parameter& parameter : parameters) result.push_back(parameter.name);
    return result;
  }

  TemporaryFolder folder_;
  std::string reference_;
};

}  // namespace warptune::tuner
