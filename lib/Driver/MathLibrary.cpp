//===- MathLibrary.cpp - Functions of the C library -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

bool ember::isOfMathLibrary(mlir::func::FuncOp declaration) {
  mlir::FunctionType type = declaration.getFunctionType();
  auto isFloat = [](mlir::Type one) { return one.isF32() || one.isF64(); };
  if (type.getNumResults() != 1 || !isFloat(type.getResult(0)) ||
      !llvm::all_of(type.getInputs(), isFloat))
    return false;
  // LLVM knows the types of those by their names.
  llvm::LLVMContext context;
  llvm::Module module("", context);
  auto convert = [&](mlir::Type one) {
    return one.isF32() ? llvm::Type::getFloatTy(context)
                       : llvm::Type::getDoubleTy(context);
  };
  llvm::SmallVector<llvm::Type *> inputs;
  for (mlir::Type input : type.getInputs())
    inputs.push_back(convert(input));
  auto *prototype = llvm::FunctionType::get(convert(type.getResult(0)), inputs,
                                            /*isVarArg=*/false);
  auto *function =
      llvm::Function::Create(prototype, llvm::Function::ExternalLinkage,
                             declaration.getSymName(), module);
  static const llvm::TargetLibraryInfoImpl library{llvm::Triple()};
  llvm::LibFunc known;
  return library.getLibFunc(*function, known);
}
