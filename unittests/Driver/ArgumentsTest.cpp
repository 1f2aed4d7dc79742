//===- ArgumentsTest.cpp - Tests of kernel arguments from the command line
//-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Arguments.h"
#include "TemporaryFolder.h"
#include "ember/Driver/PrintValue.h"
#include "ember/Runtime/ScalarTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace ember;

namespace {

class ArgumentsTest : public testing::Test {
protected:
  ArgumentsTest() {
    context.loadDialect<mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                        mlir::LLVM::LLVMDialect,
                        mlir::sparse_tensor::SparseTensorDialect>();
  }

  /// The arguments of a function with this signature, "(index) -> f32".
  Expected<KernelArguments> create(StringRef signature,
                                   ArrayRef<std::string> texts) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        (attributeAliases + "func.func private @f" + signature).str(),
        &context);
    EXPECT_TRUE(module);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return KernelArguments::create(function, texts);
  }

  std::string errorOf(StringRef signature, ArrayRef<std::string> texts) {
    Expected<KernelArguments> arguments = create(signature, texts);
    return arguments ? "accepted" : toString(arguments.takeError());
  }

  /// The word that a scalar literal becomes, printed, or the message.
  std::string scalar(StringRef type, StringRef text) {
    Expected<KernelArguments> arguments =
        create(("(" + type + ")").str(), {text.str()});
    if (!arguments)
      return toString(arguments.takeError());
    return print(arguments->getParameters().front());
  }

  static std::string print(const KernelValue &value) {
    std::string line;
    raw_string_ostream os(line);
    printValue(value, os);
    return StringRef(line).trim().str();
  }

  /// Writes an array of zeros, returns '@path'.
  std::string zeros(NpyType type, ArrayRef<int64_t> shape) {
    auto array = NpyArray::allocate(type, shape);
    EXPECT_TRUE(bool(array));
    std::memset(array->getData(), 0, array->getNumBytes());
    file = folder.path("a.npy");
    EXPECT_FALSE(errorToBool(writeNpy(
        file, {type, shape, getDenseStrides(shape), array->getData()})));
    return "@" + file;
  }

  StringRef attributeAliases =
      "#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : "
      "compressed) }>\n";
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TemporaryFolder folder;
  std::string file;
};

TEST_F(ArgumentsTest, IntegerLiterals) {
  EXPECT_EQ(scalar("index", "42"), "argument 0: index = 42");
  EXPECT_EQ(scalar("index", "-3"), "argument 0: index = -3");
  EXPECT_EQ(scalar("index", " -3"), "argument 0: index = -3");
  EXPECT_EQ(scalar("i32", "0x10"), "argument 0: i32 = 16");
  EXPECT_EQ(scalar("i32", "010"), "argument 0: i32 = 10");
  EXPECT_EQ(scalar("i8", "-128"), "argument 0: i8 = -128");
  EXPECT_EQ(scalar("i8", "255"), "argument 0: i8 = -1");
  EXPECT_EQ(scalar("ui8", "255"), "argument 0: ui8 = 255");
  EXPECT_EQ(scalar("si8", "+127"), "argument 0: si8 = 127");
  EXPECT_EQ(scalar("i1", "true"), "argument 0: i1 = true");
  EXPECT_EQ(scalar("i1", "0"), "argument 0: i1 = false");
  EXPECT_EQ(scalar("ui64", "18446744073709551615"),
            "argument 0: ui64 = 18446744073709551615");
}

