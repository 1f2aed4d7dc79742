//===- Arguments.h - Kernel arguments from files and literals ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a command line gives for each parameter of a function ('@weight.npy',
// '3', '-1.5', 'true', '[4, 8]') becomes the argument array of the kernel's C
// interface, after everything the function's type promises has been checked.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_ARGUMENTS_H
#define EMBER_DRIVER_ARGUMENTS_H

#include "ember/Driver/Npy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace ember {

/// The storage of one parameter or result: a memref's descriptor, the words of
/// a structure of sizes, or a scalar in the first bytes.
struct KernelValue {
  /// How messages call it: "argument 0 'weight'", "result 1".
  std::string label;
  mlir::Type type;
  /// What a file of it holds; of a scalar or the sizes too.
  NpyType npyType = NpyType::Int64;
  llvm::SmallVector<int64_t, 8> words;
  /// The elements, when they came from a file.
  std::optional<NpyArray> array;

  bool isMemRef() const { return llvm::isa<mlir::MemRefType>(type); }
  /// Its shape, strides and elements. Only of results after the kernel ran.
  llvm::ArrayRef<int64_t> getShape() const;
  llvm::ArrayRef<int64_t> getStrides() const;
  const char *getElements() const;
};

/// The arguments of one call and the places for its results.
class KernelArguments {
public:
  /// Loads and checks `texts`, one for each parameter of `function`.
  static llvm::Expected<KernelArguments>
  create(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts);

  /// The array the kernel entry takes. Valid while this object stays put.
  llvm::SmallVector<void *> getPointers();

  llvm::ArrayRef<KernelValue> getParameters() const {
    return llvm::ArrayRef(values).take_front(numParameters);
  }
  llvm::ArrayRef<KernelValue> getResults() const {
    return llvm::ArrayRef(values).drop_front(numParameters);
  }

private:
  llvm::SmallVector<KernelValue> values;
  unsigned numParameters = 0;
};

/// Writes the value to a .npy file; a scalar has rank 0.
llvm::Error saveValue(const KernelValue &value, llvm::StringRef path);

} // namespace ember

#endif // EMBER_DRIVER_ARGUMENTS_H
