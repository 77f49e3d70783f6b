#include "search/expression/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warptune::search {
namespace {

Value evaluate(std::string_view text, const NamedValues& values = {}) {
  return Expression::parse(text).evaluate(values);
}

// `text` evaluates to what Python 3.11 printed for it, type included.
void expect(std::string_view text, const Value& expected) {
  SCOPED_TRACE(text);
  const Value got = evaluate(text, {{"x", std::int64_t{7}}, {"y", -2.5}, {"s", std::string("fp16")}, {"t", true}});
  EXPECT_EQ(got.index(), expected.index());
  EXPECT_EQ(to_text(got), to_text(expected));
}

std::int64_t whole(std::int64_t number) {
  return number;
}

std::size_t error_column(std::string_view text) {
  try {
    evaluate(text, {{"x", std::int64_t{7}}, {"s", std::string("fp16")}});
  } catch (const ExpressionError& error) {
    return error.column();
  }
  return 0;
}

TEST(Expression, IntegerDivisionFloorsAndTheRemainderTakesTheDivisorsSign) {
  expect("7 // 2", whole(3));
  expect("-7 // 2", whole(-4));
  expect("7 // -2", whole(-4));
  expect("-7 // -2", whole(3));
  expect("7 % 3", whole(1));
  expect("-7 % 3", whole(2));
  expect("7 % -3", whole(-2));
  expect("-7 % -3", whole(-1));
  expect("-6 % 3", whole(0));
}

TEST(Expression, FloatDivisionFollowsPythonToo) {
  expect("7 / 2", 3.5);
  expect("6 / 2", 3.0);
  expect("1 // 0.1", 9.0);
  expect("1 % 0.1", 0.09999999999999995);
  expect("-1 % 0.1", 5.551115123125783e-17);
  expect("-7.5 // 2", -4.0);
  expect("-7.5 % 2", 0.5);
  expect("7.5 % -2", -0.5);
  expect("-0.0 // 1", -0.0);
  expect("5.5 // 0.5", 11.0);
  expect("7.5 // 7", 1.0);
}

// The quotient is whole but for rounding, which may leave it just below the whole number or half-way between two.
TEST(Expression, FloorDivisionTakesTheWholeNumberThatRoundingMissed) {
  expect("2227.834996429894 // 2.4585290589135336", 906.0);
  expect("-5124.814003441684 // 2.6879575373719287", -1907.0);
  expect("4503750339390399.0 // 1.64", 2746189231335608.0);
}

TEST(Expression, PowersBindRightToLeftAndTighterThanASignBefore) {
  expect("2 ** 10", whole(1024));
  expect("2 ** 3 ** 2", whole(512));
  expect("-2 ** 2", whole(-4));
  expect("(-2) ** 63", std::numeric_limits<std::int64_t>::min());
  expect("2 ** -1", 0.5);
  expect("0 ** 0", whole(1));
  expect("4 ** 0.5", 2.0);
  expect("2 ** -x", 0.0078125);
}

TEST(Expression, ComparisonsChainAndComputeTheMiddleOnce) {
  expect("1 < 2 < 3", true);
  expect("1 < 3 < 2", false);
  expect("3 > 2 >= 2 != 1", true);
  expect("32 <= x * 8 <= 1024", true);
  expect("1 == 1.0 == True", true);
  expect("1 < 2 == 2", true);
  expect("(1 < 2) == 2", false);
  expect("1 < x in [7, 8]", true);
}

TEST(Expression, AChainStopsAtTheFirstFalseLink) {
  expect("2 < 1 < 1 // 0", false);
}

TEST(Expression, LogicReturnsTheDecidingOperand) {
  expect("0 or 5", whole(5));
  expect("3 or 1 // 0", whole(3));
  expect("3 and 5", whole(5));
  expect("0 and 1 // 0", whole(0));
  expect("'' or s", std::string("fp16"));
  expect("not 0", true);
  expect("not not 2", true);
  expect("x == 7 && !(x == 8) || 1 // 0", true);
  expect("not x == 8", true);
  expect("!x == false", true);
  expect("1 or 0 and 0", whole(1));
}

TEST(Expression, OnlyTheChosenBranchIsEvaluated) {
  expect("1 if x else 1 // 0", whole(1));
  expect("1 // 0 if not x else 2", whole(2));
  expect("1 if 0 else 2 if 0 else 3", whole(3));
  expect("(x if t else s) if x > 3 and y < 0 else 0", whole(7));
}

TEST(Expression, MembershipComparesByValue) {
  expect("x in [1, 7]", true);
  expect("x not in [1, 7]", false);
  expect("x in []", false);
  expect("s in ['fp32', 'fp16']", true);
  expect("1 in [True]", true);
  expect("s in [16, 'fp']", false);
  expect("x in (7.0, 1)", true);
  expect("not x in [1, 2,]", true);
}

TEST(Expression, BooleansAreNumbersAndStringsCompare) {
  expect("True + True", whole(2));
  expect("+t", whole(1));
  expect("-t", whole(-1));
  expect("s == \"fp16\"", true);
  expect("s != 16", true);
  expect("s < 'fp32'", true);
  expect("'it\\'s' == \"it's\"", true);
}

TEST(Expression, IntegersAreComparedExactlyWithDoubles) {
  expect("9007199254740993 == 9007199254740992.0", false);
  expect("9007199254740993 > 9007199254740992.0", true);
  expect("9223372036854775807 < 1e19", true);
}

TEST(Expression, FunctionsKeepPythonsTypes) {
  expect("min(3, 2.0, 5)", 2.0);
  expect("max(2, 2.0)", whole(2));
  expect("abs(-3)", whole(3));
  expect("abs(y)", 2.5);
  expect("ceil(y)", whole(-2));
  expect("floor(y)", whole(-3));
  expect("log2(8)", 3.0);
  expect("ceildiv(7, 2)", whole(4));
  expect("ceildiv(-7, 2)", whole(-3));
  expect("ceildiv(7.0, 2)", 4.0);
  expect("is_pow2(64)", true);
  expect("is_pow2(0)", false);
  expect("is_pow2(48)", false);
  expect("round_up(33, 32)", whole(64));
  expect("0x1F", whole(31));
  expect("1e-3", 0.001);
  expect(".5", 0.5);
}

TEST(Expression, OverflowIsAnErrorAndNeverWraps) {
  for (const char* text : {"9223372036854775807 + 1", "-9223372036854775807 - 2", "4294967296 * 4294967296", "2 ** 63",
                           "-(-9223372036854775807 - 1)", "(-9223372036854775807 - 1) // -1", "10.0 ** 400",
                           "abs(-9223372036854775807 - 1)", "round_up(9223372036854775807, 2)", "ceil(1e300)"})
    EXPECT_THROW(evaluate(text), ExpressionError) << text;
  expect("(-9223372036854775807 - 1) % -1", whole(0));
}

TEST(Expression, WhatHasNoValueIsAnErrorAtItsColumn) {
  EXPECT_EQ(error_column("1 + 2 // 0"), 7u);
  EXPECT_EQ(error_column("x % (x - 7)"), 3u);
  EXPECT_EQ(error_column("x + nope"), 5u);
  EXPECT_EQ(error_column("x * s"), 3u);
  EXPECT_EQ(error_column("x < s"), 3u);
  EXPECT_EQ(error_column("log2(0)"), 1u);
  EXPECT_EQ(error_column("1 + (-8) ** 0.5"), 10u);
}

TEST(Expression, SyntaxErrorsPointAtTheColumn) {
  EXPECT_EQ(error_column(""), 1u);
  EXPECT_EQ(error_column("x +"), 4u);
  EXPECT_EQ(error_column("x = 7"), 3u);
  EXPECT_EQ(error_column("(x + 1"), 7u);
  EXPECT_EQ(error_column("x y"), 3u);
  EXPECT_EQ(error_column("x & 1"), 3u);
  EXPECT_EQ(error_column("x not 7"), 7u);
  EXPECT_EQ(error_column("1 if x"), 7u);
  EXPECT_EQ(error_column("x in 7"), 6u);
  EXPECT_EQ(error_column("sin(x)"), 1u);
  EXPECT_EQ(error_column("min(x)"), 1u);
  EXPECT_EQ(error_column("'abc"), 1u);
  EXPECT_EQ(error_column("9223372036854775808"), 1u);
  EXPECT_EQ(error_column("007"), 1u);
  EXPECT_EQ(error_column("3x"), 2u);
  EXPECT_EQ(error_column("0x"), 1u);
  EXPECT_EQ(error_column("x + \xc3\xa9"), 5u);
}

TEST(Expression, DeepNestingIsRefusedInsteadOfOverflowingTheStack) {
  for (const char* piece : {"(", "-", "not ", "1 if 1 else ", "2 ** ", "min(1, ", "x in ["}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += piece;
    EXPECT_THROW(Expression::parse(text), ExpressionError) << piece;
  }
}

TEST(Expression, LongFlatFormulasAreFine) {
  std::string text = "0";
  for (int i = 0; i < 10'000; ++i) text += " + 1";
  expect(text, whole(10'000));
}

TEST(Expression, NamesAppearOnceInOrderOfAppearance) {
  EXPECT_EQ(Expression::parse("b * a + (c if a else b) + max(d, a)").names(),
            (std::vector<std::string>{"b", "a", "c", "d"}));
}

TEST(Expression, AFunctionNameMayNameAParameter) {
  EXPECT_EQ(to_text(evaluate("min + 1", {{"min", std::int64_t{4}}})), "5");
}

TEST(Expression, ToIntegerTakesWholeDoublesOnly) {
  EXPECT_EQ(to_integer(Value(8.0)), 8);
  EXPECT_THROW(to_integer(Value(8.5)), std::invalid_argument);
  EXPECT_THROW(to_integer(Value(std::string("8"))), std::invalid_argument);
  EXPECT_THROW(to_integer(Value(std::nan(""))), std::invalid_argument);
}

TEST(Expression, ANameMaySayWhatItIsOf) {
  const Expression twice = Expression::parse("2 * counter.dram_bytes");
  EXPECT_EQ(twice.names(), std::vector<std::string>{"counter.dram_bytes"});
  EXPECT_EQ(to_double(twice.evaluate(NamedValues{{"counter.dram_bytes", 4.0}})), 8);
  for (const char* wrong : {"counter.", ".counter", "counter..bytes", "counter.2", "counter. bytes"})
    EXPECT_THROW(Expression::parse(wrong), ExpressionError) << wrong;
}

}  // namespace
}  // namespace warptune::search