TEST_F(ArgumentsTest, IntegerLiteralsOutOfRange) {
  EXPECT_EQ(scalar("i8", "256"), "argument 0: 256 is out of the range of i8");
  EXPECT_EQ(scalar("i8", "-129"), "argument 0: -129 is out of the range of i8");
  EXPECT_EQ(scalar("si8", "128"), "argument 0: 128 is out of the range of si8");
  EXPECT_EQ(scalar("ui8", "-1"), "argument 0: -1 is out of the range of ui8");
  EXPECT_EQ(scalar("index", "9223372036854775808"),
            "argument 0: 9223372036854775808 is out of the range of index");
  EXPECT_EQ(scalar("i64", "-9223372036854775809"),
            "argument 0: -9223372036854775809 is out of the range of i64");
  EXPECT_EQ(scalar("i64", "99999999999999999999999"),
            "argument 0: 99999999999999999999999 is out of the range of i64");
  EXPECT_EQ(scalar("index", "1.5"),
            "argument 0: expected an integer (index), got '1.5'");
  EXPECT_EQ(scalar("index", ""),
            "argument 0: expected an integer (index), got ''");
  EXPECT_EQ(scalar("index", "-"),
            "argument 0: expected an integer (index), got '-'");
  EXPECT_EQ(scalar("index", "--3"),
            "argument 0: expected an integer (index), got '--3'");
  EXPECT_EQ(scalar("i1", "2"), "argument 0: expected true or false, got '2'");
}

TEST_F(ArgumentsTest, FloatLiterals) {
  EXPECT_EQ(scalar("f32", "-1.5"), "argument 0: f32 = -1.5");
  EXPECT_EQ(scalar("f64", "1e-3"), "argument 0: f64 = 0.001");
  EXPECT_EQ(scalar("f32", "3"), "argument 0: f32 = 3");
  EXPECT_EQ(scalar("f16", "65504"), "argument 0: f16 = 65504");
  EXPECT_EQ(scalar("bf16", "0.5"), "argument 0: bf16 = 0.5");
  EXPECT_EQ(scalar("f32", "-inf"), "argument 0: f32 = -inf");
  EXPECT_EQ(scalar("f32", "nan"), "argument 0: f32 = nan");
  EXPECT_EQ(scalar("f32", "1e39"),
            "argument 0: 1e39 is out of the range of f32");
  EXPECT_EQ(scalar("f16", "70000"),
            "argument 0: 70000 is out of the range of f16");
  EXPECT_EQ(scalar("f32", "one"),
            "argument 0: expected a number (f32), got 'one'");
  EXPECT_EQ(scalar("f32", ""), "argument 0: expected a number (f32), got ''");
}

TEST_F(ArgumentsTest, EveryTypeOfTheTableIsReadAndPrinted) {
  for (const ScalarType &type : scalarTypes) {
    std::string name(type.name);
    std::string one = type.isBoolean() ? "true" : "1";
    EXPECT_EQ(scalar(name, one), "argument 0: " + name + " = " + one);
    if (type.isFloat()) {
      EXPECT_EQ(scalar(name, "-1.5"), "argument 0: " + name + " = -1.5");
      EXPECT_NE(scalar(name, "nan").find("nan"), std::string::npos) << name;
      EXPECT_EQ(scalar(name, "1e400"),
                "argument 0: 1e400 is out of the range of " + name);
    }
  }
  EXPECT_EQ(scalar("f128", "1"),
            "argument 0: values of type f128 cannot be passed");
}

TEST_F(ArgumentsTest, ScalarsFromFiles) {
  EXPECT_EQ(scalar("f32", zeros(NpyType::Float32, {})), "argument 0: f32 = 0");
  EXPECT_EQ(scalar("f32", zeros(NpyType::Float64, {})),
            "argument 0: expected elements of type float32 for f32, '" + file +
                "' holds float64");
  EXPECT_EQ(scalar("f32", zeros(NpyType::Float32, {1})),
            "argument 0: expected rank 0 for f32, '" + file +
                "' has shape [1]");
}

TEST_F(ArgumentsTest, MemRefDescriptors) {
  auto arguments =
      create("(memref<?x3xindex>)", {zeros(NpyType::Int64, {2, 3})});
  ASSERT_TRUE(bool(arguments)) << toString(arguments.takeError());
  const KernelValue &value = arguments->getParameters().front();
  ASSERT_EQ(value.words.size(), 7u);
  EXPECT_EQ(value.words[0], value.words[1]);
  EXPECT_EQ(value.words[0] % 64, 0);
  EXPECT_EQ(ArrayRef(value.words).drop_front(2),
            (ArrayRef<int64_t>{0, 2, 3, 3, 1}));
  EXPECT_EQ(arguments->getPointers().front(), value.words.data());
  EXPECT_EQ(print(value),
            "argument 0: memref<?x3xindex> [2, 3] = [[0, 0, 0], [0, 0, 0]]");
}

