//===- Declarations.h - The runtime's C declarations as LLVM's --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's headers are the one description of its ABI: the compiler reads
// the types of functions and structs off them, so that neither side can change
// alone. Nothing of the runtime is linked for it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ABI_DECLARATIONS_H
#define EMBER_ABI_DECLARATIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <type_traits>

namespace ember::abi {

/// The LLVM type of a C type.
template <typename T> mlir::Type typeOf(mlir::MLIRContext *context) {
  if constexpr (std::is_void_v<T>) {
    return mlir::LLVM::LLVMVoidType::get(context);
  } else if constexpr (std::is_pointer_v<T>) {
    return mlir::LLVM::LLVMPointerType::get(context);
  } else {
    static_assert(std::is_integral_v<T>,
                  "the runtime takes integers and pointers only");
    return mlir::IntegerType::get(context, 8 * sizeof(T));
  }
}

/// The type of a C function.
template <typename Result, typename... Arguments> struct Signature {
  static mlir::LLVM::LLVMFunctionType get(mlir::MLIRContext *context) {
    return mlir::LLVM::LLVMFunctionType::get(typeOf<Result>(context),
                                             {typeOf<Arguments>(context)...});
  }
};

/// Declared to be asked for its type.
template <typename Result, typename... Arguments>
Signature<Result, Arguments...> signatureOf(Result (*)(Arguments...));

template <typename Class, typename Member> Member memberOf(Member Class::*);
template <typename Class, typename Member> Class classOf(Member Class::*);

/// The type of a C struct with these members, all it has, in their order.
template <auto First, auto... Rest>
mlir::LLVM::LLVMStructType structOf(mlir::MLIRContext *context) {
  using Struct = decltype(classOf(First));
  static_assert(sizeof(Struct) == (sizeof(decltype(memberOf(First))) + ... +
                                   sizeof(decltype(memberOf(Rest)))),
                "a member is missing, or there is padding between them");
  return mlir::LLVM::LLVMStructType::getLiteral(
      context, {typeOf<decltype(memberOf(First))>(context),
                typeOf<decltype(memberOf(Rest))>(context)...});
}

} // namespace ember::abi

/// The name and the type of a function of the runtime.
#define EMBER_RUNTIME(NAME)                                                    \
  #NAME, decltype(::ember::abi::signatureOf(&::NAME))()

#endif // EMBER_ABI_DECLARATIONS_H
