//===- FilesTest.cpp - Tests of files written whole or not at all ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace ember;

namespace {

class FilesTest : public testing::Test {
protected:
  std::set<std::string> list() const {
    std::set<std::string> names;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder.path(""), code), end;
         !code && it != end; it.increment(code))
      names.insert(sys::path::filename(it->path()).str());
    return names;
  }

  std::string get(StringRef name) const {
    auto buffer = readFile(folder.path(name));
    return buffer ? (*buffer)->getBuffer().str() : toString(buffer.takeError());
  }

  std::string put(StringRef name, StringRef text) const {
    return toString(
        writeFile(folder.path(name), [&](raw_ostream &os) { os << text; }));
  }

  TemporaryFolder folder;
};

TEST_F(FilesTest, ReplacesWhole) {
  EXPECT_EQ(put("a", "one"), "");
  auto during = writeFile(folder.path("a"), [&](raw_ostream &os) {
    os << "two";
    os.flush();
    EXPECT_EQ(get("a"), "one");
  });
  EXPECT_EQ(toString(std::move(during)), "");
  EXPECT_EQ(get("a"), "two");
  EXPECT_EQ(list(), std::set<std::string>{"a"});
}

TEST_F(FilesTest, LeftoversOfKilledProcessesGo) {
  EXPECT_EQ(put("a", "old"), "");
  pid_t child = fork();
  if (child == 0) {
    auto error = writeFile(folder.path("a"), [](raw_ostream &os) {
      os << "half";
      os.flush();
      kill(getpid(), SIGKILL);
    });
    _exit(error ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(list().size(), 2u);

  // Names that only look alike are somebody's files.
  std::ofstream(folder.path("a.tmp-mine")) << "mine";
  std::ofstream(folder.path("b.tmp-01234567")) << "of another output";
  EXPECT_EQ(put("a", "new"), "");
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(list(),
            (std::set<std::string>{"a", "a.tmp-mine", "b.tmp-01234567"}));
}

TEST_F(FilesTest, WritersOfOneFileDoNotDisturbEachOther) {
  auto outer = writeFile(folder.path("a"), [&](raw_ostream &os) {
    EXPECT_EQ(put("a", "inner"), "");
    os << "outer";
  });
  EXPECT_EQ(toString(std::move(outer)), "");
  EXPECT_EQ(get("a"), "outer");
  EXPECT_EQ(list().size(), 1u);
}

TEST_F(FilesTest, FailuresNameTheFile) {
  EXPECT_EQ(put("missing/a", ""), "cannot write '" + folder.path("missing/a") +
                                      "': No such file or directory");
  EXPECT_EQ(toString(writeFile("/dev/full", [](raw_ostream &os) { os << 1; })),
            "cannot write '/dev/full': No space left on device");
  ASSERT_FALSE(sys::fs::create_directory(folder.path("folder")));
  EXPECT_EQ(put("folder", ""),
            "cannot write '" + folder.path("folder") + "': Is a directory");
}

} // namespace
