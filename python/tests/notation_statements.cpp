//===- notation_statements.cpp - Statements by Notation.h -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates statements, and prints results or the kind of an exception, one a
// line; test_notation_cpp.py knows what they have to be. A word says which.
//
//===----------------------------------------------------------------------===//

#include "ember/Notation.h"

#include <fstream>
#include <functional>
#include <iostream>
#include <map>

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

static void evaluate() {
  IndexVar i, j, p("p");
  Array<float> A("A", {3, 4}, "csr"), x("x", {4}), y("y", {3});
  A.getPart("positions1") = {0, 2, 2, 3};
  A.getPart("coordinates1") = {0, 3, 1};
  A.values() = {1, 2, 3};
  x.values() = {1, 2, 3, 4};
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

static void evaluateBooleans() {
  IndexVar i, j;
  Array<float> x("x", {3}), y("y", {3});
  Array<bool> m("m", {3}), n("n", {3}), any("any", {});
  x.values() = {1, 2, 3};
  m.values() = {true, false, true};
  y(i) = call("where", m(i), x(i), -1);
  print(y);
  n(i) = x(i) < 3;
  print(n);
  y(i) = call("and", m(i), n(i)) + 2 * call("or", m(i), n(i)) +
         4 * call("not", n(i));
  print(y);
  any() = reduce("or", {j}, m(j));
  any().assign("and", x(0) > 1);
  print(any);
}

static void evaluateFormats() {
  IndexVar i;
  Array<float> y("y", {4}), b("b", {4}, "bitmap"),
      c("c", {4}, "compressed:i32");
  b.getPart("mask0") = {1, 0, 1, 1};
  b.values() = {1, 2, 3, 4};
  c.getPart("positions0") = {0, 2};
  c.getPart("coordinates0") = {1, 3};
  c.values() = {5, 6};
  y(i) = b(i) + c(i);
  print(y);
  c.getPart("coordinates0") = {1, int64_t(1) << 32};
  report([&] { y(i) = b(i) + c(i); });
  Array<float> result("result", {4}, "compressed"), E("E", {4}, "int8");
  report([&] { result(i) = b(i); });
  report([&] { y(i) = E(i); });
}

static void checkSizes() {
  IndexVar i;
  Array<float> x("x", {8}), y("y", {8});
  x.values() = {1, 2};
  report([&] { y(i) = x(i); });
  x.values().resize(8);
  y.values() = {1};
  report([&] { y(i) = x(i); });
  report([] { Array<float>("z", {int64_t(1) << 32, int64_t(1) << 32}); });
  report([] { Array<float>("z", {int64_t(1) << 62}); });
  report([] { Array<float>("z", {0, int64_t(1) << 32, int64_t(1) << 32}); });
}

static void useLocale() {
  struct Punctuation : std::numpunct<char> {
    std::string do_grouping() const override { return "\3"; }
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
  };
  std::locale::global(std::locale(std::locale(), new Punctuation));
  IndexVar i;
  Array<double> x("x", {1}), y("y", {1});
  y(i) = x(i) + 12345;
  print(y);
  y(i) = x(i) + 0.5;
  print(y);
}

static void useLocalVariables() {
  Array<float> x("i0", {2, 2}), y("i2", {2});
  x.values() = {1, 2, 3, 4};
  for (int count = 0; count < 3; ++count) {
    IndexVar unused, i, j;
    y(j) = sum({i}, x(i, j));
  }
  print(y);
  IndexVar i, j, k;
  Array<float> B("B", {2, 2, 2}), total("total", {});
  B.values() = {1, 2, 3, 4, 5, 6, 7, 8};
  total().assign("", sum({i, j, k}, B(i, j, k)),
                 {"--schedule=reorder(" + k.name + ")"});
  print(total);
}

/// A statement that cannot be compiled before `functions` is there.
static void retry(const std::string &functions) {
  IndexVar i;
  Array<float> x("x", {2}), y("y", {2}), z("z", {2});
  x.values() = {1, 2};
  auto evaluate = [&] {
    y(i).assign("", call("twice", x(i)), {"--functions=" + functions});
  };
  report(evaluate);
  z(i) = x(i) + 100;
  print(z);
  std::ofstream(functions) << "cin.function @twice(%x: f32) -> f32 {\n"
                              "  %y = arith.addf %x, %x : f32\n"
                              "  cin.return %y : f32\n"
                              "}\n";
  evaluate();
  print(y);
  Function twice("twice", functions), most("max"), other("twice", "other.mlir");
  y(i) = most(twice(x(i)) + 1, sum(i, 3 + twice(x(i)) / 8));
  print(y);
  report([&] { y(i) = twice(x(i)) + other(x(i)); });
}

/// A process that is forked off, evaluates a statement, and ends with the
/// number of folders of kernels that there are then.
static void forkProcess() {
  IndexVar i;
  Array<float> x("x", {2}), y("y", {2});
  x.values() = {1, 2};
  y(i) = x(i) + 1;
  pid_t child = fork();
  if (child == 0) {
    y(i) = x(i) + 2;
    std::filesystem::directory_iterator files(
        std::filesystem::temp_directory_path());
    std::exit(static_cast<int>(
        std::count_if(begin(files), end(files), [](const auto &file) {
          return file.path().filename().string().rfind("ember-", 0) == 0;
        })));
  }
  int status = 0;
  waitpid(child, &status, 0);
  y(i) = x(i) + 3;
  print(y);
  std::cout << WEXITSTATUS(status) << "\n";
}

int main(int count, char **words) {
  const std::map<std::string, std::function<void()>> sections = {
      {"evaluate", evaluate},
      {"booleans", evaluateBooleans},
      {"formats", evaluateFormats},
      {"sizes", checkSizes},
      {"locale", useLocale},
      {"variables", useLocalVariables},
      {"retry", [&] { retry(words[2]); }},
      {"fork", forkProcess},
      {"again", [] { report(useLocalVariables); }}};
  auto section = sections.find(count > 1 ? words[1] : "evaluate");
  if (section == sections.end())
    return 1;
  section->second();
}
