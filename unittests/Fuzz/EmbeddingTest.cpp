//===- EmbeddingTest.cpp - What embedding operations compute --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluator's results on operands small enough to compute by hand.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace ember::fuzz;

namespace {

/// One operation with its operands.
class Call {
public:
  explicit Call(Embedding::Kind kind) { embedding.kind = kind; }

  Call &with(Role role, Scalar element, std::vector<int64_t> shape,
             const std::vector<double> &numbers) {
    auto storage = std::make_shared<Storage>();
    for (double number : numbers)
      storage->bits.push_back(
          isFloat(element)
              ? encodeFloat(element, number)
              : truncateBits(element, static_cast<uint64_t>(
                                          static_cast<int64_t>(number))));
    storage->isWritten.assign(numbers.size(), true);
    embedding.roles.push_back(role);
    operands.push_back({element, 0, contiguousView(storage, std::move(shape))});
    return *this;
  }
  Call &floats(Role role, std::vector<int64_t> shape,
               const std::vector<double> &numbers) {
    return with(role, Scalar::F32, std::move(shape), numbers);
  }
  Call &indices(Role role, const std::vector<double> &numbers) {
    return with(role, Scalar::I32, {static_cast<int64_t>(numbers.size())},
                numbers);
  }
  Call &scalar(Role role, Scalar element, uint64_t bits) {
    embedding.roles.push_back(role);
    operands.push_back({element, bits, {}});
    return *this;
  }
  Call &out(std::vector<int64_t> shape, Scalar element = Scalar::F32) {
    auto count = static_cast<size_t>(elementCount(shape));
    return with(Role::Init, element, std::move(shape),
                std::vector<double>(count, NAN));
  }

  std::optional<Fault> run() {
    return EmbeddingEvaluator(embedding, operands).run();
  }
  std::vector<double> results() {
    EXPECT_FALSE(run());
    std::vector<double> numbers;
    const EmbeddingOperand &init = operands.back();
    for (uint64_t bits : init.view.storage->bits)
      numbers.push_back(decodeFloat(init.element, bits));
    return numbers;
  }
  Fault::Kind fault() {
    std::optional<Fault> found = run();
    EXPECT_TRUE(found);
    return found ? found->kind : Fault::Generator;
  }

