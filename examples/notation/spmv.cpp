//===- spmv.cpp - A kernel that CMake compiles ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies a matrix of three rows and four columns, which stores three
// numbers, by a vector.
//
//===----------------------------------------------------------------------===//

#include "spmv.h"

#include <iostream>

int main() {
  std::vector<int64_t> positions{0, 2, 2, 3}, coordinates{0, 3, 1};
  std::vector<float> values{1, 2, 3}, x{1, 2, 3, 4}, y(3);
  spmv(3, 4, positions, coordinates, values, x, y);
  for (float value : y)
    std::cout << value << " ";
  std::cout << "\n";
}
