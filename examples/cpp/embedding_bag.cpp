//===- embedding_bag.cpp - Runs an exported embedding bag -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: embedding_bag FOLDER
//
// FOLDER is what export_embedding_bag.py exports: the kernel of an
// nn.EmbeddingBag, mode sum, of f32 and 16 elements a row. Rows, bags and
// lookups are this program's own.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Export.h"

#include <iostream>

static void describe(const ember::Entry &entry) {
  for (const ember::Parameter &parameter : entry.getParameters()) {
    std::cout << "  " << parameter.name << ": " << parameter.type << " [";
    for (size_t dim = 0; dim < parameter.shape.size(); ++dim)
      std::cout << (dim ? ", " : "")
                << (parameter.shape[dim] ? std::to_string(*parameter.shape[dim])
                                         : "?");
    std::cout << "]" << (parameter.writable ? ", written" : "") << "\n";
  }
}

static int run(const char *folder) {
  ember::Export model(folder);
  const ember::Entry &kernel = model.kernel("bag_0");
  std::cout << "bag_0\n";
  describe(kernel);

  constexpr int64_t rows = 100, length = 16;
  std::vector<float> table(rows * length);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t element = 0; element < length; ++element)
      table[row * length + element] = static_cast<float>(row + element);

  // Two bags of three and of two lookups.
  std::vector<int64_t> indices{1, 20, 99, 7, 7}, offsets{0, 3};
  std::vector<float> bags(offsets.size() * length);
  kernel({offsets,
          indices,
          {table.data(), {rows, length}},
          {bags.data(), {2, length}}});
  std::cout << "sums: " << bags[0] << " " << bags[1] << " ... "
            << bags[2 * length - 1] << "\n";

  indices[1] = 100;
  try {
    kernel({offsets,
            indices,
            {table.data(), {rows, length}},
            {bags.data(), {2, length}}});
  } catch (const ember::KernelError &error) {
    std::cout << "error " << error.code << ": " << error.what() << "\n";
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: embedding_bag FOLDER\n";
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception &error) {
    std::cerr << "embedding_bag: " << error.what() << "\n";
    return 1;
  }
}
