//===- Npy.h - Arrays in NumPy's .npy files ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads versions 1 to 3 of the format, little-endian, in C and Fortran order,
// and writes C order. Read arrays are always held in C order.
//
// NumPy has neither bf16 nor 8-bit floats of its own: these are read from and
// written as raw elements ('<V2' and '|V1', what those of ml_dtypes save as,
// but for float8_e5m2, which saves as '<f1'), or read from uint16 and uint8.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_NPY_H
#define EMBER_DRIVER_NPY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdlib>
#include <memory>

namespace ember {

/// The element types of .npy files that kernels know.
enum class NpyType {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  Float32,
  Float64,
  Raw8,
  Raw16,
  Float8
};

/// What the file and the messages call `type`, and its size.
llvm::StringRef getNpyDescriptor(NpyType type);
llvm::StringRef getNpyName(NpyType type);
unsigned getNpyBytes(NpyType type);

/// An array that owns its elements, in C order, aligned to 64 bytes.
class NpyArray {
public:
  /// Uninitialised elements; fails when the size overflows or memory is short.
  static llvm::Expected<NpyArray> allocate(NpyType type,
                                           llvm::ArrayRef<int64_t> shape);

  NpyType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getNpyBytes(type); }
  char *getData() const { return data.get(); }

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };

  NpyType type = NpyType::Bool;
  llvm::SmallVector<int64_t> shape;
  int64_t numElements = 0;
  std::unique_ptr<char, Free> data;
};

/// An array somewhere in memory; strides count elements.
struct NpyView {
  NpyType type;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> strides;
  const char *data;
};

/// The strides of a dense array of this shape in C order.
llvm::SmallVector<int64_t> getDenseStrides(llvm::ArrayRef<int64_t> shape);

/// Reads one array; errors name the file and what is wrong with it.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Writes one array, whole or not at all.
llvm::Error writeNpy(llvm::StringRef path, const NpyView &array);

} // namespace ember

#endif // EMBER_DRIVER_NPY_H
