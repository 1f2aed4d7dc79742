//===- NpyTest.cpp - Tests of the .npy reader and writer ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Npy.h"
#include "TemporaryFolder.h"
#include "ember/Driver/Files.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace ember;

namespace {

class NpyTest : public testing::Test {
protected:
  /// Writes a file of this version, header and elements; returns its path.
  std::string write(StringRef header, StringRef elements, char major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += {major, 0};
    size_t length = header.size();
    for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte)
      bytes.push_back(static_cast<char>(length >> (8 * byte)));
    return writeBytes(bytes + header.str() + elements.str());
  }

  std::string writeBytes(StringRef bytes) {
    std::string path = folder.path("array.npy");
    EXPECT_FALSE(
        errorToBool(writeFile(path, [&](raw_ostream &os) { os << bytes; })));
    return path;
  }

  template <typename T> static std::string bytesOf(std::vector<T> values) {
    return std::string(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(T));
  }

  /// The message of the failure to read `path`, without its common start.
  static std::string readError(StringRef path) {
    Expected<NpyArray> array = readNpy(path);
    if (array)
      return "read";
    std::string message = toString(array.takeError());
    std::string start = "cannot read '" + path.str() + "': ";
    EXPECT_TRUE(StringRef(message).starts_with(start)) << message;
    return StringRef(message).drop_front(start.size()).str();
  }

  template <typename T> static std::vector<T> elements(const NpyArray &array) {
    auto *data = reinterpret_cast<const T *>(array.getData());
    return std::vector<T>(data, data + array.getNumElements());
  }

  TemporaryFolder folder;
};

constexpr StringLiteral
    floats23("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n");