  Embedding embedding;

private:
  std::vector<EmbeddingOperand> operands;
};

using Numbers = std::vector<double>;

Call bag(Embedding::Reduction reduction) {
  Call call(Embedding::Bag);
  call.embedding.reduction = reduction;
  call.floats(Role::Table, {3, 2}, {1, 2, 10, 20, -5, NAN});
  call.indices(Role::Indices, {0, 1, 1, 2});
  return call;
}

TEST(Bag, reducesItsRowsAndSkipsPadding) {
  EXPECT_EQ(bag(Embedding::Sum)
                .indices(Role::Segments, {0, 3, 3})
                .out({2, 2})
                .results(),
            (Numbers{21, 42, 0, 0}));
  EXPECT_EQ(bag(Embedding::Mean)
                .indices(Role::Segments, {0, 3})
                .scalar(Role::Padding, Scalar::Index, 0)
                .out({1, 2})
                .results(),
            (Numbers{10, 20}));
  EXPECT_EQ(bag(Embedding::Mean)
                .indices(Role::Segments, {0, 2})
                .floats(Role::Weights, {4}, {3, 0.5, 7, 7})
                .out({1, 2})
                .results(),
            (Numbers{4, 8}));
}

TEST(Bag, maxKeepsANaNOnlyWhereItComesFirst) {
  Numbers later =
      bag(Embedding::Max).indices(Role::Segments, {1, 4}).out({1, 2}).results();
  EXPECT_EQ(later, (Numbers{10, 20}));
  Call first(Embedding::Bag);
  first.embedding.reduction = Embedding::Max;
  Numbers row = first.floats(Role::Table, {2, 1}, {NAN, 1})
                    .indices(Role::Indices, {0, 1})
                    .indices(Role::Segments, {0, 2})
                    .out({1, 1})
                    .results();
  EXPECT_TRUE(std::isnan(row[0]));
}

TEST(Bag, takesTheSegmentsOfOneTableAfterTheOther) {
  Call call(Embedding::Bag);
  call.embedding.segments = Embedding::Lengths;
  call.floats(Role::Table, {1, 1}, {1}).floats(Role::Table, {1, 2}, {10, 20});
  call.indices(Role::Indices, {0, 0, 0}).indices(Role::Segments, {1, 0, 0, 2});
  EXPECT_EQ(call.out({2, 3}).results(), (Numbers{1, 0, 0, 0, 20, 40}));
}

TEST(Bag, openOffsetsEndWithTheIndices) {
  Call call = bag(Embedding::Sum);
  call.embedding.segments = Embedding::OpenOffsets;
  EXPECT_EQ(call.indices(Role::Segments, {0, 1}).out({2, 2}).results()[2], 15);
}

TEST(Bag, decodesRows) {
  Call call(Embedding::Gather);
  call.embedding.format = {ember::cin::findRowEncoding("int4"),
                           ember::cin::findRowParameters("f16"), true};
  // Scale 2 (0x4000), bias -1 (0xbc00), elements 1, 15, 4.
  call.with(Role::Source, Scalar::I8, {1, 6},
            {0x00, 0x40, 0x00, 0xbc, 0xf1, 0x04});
  call.with(Role::Blocks, Scalar::I64, {1, 1}, {0});
  EXPECT_EQ(call.out({1, 1, 3}).results(), (Numbers{1, 29, 7}));

  Call eight(Embedding::Gather);
  eight.embedding.format = {ember::cin::findRowEncoding("e4m3"), nullptr,
                            false};
  eight.with(Role::Source, Scalar::I8, {1, 4}, {0x38, 0x7e, 0x81, 0x7f});
  eight.with(Role::Blocks, Scalar::I64, {1, 1}, {0});
  Numbers row = eight.out({1, 1, 4}, Scalar::F64).results();
  EXPECT_EQ(Numbers(row.begin(), row.end() - 1), (Numbers{1, 448, -0x1p-9}));
  EXPECT_TRUE(std::isnan(row[3]));
}

TEST(Bag, scalesBlocksOfRows) {
  // 34 elements of 1.5, two blocks: scales 2^-127 and 2^2, then NaN.
  std::vector<double> row(34, 0x3c), last = row;
  row.insert(row.end(), {0, 129});
  last.insert(last.end(), {127, 255});
  row.insert(row.end(), last.begin(), last.end());
  Call call(Embedding::Gather);
  call.embedding.format = {ember::cin::findRowEncoding("e4m3"),
                           ember::cin::findRowParameters("f8E8M0FNU"), false};
  call.with(Role::Source, Scalar::I8, {2, 36}, row);
  call.with(Role::Blocks, Scalar::I64, {1, 2}, {0, 1});
  Numbers decoded = call.out({1, 2, 34}, Scalar::F64).results();
  EXPECT_EQ(decoded[0], 0x1.8p-127);
  EXPECT_EQ(decoded[31], 0x1.8p-127);
  EXPECT_EQ(decoded[32], 6);
  EXPECT_EQ(decoded[34], 1.5);
  EXPECT_TRUE(std::isnan(decoded[67]));
}

TEST(Bag, roundsSumsOfHalfTypesOnce) {
  Call call(Embedding::Bag);
  call.with(Role::Table, Scalar::F16, {2, 1}, {2048, 1});
  call.indices(Role::Indices, {0, 1, 1}).indices(Role::Segments, {0, 3});
  EXPECT_EQ(call.out({1, 1}, Scalar::F16).results(), (Numbers{2050}));
}

TEST(Bag, saysWhatIsWrong) {
  Call index = bag(Embedding::Sum);
  index.indices(Role::Segments, {0, 5}).out({1, 2});
  EXPECT_EQ(index.fault(), Fault::Index);
  Call segment = bag(Embedding::Sum);
  segment.indices(Role::Segments, {2, 1}).out({1, 2});
  EXPECT_EQ(segment.fault(), Fault::Segment);
  Call size = bag(Embedding::Sum);
  size.indices(Role::Segments, {0, 1}).out({2, 2});
  EXPECT_EQ(size.fault(), Fault::Assertion);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(Graph, edgesAreGivenByPositionsOrRows) {
  for (bool isCoordinates : {false, true}) {
    Call call(Embedding::SpMM);
    call.embedding.isCoordinates = isCoordinates;
    call.indices(Role::Rows,
                 isCoordinates ? Numbers{0, 2, 2} : Numbers{0, 1, 1, 3});
    call.indices(Role::Columns, {1, 0, 1});
    call.floats(Role::Values, {3}, {2, 3, 4});
    call.floats(Role::Dense, {2, 1}, {10, 100});
    EXPECT_EQ(call.out({3, 1}).results(), (Numbers{200, 0, 430}));
  }
}

TEST(Graph, edgesPassOnWhatTheirEndsGive) {
  Call call(Embedding::SDDMM);
  call.embedding.edge = StepFunction::Sub;
  call.embedding.activation = StepFunction::Relu;
  call.indices(Role::Rows, {0, 2}).indices(Role::Columns, {0, 1});
  call.floats(Role::Values, {2}, {2, 2});
  call.floats(Role::Left, {1, 2}, {5, 1});
  call.floats(Role::Right, {2, 2}, {1, 1, 9, 0});
  call.scalar(Role::Scale, Scalar::F32, encodeFloat(Scalar::F32, 10));
  EXPECT_EQ(call.out({2}).results(), (Numbers{80, 0}));
}

TEST(Graph, messagesAreScaledByEdgesOrElements) {
  for (bool isVector : {false, true}) {
    Call call(Embedding::Message);
    call.embedding.isVector = isVector;
    call.embedding.combining = StepFunction::Larger;
    call.indices(Role::Rows, {0, 2}).indices(Role::Columns, {0, 1});
    call.floats(Role::Left, {1, 2}, {2, 3});
    call.floats(Role::Right, {2, 2}, {1, 1, -1, 2});
    call.floats(Role::Messages, {2, 2}, {10, 10, 1, 20});
    EXPECT_EQ(call.out({1, 2}).results(),
              (isVector ? Numbers{20, 120} : Numbers{50, 80}));
  }
}

TEST(Graph, stepsAreFunctionsInOrder) {
  Call call(Embedding::Message);
  call.embedding.edge = StepFunction::Distance;
  call.embedding.total = StepFunction::Max;
  call.embedding.activation = StepFunction::Halve;
  call.embedding.weighting = StepFunction::Sub;
  call.embedding.combining = StepFunction::Distance;
  call.indices(Role::Rows, {0, 2, 2}).indices(Role::Columns, {0, 1});
  call.floats(Role::Left, {2, 2}, {2, 3, 0, 0});
  call.floats(Role::Right, {2, 2}, {8, 5, 2, 1});
  call.floats(Role::Messages, {2, 1}, {10, 30});
  // |(10 - 6 / 2) - (30 - 2 / 2)|, and of no edges 0.
  EXPECT_EQ(call.out({2, 1}).results(), (Numbers{22, 0}));
}

//===----------------------------------------------------------------------===//
// Scores and blocks
//===----------------------------------------------------------------------===//

double score(Embedding::Model model, int64_t norm) {
  Call call(Embedding::Score);
  call.embedding.model = model;
  call.embedding.norm = norm;
  // As complex numbers: 1 + 2i, 3 - i; and a quarter turn.
  call.floats(Role::Entities, {2, 2}, {1, 2, 3, -1});
  if (model == Embedding::RotatE)
    call.floats(Role::Relations, {1, 1}, {std::acos(0.0)});
  else
    call.floats(Role::Relations, {1, 2}, {0, 1});
  call.indices(Role::Heads, {0}).indices(Role::Types, {0});
  return call.indices(Role::Tails, {1}).out({1}).results()[0];
}

TEST(Score, followsItsModel) {
  EXPECT_EQ(score(Embedding::TransE, 1), -6);
  EXPECT_NEAR(score(Embedding::TransE, 2), -std::sqrt(20), 1e-6);
  EXPECT_EQ(score(Embedding::DistMult, 1), -2);
  // (1 + 2i) * i * (3 + i) = -7 + i.
  EXPECT_EQ(score(Embedding::ComplEx, 1), -7);
  // (1 + 2i) * i - (3 - i) = -5 + 2i.
  EXPECT_NEAR(score(Embedding::RotatE, 1), -std::sqrt(29), 1e-5);
  EXPECT_NEAR(score(Embedding::RotatE, 2), -std::sqrt(29), 1e-5);
}

TEST(Blocks, areGatheredAndMultiplied) {
  Call gather(Embedding::Gather);
  gather.embedding.blockSize = 2;
  gather.floats(Role::Source, {4, 1}, {1, 2, 3, 4});
  gather.with(Role::Blocks, Scalar::I64, {1, 2}, {1, 0});
  EXPECT_EQ(gather.out({1, 4, 1}).results(), (Numbers{3, 4, 1, 2}));

  Call scores(Embedding::BlockScores);
  scores.embedding.blockSize = 2;
  scores.floats(Role::Queries, {2, 1}, {1, 10});
  scores.floats(Role::Keys, {4, 1}, {1, 2, 3, 4});
  scores.with(Role::Blocks, Scalar::I64, {1, 1}, {1});
  scores.scalar(Role::Scale, Scalar::F32, encodeFloat(Scalar::F32, 0.5));
  EXPECT_EQ(scores.out({2, 2}).results(), (Numbers{1.5, 2, 15, 20}));

  Call values(Embedding::BlockValues);
  values.embedding.blockSize = 2;
  values.floats(Role::BlockWeights, {2, 2}, {1, 2, 0, 1});
  values.floats(Role::BlockRows, {4, 1}, {1, 2, 3, 4});
  values.with(Role::Blocks, Scalar::I64, {1, 1}, {1});
  EXPECT_EQ(values.out({2, 1}).results(), (Numbers{11, 4}));
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

std::vector<Approximate> asTerms(const Numbers &numbers) {
  std::vector<Approximate> terms;
  for (double number : numbers)
    terms.push_back({number, 0});
  return terms;
}

TEST(Bounds, sumsThatEveryOrderHasAreExact) {
  ApproximateArithmetic single(Scalar::F32);
  EXPECT_EQ(single.sum(asTerms({0.25, -3, 8, 0.75})).error, 0);
  // 2^24 + 1 is no f32.
  EXPECT_GE(single.sum(asTerms({0x1p24, 1, 1})).error, 2);
  EXPECT_EQ(
      ApproximateArithmetic(Scalar::F64).sum(asTerms({0x1p24, 1, 1})).error, 0);
  // The sign of zero is open.
  EXPECT_GT(single.sum(asTerms({1, -1})).error, 0);
}

TEST(Bounds, coverOtherOrders) {
  ApproximateArithmetic single(Scalar::F32);
  Numbers numbers;
  for (int i = 0; i < 33; ++i)
    numbers.push_back(static_cast<float>(std::sin(i * 7.0)));
  Approximate forward = single.sum(asTerms(numbers));
  Approximate backward =
      single.sum(asTerms(Numbers(numbers.rbegin(), numbers.rend())));
  EXPECT_NE(forward.value, backward.value);
  EXPECT_LE(std::fabs(forward.value - backward.value), forward.error);
  EXPECT_LT(forward.error, 1e-4);
}

TEST(Bounds, coverProductsThatAreNotRounded) {
  ApproximateArithmetic single(Scalar::F32);
  EXPECT_EQ(single.multiplyInSum({3, 0}, {0.5, 0}).error, 0);
  const double third = static_cast<float>(1.0 / 3);
  Approximate product = single.multiplyInSum({third, 0}, {third, 0});
  EXPECT_GE(product.error, std::fabs(third * third - product.value));
  EXPECT_GT(product.error, 0);
  EXPECT_EQ(single.multiplyInSum({1e30, 0}, {1e30, 0}).error,
            std::numeric_limits<double>::infinity());
}

TEST(Bounds, growWithWhatIsDoneWithThem) {
  ApproximateArithmetic single(Scalar::F32);
  EXPECT_EQ(single.multiply({3, 0}, {0.1, 0}).error, 0);
  EXPECT_GE(single.multiply({3, 0.5}, {2, 0}).error, 1);
  // Of a zero of either sign.
  EXPECT_GT(single.multiply({0, 0x1p-1074}, {0, 0x1p-1074}).error, 0);
  EXPECT_GE(single.squareRoot({0, 0.25}).error, 0.5);
  EXPECT_TRUE(std::isinf(single.exponential({200, 0}).error));
  double error;
  single.store(Scalar::F16, {1, 1e-9}, error);
  EXPECT_LT(error, 1e-9); // rounds to the same number
  single.store(Scalar::F16, {1, 1e-3}, error);
  EXPECT_GE(error, 0x1p-10);
}

} // namespace
