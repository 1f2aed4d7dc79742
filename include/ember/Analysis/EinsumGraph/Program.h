//===- Program.h - Tensor operations and their loop -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function does to tensors, an operation at a time, without the
// arithmetic: which ranks each operation has, what it reads and writes by
// which of them, and what the next iteration of a loop takes over. Only sizes
// are known of tensors, so that programs are analysed at sizes that no file
// has to exist for.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_PROGRAM_H
#define EMBER_ANALYSIS_EINSUMGRAPH_PROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ember::einsum {

enum class Storage : uint8_t { dense, csr };

struct Tensor {
  std::string name;
  llvm::SmallVector<int64_t, 2> shape;
  Storage storage = Storage::dense;
  /// Elements of a CSR matrix that are stored.
  int64_t nonzeros = 0;
  /// Holds something before the program, or is asked for behind it.
  bool isInput = false, isOutput = false;

  /// How much memory it takes: all elements, or values, coordinates and
  /// positions of a CSR matrix, `2 nnz + M` as GOGETA counts it (section 3.2).
  int64_t words() const;
};

enum class OperationKind : uint8_t {
  /// A product, a sum of products, an addition: `tensor_mac` of GOGETA's
  /// section 4.2.
  einsum,
  /// A function of elements with the same indices.
  elementwise,
  /// Needs all of its operands before there is any of its result: an inverse,
  /// a solve, and what nothing is known of.
  whole,
};
llvm::StringRef nameOf(OperationKind kind);

/// A rank of an operation: what a loop runs over.
struct Rank {
  std::string name;
  /// How many values it has; of the compressed rank of a CSR matrix, how many
  /// are stored in a row, on average. So a sparse product is no larger than
  /// what it computes.
  double extent = 0;
  /// The same of a rank that runs over segments of another array, if it does.
  std::optional<double> occupancy = std::nullopt;
  /// Does not index the result: it is summed over.
  bool isContracted = true;
};

/// What an operation reads or writes.
struct Access {
  unsigned tensor = 0;
  /// For each dimension the rank that indexes it; none where that is no rank
  /// alone, as where an element of another tensor does.
  llvm::SmallVector<std::optional<unsigned>, 2> ranks;

  /// Dimensions of which a rank is only a part of the index, as of `x[i + r]`:
  /// they are longer than it.
  llvm::SmallVector<unsigned, 2> windows;

  bool hasRank(unsigned rank) const;
  bool isWindow(unsigned dimension) const;
  bool operator==(const Access &) const = default;
};

struct Operation {
  std::string name;
  OperationKind kind = OperationKind::einsum;
  std::vector<Rank> ranks;
  std::vector<Access> reads;
  Access write;
  /// What it computes, for people.
  std::string text;
};

/// The next iteration finds in `current` what this one left in `next`.
struct Carried {
  unsigned current, next;
};

/// Operations in the order of the program. A tensor may be written several
/// times; whoever reads it reads what was written last.
class Program {
public:
  std::vector<Tensor> tensors;
  /// What is done once before and behind the loop, and in each iteration. A
  /// program without a loop has a body alone.
  std::vector<Operation> before, body, after;
  bool isLoop = false;
  std::vector<Carried> carried;
  /// What the first iteration finds in `current`, of a tensor that is there
  /// before the loop. If the loop alone is looked at, `current` is an input.
  std::vector<Carried> initial;

  /// A new tensor, and its number.
  unsigned addTensor(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);
  unsigned addMatrix(llvm::StringRef name, int64_t rows, int64_t columns,
                     int64_t nonzeros);
  std::optional<unsigned> findTensor(llvm::StringRef name) const;

  /// An operation of tensors by name, `S[m,n] = A[m,k] P[k,n]`. Operands are
  /// separated by anything that is no name; sizes of ranks follow.
  llvm::Expected<Operation>
  parseOperation(llvm::StringRef name, llvm::StringRef text,
                 OperationKind kind = OperationKind::einsum) const;
  /// The same, at the end of the body.
  llvm::Error add(llvm::StringRef name, llvm::StringRef text,
                  OperationKind kind = OperationKind::einsum);

  /// Fills in sizes of ranks and which are contracted; an error where a rank
  /// has two sizes, or a size is not positive.
  llvm::Error resolveRanks(Operation &operation) const;
  /// Gives dimensions whose size is not known (`mlir::ShapedType::kDynamic`)
  /// those of ranks that index them; an error where that says nothing.
  llvm::Error inferShapes();
  /// An error if an operation reads what nothing has written.
  llvm::Error verify() const;
};

/// A program of JSON:
///
///     {"tensors": {"A": {"shape": [8, 8], "nonzeros": 20, "input": true},
///     ...},
///      "operations": [{"name": "1", "einsum": "S[m,n] = A[m,k] P[k,n]"}, ...],
///      "loop": {"X": "X1"}}
///
/// An operation has one of `einsum`, `elementwise` and `whole`. With `loop`,
/// which says what is carried, operations are its body.
llvm::Expected<Program> parseProgram(llvm::StringRef json);

/// An error that is its text.
llvm::Error makeProgramError(const llvm::Twine &message);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_PROGRAM_H