TEST_F(NpyTest, ReadsEveryVersion) {
  for (char major : {1, 2, 3}) {
    auto array =
        readNpy(write(floats23, bytesOf<float>({1, 2, 3, 4, 5, 6}), major));
    ASSERT_TRUE(bool(array)) << toString(array.takeError());
    EXPECT_EQ(array->getType(), NpyType::Float32);
    EXPECT_EQ(array->getShape(), (ArrayRef<int64_t>{2, 3}));
    EXPECT_EQ(elements<float>(*array), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
}

TEST_F(NpyTest, ReadsFortranOrderAsCOrder) {
  auto array = readNpy(
      write("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2)}",
            bytesOf<int16_t>({0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11})));
  ASSERT_TRUE(bool(array)) << toString(array.takeError());
  EXPECT_EQ(elements<int16_t>(*array),
            (std::vector<int16_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(NpyTest, ReadsOtherSpellingsOfTheHeader) {
  auto array = readNpy(write(
      R"( {"shape":(2L ,), "fortran_order" : False,"descr":"<i1"}   )", "ab"));
  ASSERT_TRUE(bool(array)) << toString(array.takeError());
  EXPECT_EQ(array->getType(), NpyType::Int8);
  EXPECT_EQ(array->getNumElements(), 2);
}

TEST_F(NpyTest, ReadsScalarsAndEmptyArrays) {
  auto scalar =
      readNpy(write("{'descr': '<f8', 'fortran_order': False, 'shape': ()}",
                    bytesOf<double>({2.5})));
  ASSERT_TRUE(bool(scalar)) << toString(scalar.takeError());
  EXPECT_EQ(scalar->getNumElements(), 1);
  auto empty = readNpy(write(
      "{'descr': '<f8', 'fortran_order': True, 'shape': (4000000000, 0)}", ""));
  ASSERT_TRUE(bool(empty)) << toString(empty.takeError());
  EXPECT_EQ(empty->getNumElements(), 0);
  EXPECT_NE(empty->getData(), nullptr);
}

TEST_F(NpyTest, RejectsBrokenFiles) {
  EXPECT_EQ(readError(folder.path("none.npy")), "No such file or directory");
  EXPECT_EQ(readError(folder.path("")), "Is a directory");
  EXPECT_EQ(readError(writeBytes("")), "the file is empty");
  EXPECT_EQ(readError(writeBytes("\x93NUM")),
            "the file is truncated: the start of a .npy file needs 8 bytes, 4 "
            "are there");
  EXPECT_EQ(readError(writeBytes("PK\3\4 and so on")), "not a .npy file");
  EXPECT_EQ(readError(write(floats23, "", 4)),
            "version 4.0 of the .npy format is not known (1.0, 2.0, 3.0 are)");
  EXPECT_EQ(readError(writeBytes(StringRef("\x93NUMPY\1\0\x76\0{'desc", 16))),
            "the file is truncated: the header needs 118 bytes, 6 are there");
  EXPECT_EQ(readError(writeBytes(
                StringRef("\x93NUMPY\2\0\xff\xff\xff\xff{'desc", 18))),
            "its header claims 4294967295 bytes");
  EXPECT_EQ(readError(write(floats23, bytesOf<float>({1, 2, 3, 4, 5}))),
            "the file is truncated: its shape needs 24 bytes of elements, 20 "
            "are there");
  EXPECT_EQ(
      readError(write(floats23, bytesOf<float>({1, 2, 3, 4, 5, 6, 7}))),
      "the file is too long: its shape needs 24 bytes of elements, 28 are "
      "there");
}

TEST_F(NpyTest, RejectsBrokenHeaders) {
  auto check = [&](StringRef header, StringRef message) {
    EXPECT_EQ(readError(write(header, "")), message);
  };
  constexpr StringLiteral notDict(
      "its header is not a Python dict of descr, fortran_order and shape");
  check("", notDict);
  check("[1, 2]", notDict);
  check("{descr: 1}", notDict);
  check("{'descr", "its header holds an unterminated string");
  check("{'descr' '<f4'}", "its header lacks a ':' after 'descr'");
  check("{'descr': '<f4' 'shape': ()}", "its header lacks a ',' after 'descr'");
  check("{'descr': '<f4', 'descr': '<f4'}",
        "its header has the key 'descr' twice");
  check("{'dtype': '<f4'}", "its header has an unknown key 'dtype'");
  check("{'descr': '<f4'}", "its header lacks 'fortran_order'");
  check("{}", "its header lacks 'descr'");
  check("{'descr': '<f4', 'fortran_order': False}", "its header lacks 'shape'");
  check("{'fortran_order': 0}",
        "fortran_order in its header is neither True nor False");
  check("{'shape': 3}", "shape in its header is not a tuple");
  check("{'shape': (3, -1)}", "shape in its header is not a tuple of extents");
  check("{'shape': (3 4)}", "shape in its header is not a tuple of extents");
  check("{'shape': (3,", "shape in its header is not a tuple of extents");
  check("{'shape': (99999999999999999999,)}",
        "the extent 99999999999999999999 in its header overflows 64 bits");
  check("{'descr': '', 'shape': ()}",
        "its element type '' is not one that kernels take");
  check("{'descr': '<c8'}",
        "its element type '<c8' is not one that kernels take");
  check("{'descr': '|O'}",
        "its element type '|O' is not one that kernels take");
  check("{'descr': '>f4'}", "its elements ('>f4') are big-endian; save it as "
                            "little-endian");
  check("{'descr': [('a', '<f4')]}",
        "its elements are structures, which kernels do not take");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': ()} {}",
        "its header goes on after the dict");
}

TEST_F(NpyTest, RejectsSizesThatOverflow) {
  auto header = [](StringRef shape) {
    return ("{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape +
            ")}")
        .str();
  };
  EXPECT_EQ(readError(write(header("4611686018427387904, 2"), "")),
            "its size overflows 64 bits");
  EXPECT_EQ(readError(write(header("4611686018427387904, 2, 0"), "")),
            "its size overflows 64 bits");
  std::string deep;
  for (int dim = 0; dim < 65; ++dim)
    deep += "1, ";
  EXPECT_EQ(readError(write(header(deep), "")),
            "its rank exceeds 64, which is NumPy's limit");
}

TEST_F(NpyTest, RejectsBoolsOfOtherValues) {
  constexpr StringLiteral bools(
      "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}");
  EXPECT_TRUE(bool(readNpy(write(bools, StringRef("\1\0\1", 3)))));
  EXPECT_EQ(readError(write(bools, StringRef("\1\0\2", 3))),
            "element 2 is neither True nor False");
}

TEST_F(NpyTest, WritesWhatItReads) {
  for (unsigned type = 0; type <= unsigned(NpyType::Float8); ++type) {
    auto written = NpyArray::allocate(NpyType(type), {3, 1, 2});
    ASSERT_TRUE(bool(written));
    for (int64_t byte = 0; byte < written->getNumBytes(); ++byte)
      written->getData()[byte] = type == 0 ? byte % 2 : byte;
    std::string path = folder.path("round.npy");
    ASSERT_FALSE(errorToBool(writeNpy(
        path, {NpyType(type), written->getShape(),
               getDenseStrides(written->getShape()), written->getData()})));
    auto read = readNpy(path);
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    EXPECT_EQ(read->getType(), NpyType(type));
    EXPECT_EQ(read->getShape(), written->getShape());
    EXPECT_EQ(StringRef(read->getData(), read->getNumBytes()),
              StringRef(written->getData(), written->getNumBytes()));
  }
}

TEST_F(NpyTest, WritesStridedViewsInCOrder) {
  int32_t data[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::string path = folder.path("view.npy");
  // The transpose of every second column of a 3x4 array.
  ASSERT_FALSE(errorToBool(writeNpy(
      path, {NpyType::Int32, {2, 3}, {2, 4}, reinterpret_cast<char *>(data)})));
  auto read = readNpy(path);
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(elements<int32_t>(*read),
            (std::vector<int32_t>{0, 4, 8, 2, 6, 10}));
}

TEST_F(NpyTest, AlignsElementsInTheFile) {
  std::string path = folder.path("aligned.npy");
  double value = 1.5;
  ASSERT_FALSE(errorToBool(writeNpy(
      path, {NpyType::Float64, {}, {}, reinterpret_cast<char *>(&value)})));
  auto bytes = readFile(path);
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ(((*bytes)->getBufferSize() - sizeof(double)) % 64, 0u);
}

TEST_F(NpyTest, ReportsFailedWrites) {
  float value = 0;
  NpyView view{NpyType::Float32, {}, {}, reinterpret_cast<char *>(&value)};
  EXPECT_EQ(toString(writeNpy("/dev/full", view)),
            "cannot write '/dev/full': No space left on device");
  std::string missing = folder.path("missing/a.npy");
  EXPECT_EQ(toString(writeNpy(missing, view)),
            "cannot write '" + missing + "': No such file or directory");
  EXPECT_EQ(toString(writeNpy(folder.path(""), view)),
            "cannot write '" + folder.path("") + "': Is a directory");
}

} // namespace