TEST_F(ArgumentsTest, MemRefsRejectWhatDoesNotFit) {
  std::string path = zeros(NpyType::Float32, {2, 3});
  auto check = [&](StringRef type, StringRef message) {
    EXPECT_EQ(
        errorOf(("(" + type + " {ember.name = \"weight\"})").str(), {path}),
        ("argument 0 'weight': " + message).str());
  };
  check("memref<?x?xf64>", "expected elements of type float64 for "
                           "memref<?x?xf64>, '" +
                               file + "' holds float32");
  check("memref<?x?xi8>", "expected elements of type int8 or uint8 for "
                          "memref<?x?xi8>, '" +
                              file + "' holds float32");
  check("memref<?xf32>",
        "expected rank 1 for memref<?xf32>, '" + file + "' has shape [2, 3]");
  check("memref<?x4xf32>", "expected 4 in dimension 1 of memref<?x4xf32>, '" +
                               file + "' has shape [2, 3]");
  check("memref<?x?xi4>", "values of type memref<?x?xi4> cannot be passed");
  check("memref<*xf32>", "values of type memref<*xf32> cannot be passed");
  EXPECT_EQ(errorOf("(memref<?xf32>)", {"1.5"}),
            "argument 0: expected @FILE.npy for memref<?xf32>, got '1.5'");
  EXPECT_EQ(errorOf("(memref<?xf32>)", {"@"}),
            "argument 0: '@' needs the name of a .npy file");
  EXPECT_EQ(errorOf("(memref<?xf32>)", {"@none.npy"}),
            "argument 0: cannot read 'none.npy': No such file or directory");
}

TEST_F(ArgumentsTest, ElementTypesOfTwoSpellings) {
  EXPECT_EQ(errorOf("(memref<?xi8>)", {zeros(NpyType::UInt8, {2})}),
            "accepted");
  EXPECT_EQ(errorOf("(memref<?xbf16>)", {zeros(NpyType::UInt16, {2})}),
            "accepted");
  EXPECT_EQ(errorOf("(memref<?xbf16>)", {zeros(NpyType::Raw16, {2})}),
            "accepted");
  EXPECT_EQ(errorOf("(memref<?xindex>)", {zeros(NpyType::Int32, {2})}),
            "argument 0: expected elements of type int64 for memref<?xindex>, "
            "'" +
                file + "' holds int32");
}

TEST_F(ArgumentsTest, Layouts) {
  auto check = [&](StringRef layout, ArrayRef<int64_t> shape) {
    return errorOf(("(memref<?x?xf32, " + layout + ">)").str(),
                   {zeros(NpyType::Float32, shape)});
  };
  EXPECT_EQ(check("strided<[?, ?], offset: ?>", {2, 3}), "accepted");
  EXPECT_EQ(check("strided<[?, 1], offset: ?>", {2, 3}), "accepted");
  EXPECT_EQ(check("strided<[3, 1]>", {2, 3}), "accepted");
  EXPECT_EQ(check("strided<[4, 1]>", {2, 3}),
            "argument 0: expected stride 4 in dimension 0 of memref<?x?xf32, "
            "strided<[4, 1]>>, '" +
                file + "' has 3");
  EXPECT_EQ(check("strided<[4, 1]>", {1, 3}), "accepted");
  EXPECT_EQ(check("strided<[4, 1]>", {0, 3}), "accepted");
  EXPECT_EQ(check("strided<[?, 1], offset: 8>", {2, 3}),
            "argument 0: memref<?x?xf32, strided<[?, 1], offset: 8>> starts "
            "at offset 8, '" +
                file + "' at 0");
  EXPECT_EQ(
      check("affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>", {2, 3}),
      "argument 0: the layout of memref<?x?xf32, affine_map<(d0, d1) -> "
      "(d0 floordiv 2, d1, d0 mod 2)>> is neither the identity nor "
      "strided");
}

