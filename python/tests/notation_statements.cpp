//===- notation_statements.cpp - Statements by Notation.h -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates statements, and prints results or the kind of an exception, one a
// line; test_notation_cpp.py knows what they have to be.
//
//===----------------------------------------------------------------------===//

#include "ember/Notation.h"

#include <iostream>

using namespace ember;

template <typename T> static void print(const Array<T> &array) {
  for (T value : array.values())
    std::cout << value << " ";
  std::cout << "\n";
}

template <typename Body> static void report(Body body) {
  try {
    body();
    std::cout << "no error\n";
  } catch (const StatementError &error) {
    std::cout << "StatementError: " << error.what();
  } catch (const KernelError &error) {
    std::cout << "KernelError: " << error.what() << "\n";
  } catch (const ArgumentError &error) {
    std::cout << "ArgumentError: " << error.what() << "\n";
  } catch (const LibraryError &error) {
    std::cout << "LibraryError: " << error.what() << "\n";
  }
}

int main(int count, char **) {
  IndexVar i, j, p("p");
  Array<float> A("A", {3, 4}, "csr"), x("x", {4}), y("y", {3});
  A.getPart("positions1") = {0, 2, 2, 3};
  A.getPart("coordinates1") = {0, 3, 1};
  A.values() = {1, 2, 3};
  x.values() = {1, 2, 3, 4};
  if (count > 1) {
    report([&] { y(i) = x(i); });
    return 0;
  }
  y(i) = sum(j, A(i, j) * x(j));
  print(y);
  y(i) += 2.5f * y(i) - 1;
  print(y);
  Array<int64_t> I("I", {4});
  I.values() = {2, 0, 2, 1};
  y(I(p)) += x(p);
  print(y);
  y(i) = reduce("max", {j}, call("where", x(j) < 3, x(j), -x(j)) + i);
  print(y);
  Array<int64_t> offsets("offsets", {4});
  offsets.values() = {0, 1, 1, 4};
  y(i) = sum(Range(p, offsets(i), offsets(i + 1)), x(p));
  print(y);
  Array<double> total("total", {});
  total() = sum({Range(i), Range(j)}, A(i, j));
  print(total);
  report([&] { y(i) = x(i, j); });
  report([&] { y(I(p)) = x(p); });
  I.values() = {2, 0, 9, 1};
  report([&] { y(I(p)) += x(p); });
  Array<float> other("x", {4});
  report([&] { y(i) = x(i) + other(i); });
  Array<float> B("B", {3, 4}, "csr");
  report([&] { y(i) = sum(j, B(i, j)); });
  report([&] { y(i) = x(i); });
}
