//===- CacheTest.cpp - Tests of the kernel cache --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Cache.h"
#include "TemporaryFolder.h"
#include "ember/Driver/Files.h"
#include "ember/Runtime/Ownership.h"
#include "gtest/gtest.h"
#include <array>
#include <fstream>
#include <sys/stat.h>
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
        // There is nothing to damage while another one replaces the entry.
        if (thread == 0)
          std::ofstream(folder.path("cache/" + key + "/kernel.so")) << "damage";
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

  // The next writer clears up, but leaves alone what somebody still writes.
  auto inserted = cache.insert("k", [&](StringRef f) {
    auto other = cache.insert("k2", [](StringRef g) { return writeKernel(g); });
    EXPECT_TRUE(bool(other));
    EXPECT_EQ(countIncomplete(), 1u);
    return writeKernel(f);
  });
  ASSERT_TRUE(bool(inserted)) << toString(inserted.takeError());
  EXPECT_EQ(countIncomplete(), 0u);
  EXPECT_TRUE(cache.lookup("k"));
}

/// Sets the time of the last use of an entry, in seconds since 1970.
static void setLastUse(const std::string &entry, time_t seconds) {
  utimbuf times{seconds, seconds};
  ASSERT_EQ(utime((entry + "/complete.json").c_str(), &times), 0);
}

TEST_F(CacheTest, EvictsWhatWasNotUsedForLongest) {
  // Three of these entries fit.
  KernelCache small(folder.path("cache"), 4000);
  std::string code(1000, 'x');
  auto insert = [&](StringRef key) {
    auto entry =
        small.insert(key, [&](StringRef f) { return writeKernel(f, code); });
    ASSERT_TRUE(bool(entry)) << toString(entry.takeError());
  };
  for (auto [index, key] : llvm::enumerate(std::array{"a", "b", "c"})) {
    insert(key);
    setLastUse(folder.path("cache/" + std::string(key)), 1000 + index);
  }
  put(folder.path("cache/somebody's"), std::string(5000, 'x'));
  EXPECT_TRUE(small.lookup("a"));
  insert("d");
  EXPECT_FALSE(small.lookup("b"));
  EXPECT_TRUE(small.lookup("a"));
  EXPECT_TRUE(small.lookup("c"));
  EXPECT_TRUE(small.lookup("d"));
  EXPECT_EQ(countIncomplete(), 0u);

  // What was used just now stays, even if that is too much.
  insert("e");
  for (StringRef key : {"a", "c", "d", "e"})
    EXPECT_TRUE(small.lookup(key)) << key.str();
  // Without a bound nothing goes.
  setLastUse(folder.path("cache/a"), 1000);
  ASSERT_TRUE(
      bool(cache.insert("f", [&](StringRef f) { return writeKernel(f); })));
  EXPECT_TRUE(small.lookup("a"));
}

