//===- ColumnsTest.cpp - From raw features to ids -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What values texts have is tested against TensorFlow's by
// python/tests/test_columns.py; here are the places that functions read and
// write.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Columns.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

/// Texts whose bytes end where memory ends, as an address sanitizer sees it.
class Texts {
public:
  explicit Texts(const std::vector<std::string> &texts) {
    std::string all;
    for (const std::string &text : texts) {
      starts.push_back(static_cast<int64_t>(all.size()));
      all += text;
      ends.push_back(static_cast<int64_t>(all.size()));
    }
    bytes = std::make_unique<char[]>(all.size());
    all.copy(bytes.get(), all.size());
    view = {bytes.get(), starts.data(), ends.data(),
            static_cast<int64_t>(texts.size())};
  }

  const ember_texts *get() const { return &view; }

private:
  std::unique_ptr<char[]> bytes;
  std::vector<int64_t> starts, ends;
  ember_texts view;
};

std::string drawText(std::mt19937_64 &random, size_t length) {
  std::string text(length, '\0');
  for (char &c : text)
    c = static_cast<char>(random());
  return text;
}

TEST(Columns, FingerprintsReadTheTextAlone) {
  std::mt19937_64 random(3);
  const uint64_t key[] = {1, 2};
  for (size_t length = 0; length < 200; ++length) {
    std::string text = drawText(random, length);
    uint64_t alone[2], among[2], sip[2];
    ember_col_fingerprint_texts(Texts({text}).get(), alone);
    ember_col_fingerprint_texts(Texts({"before", text}).get(), among);
    EXPECT_EQ(alone[0], among[1]) << length;
    ember_col_sip_hash_texts(key, Texts({text}).get(), sip);
    EXPECT_NE(sip[0], alone[0]) << length;
  }
}

TEST(Columns, IntegersAreTheirDecimalTexts) {
  std::mt19937_64 random(4);
  std::vector<int64_t> numbers = {0, -1, std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max()};
  for (int64_t power = 1; power <= 1000000000000000000 / 10; power *= 10)
    for (int64_t number : {power - 1, power, -power, 1 - power})
      numbers.push_back(number);
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(static_cast<int64_t>(random()) >> random() % 64);
  std::vector<std::string> spelled;
  for (int64_t number : numbers)
    spelled.push_back(std::to_string(number));
  std::vector<uint64_t> found(numbers.size()), expected(numbers.size());
  ember_col_fingerprint_integers(
      numbers.data(), static_cast<int64_t>(numbers.size()), found.data());
  ember_col_fingerprint_texts(Texts(spelled).get(), expected.data());
  EXPECT_EQ(found, expected);
}

TEST(Columns, PartsAreCountedAndThenWritten) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> given;
    given.resize(random() % 5);
    for (std::string &text : given) {
      text.resize(random() % 9);
      for (char &c : text)
        c = "ab ,\t"[random() % 5];
    }
    std::string separator = std::string(",a,").substr(0, random() % 4);
    Texts texts(given);
    auto length = static_cast<int64_t>(separator.size());
    int64_t count = ember_col_split(texts.get(), separator.data(), length,
                                    nullptr, nullptr, nullptr);
    std::vector<int64_t> offsets(given.size() + 1), starts(count), ends(count);
    ASSERT_EQ(ember_col_split(texts.get(), separator.data(), length,
                              offsets.data(), starts.data(), ends.data()),
              count);
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), count);
    for (size_t i = 0; i < given.size(); ++i) {
      // Joined again, they are what they were: of white space, all but that.
      std::string joined, expected;
      for (int64_t part = offsets[i]; part < offsets[i + 1]; ++part) {
        if (part > offsets[i])
          joined += separator;
        joined.append(texts.get()->bytes + starts[part],
                      texts.get()->bytes + ends[part]);
      }
      for (char c : given[i])
        if (!separator.empty() || (c != ' ' && c != '\t'))
          expected += c;
      EXPECT_EQ(joined, expected) << '"' << given[i] << '"';
    }
  }
}

TEST(Columns, CrossesTakeTheLastListFirst) {
  const uint64_t first[] = {1, 2, 3}, second[] = {4, 5, 6, 7};
  const int64_t firstOffsets[] = {0, 2, 2, 3}, secondOffsets[] = {0, 2, 3, 4};
  const uint64_t *values[] = {first, second};
  const int64_t *offsets[] = {firstOffsets, secondOffsets};
  constexpr uint64_t key = 7, buckets = 1000;
  int64_t found[5];
  ember_col_cross(values, offsets, 2, 3, key, buckets, found);
  const uint64_t pairs[][2] = {{1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 7}};
  for (size_t i = 0; i < 5; ++i) {
    const uint64_t *one[] = {&pairs[i][0], &pairs[i][1]};
    const int64_t whole[] = {0, 1};
    const int64_t *wholes[] = {whole, whole};
    int64_t alone = -1;
    ember_col_cross(one, wholes, 2, 1, key, buckets, &alone);
    EXPECT_EQ(found[i], alone) << i;
  }
}

} // namespace
