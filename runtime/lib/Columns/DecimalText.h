//===- DecimalText.h - Integers as decimal text -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_COLUMNS_DECIMALTEXT_H
#define EMBER_RUNTIME_COLUMNS_DECIMALTEXT_H

#include <cstddef>
#include <cstdint>

namespace ember::columns {

/// The decimal text of a number, which begins with '-' below 0.
class DecimalText {
public:
  explicit DecimalText(int64_t number) {
    bool isNegative = number < 0;
    auto rest = static_cast<uint64_t>(number);
    if (isNegative)
      rest = 0 - rest;
    do {
      *--first = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest);
    if (isNegative)
      *--first = '-';
  }
  DecimalText(const DecimalText &) = delete;
  DecimalText &operator=(const DecimalText &) = delete;

  const char *begin() const { return first; }
  size_t size() const {
    return static_cast<size_t>(characters + longest - first);
  }

private:
  /// That of -2**63.
  static constexpr size_t longest = 20;

  char characters[longest];
  char *first = characters + longest;
};

} // namespace ember::columns

#endif // EMBER_RUNTIME_COLUMNS_DECIMALTEXT_H