TEST_F(CacheTest, EvictionDisturbsNobody) {
  KernelCache tiny(folder.path("cache"), 1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        std::string key = "k" + std::to_string((thread + round) % 6);
        auto entry =
            tiny.insert(key, [](StringRef f) { return writeKernel(f); });
        EXPECT_TRUE(bool(entry)) << toString(entry.takeError());
        utimbuf old{0, 0};
        (void)utime(folder.path("cache/" + key + "/complete.json").c_str(),
                    &old);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(countIncomplete(), 0u);
}

TEST_F(CacheTest, SizeBoundIsRead) {
  auto read = [](const char *text) {
    setenv("EMBER_CACHE_SIZE", text, 1);
    Expected<uint64_t> bound = KernelCache::getSizeBound();
    unsetenv("EMBER_CACHE_SIZE");
    return bound ? std::to_string(*bound) : toString(bound.takeError());
  };
  EXPECT_EQ(read(""), "1073741824");
  EXPECT_EQ(read("0"), "0");
  EXPECT_EQ(read("123"), "123");
  EXPECT_EQ(read("2K"), "2048");
  EXPECT_EQ(read("500M"), "524288000");
  EXPECT_EQ(read("2G"), "2147483648");
  for (const char *bad : {"many", "-1", "1.5G", "G", "99999999999G", "1T"})
    EXPECT_NE(read(bad).find("expected a number of bytes"), std::string::npos)
        << bad;
}

/// What prepare() says of a cache in a folder with these permissions.
class CacheOwnershipTest : public CacheTest {
protected:
  std::string prepare(bool shared = false) {
    return toString(KernelCache(folder.path("cache"), 0, shared).prepare());
  }

  sys::fs::perms permissions(StringRef name) const {
    return *sys::fs::getPermissions(folder.path(name));
  }

  /// Gives a file to somebody else, if this user may.
  bool giveAway(StringRef name) {
    return lchown(folder.path(name).c_str(), 4711, gid_t(-1)) == 0;
  }
};

TEST_F(CacheOwnershipTest, IsMadeForItsOwnerAlone) {
  mode_t before = umask(0);
  EXPECT_EQ(prepare(), "");
  auto entry = cache.insert("k", [](StringRef f) { return writeKernel(f); });
  umask(before);
  ASSERT_TRUE(bool(entry)) << toString(entry.takeError());
  for (StringRef name : {"cache", "cache/incomplete", "cache/k"})
    EXPECT_EQ(permissions(name), sys::fs::owner_all) << name.str();
  for (StringRef name : {"cache/k/kernel.so", "cache/k/kernel.json"})
    EXPECT_EQ(permissions(name), sys::fs::owner_read | sys::fs::owner_write);
}

TEST_F(CacheOwnershipTest, IsMadeForAllIfShared) {
  mode_t before = umask(0);
  EXPECT_EQ(prepare(/*shared=*/true), "");
  umask(before);
  EXPECT_EQ(permissions("cache"), sys::fs::all_all);
}

TEST_F(CacheOwnershipTest, IsNotUsedIfOthersMayWriteToIt) {
  ASSERT_EQ(prepare(), "");
  sys::fs::setPermissions(folder.path("cache"), sys::fs::all_all);
  EXPECT_NE(prepare().find("is not used: anybody may write to '" +
                           folder.path("cache") + "' (make it yours alone"),
            std::string::npos)
      << prepare();
  EXPECT_EQ(prepare(/*shared=*/true), "");
  // Nobody can replace what is in a folder like /tmp, but anybody can add.
  sys::fs::setPermissions(folder.path("cache"),
                          sys::fs::all_all | sys::fs::sticky_bit);
  EXPECT_NE(prepare(), "");
  EXPECT_EQ(toString(KernelCache(folder.path("cache/below")).prepare()), "");
}

TEST_F(CacheOwnershipTest, IsNotUsedIfOthersMayReplaceIt) {
  ASSERT_FALSE(sys::fs::create_directories(folder.path("open/cache")));
  sys::fs::setPermissions(folder.path("open"), sys::fs::all_all);
  ASSERT_FALSE(sys::fs::create_link(folder.path("open"), folder.path("link")));
  for (StringRef name :
       {"open/cache", "open/new", "link/cache", "open/../open"})
    EXPECT_NE(toString(KernelCache(folder.path(name)).prepare())
                  .find("anybody may write to '" + folder.path("open") + "'"),
              std::string::npos)
        << name.str();
}

TEST_F(CacheOwnershipTest, IsNotUsedIfItBelongsToOthers) {
  std::string path = folder.path("");
  // As another user sees ours; root's are all right for everybody.
  std::string reason = whyNotOurs(path, geteuid() + 1);
  std::string owner = "belongs to user " + std::to_string(geteuid());
  EXPECT_EQ(reason.find(owner) != std::string::npos, geteuid() != 0) << reason;
  ASSERT_EQ(prepare(), "");
  if (!giveAway("cache"))
    return;
  EXPECT_NE(prepare().find("belongs to user 4711"), std::string::npos);
  EXPECT_EQ(prepare(/*shared=*/true), "");
}

TEST_F(CacheOwnershipTest, EntriesOfOthersAreMadeAnew) {
  auto write = [](StringRef f) { return writeKernel(f); };
  ASSERT_TRUE(bool(cache.insert("k", write)));
  std::string library = folder.path("cache/k/kernel.so");
  sys::fs::setPermissions(library, sys::fs::all_all);
  EXPECT_FALSE(cache.lookup("k"));
  EXPECT_TRUE(
      KernelCache(folder.path("cache"), 0, /*shared=*/true).lookup("k"));
  ASSERT_TRUE(bool(cache.insert("k", write)));
  EXPECT_TRUE(cache.lookup("k"));
  if (giveAway("cache/k/kernel.so")) {
    EXPECT_FALSE(cache.lookup("k"));
  }
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
