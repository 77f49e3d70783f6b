#include "search/error.h"

#include <gtest/gtest.h>

#include "search/expression/expression.h"

namespace warptune::search {
namespace {

ErrorKind thrown_again(const Error& error) {
  try {
    throw_error(error_kind_from_string(to_string(error.kind())), error.what());
  } catch (const ErrorOf<ErrorKind::no_device>&) {
    return ErrorKind::no_device;
  } catch (const DataError&) {
    return ErrorKind::data;
  } catch (const Error& other) {
    return other.kind() == ErrorKind::no_device || other.kind() == ErrorKind::data ? ErrorKind::internal : other.kind();
  }
}

TEST(Error, ItsKindSurvivesBeingSentAsTextAndIsTheTypeThatIsCaughtAgain) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::store); ++i) {
    const Error error(static_cast<ErrorKind>(i), "message");
    EXPECT_EQ(thrown_again(error), error.kind()) << to_string(error.kind());
  }
}

TEST(Error, AKindOfAnotherVersionAndForeignExceptionsAreInternal) {
  EXPECT_EQ(error_kind_from_string("out_of_cheese"), ErrorKind::internal);
  EXPECT_EQ(kind_of(std::runtime_error("")), ErrorKind::internal);
  EXPECT_EQ(kind_of(ExpressionError("", 1)), ErrorKind::expression);
}

}  // namespace
}  // namespace warptune::search
