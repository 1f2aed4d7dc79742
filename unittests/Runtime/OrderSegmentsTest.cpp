//===- OrderSegmentsTest.cpp - Segments of one length side by side --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using Order = std::vector<uint8_t>;

/// Runs iterations 0 to `count` in parts, each in one call of `body`.
ember_error runInParts(int64_t count,
                       std::function<void(const ember_range &)> body) {
  static auto packed = [](void **args) {
    ember_loop loop = {
        0, *static_cast<int64_t *>(args[1]), 1, 1, 0, nullptr, 0, 0, 0, 0};
    ember_parallel(
        [](void *env, const ember_range *ranges) {
          (*static_cast<std::function<void(const ember_range &)> *>(env))(
              *ranges);
        },
        args[0], &loop, 1);
  };
  void *args[] = {&body, &count};
  ember_error error;
  ember_invoke([](void **arguments) { packed(arguments); }, args, &error);
  return error;
}

template <typename Offset>
Order orderOf(const std::vector<Offset> &offsets, int64_t first,
              int64_t count) {
  Order order(count);
  ember_order_segments(offsets.data(), sizeof(Offset), sizeof(Offset), first,
                       offsets.size(), count, order.data());
  return order;
}

template <typename Offset>
Order orderInBody(const std::vector<Offset> &offsets, int64_t first,
                  int64_t count) {
  Order order;
  ember_error error = runInParts(
      1, [&](const ember_range &) { order = orderOf(offsets, first, count); });
  EXPECT_EQ(error.code, EMBER_OK);
  return order;
}

Order natural(int64_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

template <typename Offset> std::vector<Offset> shortSegments(int64_t count) {
  std::mt19937 random(count);
  std::vector<Offset> offsets = {0};
  while (int64_t(offsets.size()) <= count)
    offsets.push_back(offsets.back() + random() % 7);
  return offsets;
}

class OrderSegmentsTest : public testing::Test {
protected:
  void configure(int32_t threads) {
    ember_config config = {EMBER_DEFAULT_QUEUE_CAPACITY, EMBER_SCHEDULE_THREADS,
                           threads, /*workOfThread=*/1};
    ember_configure(&config);
  }
  ~OrderSegmentsTest() override { ember_configure(nullptr); }
};

} // namespace

/// By length; segments of one length as they were.
template <typename Offset> static void checkSorted(int64_t count) {
  std::vector<Offset> offsets = shortSegments<Offset>(count + 3);
  Order expected = natural(count);
  auto place = [&](int64_t segment) {
    return std::pair(offsets[segment + 4] - offsets[segment + 3], segment);
  };
  std::sort(expected.begin(), expected.end(),
            [&](int64_t a, int64_t b) { return place(a) < place(b); });
  EXPECT_EQ(orderInBody(offsets, 3, count), expected);
}

TEST_F(OrderSegmentsTest, SortsByLength) {
  for (int64_t count = 1; count <= EMBER_ORDERED_ITERATIONS; count += 15) {
    checkSorted<int32_t>(count);
    checkSorted<int64_t>(count);
  }
}

TEST_F(OrderSegmentsTest, FollowsTheStride) {
  std::vector<int32_t> sparse = {0, 9, 5, 9, 6, 9, 9, 9};
  Order order(3);
  runInParts(1, [&](const ember_range &) {
    ember_order_segments(sparse.data(), 4, 8, 0, 4, 3, order.data());
  });
  EXPECT_EQ(order, (Order{1, 2, 0}));
}

TEST_F(OrderSegmentsTest, LongSegmentsKeepTheirOrder) {
  std::vector<int64_t> offsets = {0, 40, 60, 90, 91};
  EXPECT_EQ(orderInBody(offsets, 0, 4), natural(4));
}

/// No read leaves the offsets, and every iteration has a place.
TEST_F(OrderSegmentsTest, OddOffsets) {
  std::vector<int64_t> few = {0, 2, 3};
  EXPECT_EQ(orderInBody(few, 0, 3), natural(3));
  EXPECT_EQ(orderInBody(few, -1, 2), natural(2));
  EXPECT_EQ(orderInBody(few, INT64_MAX, 2), natural(2));
  for (std::vector<int64_t> offsets :
       {std::vector<int64_t>{9, 3, 7, 1, 9},
        std::vector<int64_t>{0, INT64_MIN, INT64_MAX, -1, 3}}) {
    Order order = orderInBody(offsets, 0, 4);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, natural(4));
  }
}

/// There nothing could find the first error.
TEST_F(OrderSegmentsTest, OutsideOfPartsNothingMoves) {
  std::vector<int64_t> offsets = shortSegments<int64_t>(50);
  EXPECT_EQ(orderOf(offsets, 0, 50), natural(50));
}

TEST_F(OrderSegmentsTest, TheFirstFailureIsReported) {
  constexpr int64_t count = 200;
  std::vector<int64_t> offsets = shortSegments<int64_t>(count);
  for (int32_t threads : {1, 2, 5}) {
    configure(threads);
    for (int32_t round = 0; round < 50; ++round) {
      std::atomic<int32_t> calls = 0;
      ember_error error = runInParts(count, [&](const ember_range &range) {
        ++calls;
        Order order = orderOf(offsets, range.lower, range.upper - range.lower);
        for (uint8_t place : order)
          if (int64_t i = range.lower + place; i >= 60)
            ember_fail_message(std::to_string(i).c_str());
      });
      EXPECT_EQ(error.code, EMBER_ASSERT);
      EXPECT_STREQ(error.message, "60");
      EXPECT_GE(calls, 2); // once more in order
    }
  }
}
