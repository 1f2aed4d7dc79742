//===- CacheTest.cpp - Tests of the kernel cache --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Cache.h"
#include "TemporaryFolder.h"
#include "ember/Driver/Files.h"
#include "gtest/gtest.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utime.h>

using namespace llvm;
using namespace ember;

namespace {

class CacheTest : public testing::Test {
protected:
  static void put(StringRef path, StringRef text) {
    EXPECT_EQ(toString(writeFile(path, [&](raw_ostream &os) { os << text; })),
              "");
  }

  static Error writeKernel(StringRef folder, StringRef text = "code") {
    put((folder + "/kernel.so").str(), text);
    put((folder + "/kernel.json").str(), "{}");
    return Error::success();
  }

  static std::string get(StringRef path) {
    auto buffer = readFile(path);
    return buffer ? (*buffer)->getBuffer().str() : toString(buffer.takeError());
  }

  size_t countIncomplete() const {
    size_t count = 0;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder.path("cache/incomplete"), code),
         end;
         !code && it != end; it.increment(code))
      ++count;
    return count;
  }

  TemporaryFolder folder;
  KernelCache cache{folder.path("cache")};
};

TEST_F(CacheTest, KeyTellsPartsApart) {
  std::string key = KernelCache::computeKey({"ab", "c"});
  EXPECT_EQ(key, KernelCache::computeKey({"ab", "c"}));
  EXPECT_NE(key, KernelCache::computeKey({"a", "bc"}));
  EXPECT_NE(key, KernelCache::computeKey({"abc"}));
  EXPECT_EQ(key.size(), 40u);
}

TEST_F(CacheTest, FindsWhatWasInserted) {
  EXPECT_FALSE(cache.lookup("k"));
  auto inserted = cache.insert("k", [](StringRef f) { return writeKernel(f); });
  ASSERT_TRUE(bool(inserted)) << toString(inserted.takeError());
  auto found = cache.lookup("k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->library, inserted->library);
  EXPECT_EQ(get(found->library), "code");
  EXPECT_EQ(get(found->manifest), "{}");
  EXPECT_EQ(countIncomplete(), 0u);
}

TEST_F(CacheTest, FailedWriteLeavesNothing) {
  auto inserted = cache.insert("k", [](StringRef f) -> Error {
    put((f + "/kernel.so").str(), "half");
    return makeError("no");
  });
  EXPECT_EQ(toString(inserted.takeError()), "no");
  EXPECT_FALSE(cache.lookup("k"));
  EXPECT_EQ(countIncomplete(), 0u);
}

TEST_F(CacheTest, DamagedEntriesAreMadeAnew) {
  auto insert = [&](StringRef text) {
    auto entry =
        cache.insert("k", [&](StringRef f) { return writeKernel(f, text); });
    ASSERT_TRUE(bool(entry)) << toString(entry.takeError());
  };
  std::vector<std::function<void()>> damages = {
      [&] { put(folder.path("cache/k/kernel.so"), "cod"); },
      [&] { put(folder.path("cache/k/kernel.so"), "edoc"); },
      [&] { sys::fs::remove(folder.path("cache/k/kernel.json")); },
      [&] { sys::fs::remove(folder.path("cache/k/complete.json")); },
      [&] { put(folder.path("cache/k/complete.json"), ""); },
      [&] { put(folder.path("cache/k/complete.json"), "null"); },
      [&] { put(folder.path("cache/k/complete.json"), "{\"kernel.so\": 3}"); },
      [&] {
        sys::fs::remove_directories(folder.path("cache/k"));
        put(folder.path("cache/k"), "a file");
      },
  };
  for (auto [index, damage] : llvm::enumerate(damages)) {
    SCOPED_TRACE(index);
    insert("code");
    ASSERT_TRUE(cache.lookup("k"));
    damage();
    EXPECT_FALSE(cache.lookup("k"));
    insert("newer");
    auto found = cache.lookup("k");
    ASSERT_TRUE(found);
    EXPECT_EQ(get(found->library), "newer");
    EXPECT_EQ(countIncomplete(), 0u);
    sys::fs::remove_directories(folder.path("cache/k"));
  }
}

TEST_F(CacheTest, FirstOfTwoWritersWins) {
  auto late = cache.insert("k", [&](StringRef f) -> Error {
    auto early =
        cache.insert("k", [](StringRef g) { return writeKernel(g, "early"); });
    EXPECT_TRUE(bool(early));
    return writeKernel(f, "late");
  });
  ASSERT_TRUE(bool(late)) << toString(late.takeError());
  EXPECT_EQ(get(late->library), "early");
  EXPECT_EQ(countIncomplete(), 0u);
}

TEST_F(CacheTest, ManyWritersAndReaders) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        std::string key = "k" + std::to_string(round % 5);
        auto entry = cache.insert(
            key, [&](StringRef f) { return writeKernel(f, "code"); });
        EXPECT_TRUE(bool(entry)) << toString(entry.takeError());
        if (thread == 0)
          put(folder.path("cache/" + key + "/kernel.so"), "damage");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(countIncomplete(), 0u);
}

TEST_F(CacheTest, KilledWriterHarmsNobody) {
  pid_t child = fork();
  if (child == 0) {
    auto entry = cache.insert("k", [](StringRef f) -> Error {
      put((f + "/kernel.so").str(), "half");
      kill(getpid(), SIGKILL);
      return Error::success();
    });
    _exit(entry ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(cache.lookup("k"));
  EXPECT_EQ(countIncomplete(), 1u);

  // A young leftover may be somebody's work; an old one is nobody's.
  auto insert = [&](StringRef key) {
    return !errorToBool(
        cache.insert(key, [](StringRef f) { return writeKernel(f); })
            .takeError());
  };
  EXPECT_TRUE(insert("k"));
  EXPECT_EQ(countIncomplete(), 1u);
  std::error_code code;
  sys::fs::directory_iterator leftover(folder.path("cache/incomplete"), code);
  utimbuf old{0, 0};
  ASSERT_EQ(utime(leftover->path().c_str(), &old), 0);
  EXPECT_TRUE(insert("other"));
  EXPECT_EQ(countIncomplete(), 0u);
  EXPECT_TRUE(cache.lookup("k"));
}

TEST_F(CacheTest, UnwritableFolderIsAnError) {
  KernelCache nowhere("/proc/ember");
  EXPECT_FALSE(nowhere.lookup("k"));
  auto entry = nowhere.insert("k", [](StringRef f) { return writeKernel(f); });
  EXPECT_EQ(toString(entry.takeError()),
            "cannot write to the kernel cache '/proc/ember': No such file or "
            "directory");
  put(folder.path("file"), "");
  KernelCache below(folder.path("file/cache"));
  EXPECT_FALSE(below.lookup("k"));
  auto other = below.insert("k", [](StringRef f) { return writeKernel(f); });
  EXPECT_FALSE(bool(other));
  consumeError(other.takeError());
}

} // namespace