TEST_F(ArgumentsTest, StructuresOfSizes) {
  StringRef lowered =
      "(!llvm.struct<(array<2 x i64>, array<3 x i64>)>) -> (index)";
  auto arguments = create(lowered, {"[1, 2, 3,-4, 5]"});
  ASSERT_TRUE(bool(arguments)) << toString(arguments.takeError());
  EXPECT_EQ(ArrayRef(arguments->getParameters().front().words),
            (ArrayRef<int64_t>{1, 2, 3, -4, 5}));
  EXPECT_EQ(errorOf(lowered, {"[1, 2]"}),
            "argument 0: expected [5 integers] or @FILE.npy with them, got 2 "
            "of them");
  EXPECT_EQ(errorOf(lowered, {"3"}), "argument 0: expected [5 integers] or "
                                     "@FILE.npy with them, got '3'");
  EXPECT_EQ(errorOf(lowered, {"[1, 2, x, 4, 5]"}),
            "argument 0: 'x' is not a 64-bit integer");
  EXPECT_EQ(errorOf(lowered, {zeros(NpyType::Int64, {5})}), "accepted");
  EXPECT_EQ(errorOf(lowered, {zeros(NpyType::Int64, {4})}),
            "argument 0: expected 5 sizes for !llvm.struct<(array<2 x i64>, "
            "array<3 x i64>)>, '" +
                file + "' holds 4");
  EXPECT_EQ(
      errorOf("(!sparse_tensor.storage_specifier<#csr>)", {"[4, 4, 5, 6, 6]"}),
      "accepted");
  EXPECT_EQ(errorOf("(!llvm.struct<(i64, f32)>)", {"[1, 2]"}),
            "argument 0: structure !llvm.struct<(i64, f32)> holds more than "
            "64-bit integers");
}

TEST_F(ArgumentsTest, Signatures) {
  EXPECT_EQ(errorOf("(index, f32)", {"1"}), "'f' takes 2 arguments, got 1");
  EXPECT_EQ(errorOf("()", {}), "accepted");
  EXPECT_EQ(errorOf("() -> (vector<4xf32>)", {}),
            "result 0: values of type vector<4xf32> cannot be passed");
  auto arguments = create("(index) -> (f32, memref<?xf64>)", {"1"});
  ASSERT_TRUE(bool(arguments));
  EXPECT_EQ(arguments->getPointers().size(), 3u);
  EXPECT_EQ(arguments->getResults()[1].words.size(), 5u);
}

TEST_F(ArgumentsTest, LargeArraysPrintTheirCorners) {
  auto arguments = create("(memref<?x?xi32>)", {zeros(NpyType::Int32, {9, 8})});
  ASSERT_TRUE(bool(arguments));
  StringRef row = "[0, 0, 0, ..., 0, 0, 0]";
  EXPECT_EQ(print(arguments->getParameters().front()),
            ("argument 0: memref<?x?xi32> [9, 8] = [" + row + ", " + row +
             ", " + row + ", ..., " + row + ", " + row + ", " + row + "]")
                .str());
}

TEST_F(ArgumentsTest, SavesValues) {
  auto arguments = create("(i16, !llvm.struct<(i64, i64)>)", {"-7", "[8, 9]"});
  ASSERT_TRUE(bool(arguments));
  std::string path = folder.path("saved.npy");
  ASSERT_FALSE(errorToBool(saveValue(arguments->getParameters()[0], path)));
  auto scalar = readNpy(path);
  ASSERT_TRUE(bool(scalar));
  EXPECT_TRUE(scalar->getShape().empty());
  EXPECT_EQ(*reinterpret_cast<int16_t *>(scalar->getData()), -7);
  ASSERT_FALSE(errorToBool(saveValue(arguments->getParameters()[1], path)));
  auto sizes = readNpy(path);
  ASSERT_TRUE(bool(sizes));
  EXPECT_EQ(sizes->getShape(), (ArrayRef<int64_t>{2}));
}

} // namespace
