//===- WorkerPoolTest.cpp - Forks, exits and unloading --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may happen to a process whose kernels keep threads in a pool.
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace ember::test;

// Returns 4950, through a decoupled run.
static int64_t sumBelow100() {
  int64_t sum = 0;
  return sumBelow(100, sum).run().code == EMBER_OK ? sum : -1;
}

static int64_t threadsOfProcess() {
  int64_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (dirent *task = readdir(tasks))
    count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

// Whether the process has, or soon has, that many threads: one that has been
// joined may be listed a little longer.
static bool hasThreads(int64_t count) {
  for (int32_t i = 0; i < 1000 && threadsOfProcess() != count; ++i)
    usleep(1000);
  return threadsOfProcess() == count;
}

// The exit status of a child that runs `body`.
template <typename Body> static int statusOfChild(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(WorkerPoolTest, ThreadsAreUsedAgain) {
  EXPECT_EQ(sumBelow100(), 4950);
  int64_t before = threadsOfProcess();
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(sumBelow100(), 4950);
  EXPECT_TRUE(hasThreads(before));
}

TEST(WorkerPoolTest, ForkedChildren) {
  EXPECT_EQ(sumBelow100(), 4950);
  for (int32_t i = 0; i < 20; ++i) {
    int status = statusOfChild([] {
      bool isSound = sumBelow100() == 4950 && sumBelow100() == 4950;
      // And a fork of the fork.
      isSound &= statusOfChild([] { return sumBelow100() != 4950; }) == 0;
      return isSound ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(sumBelow100(), 4950);
  }
}

TEST(WorkerPoolTest, ForkWhileOthersRun) {
  std::atomic<bool> isOver = false;
  std::vector<std::thread> callers;
  for (int32_t i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      while (!isOver)
        EXPECT_EQ(sumBelow100(), 4950);
    });
  for (int32_t i = 0; i < 50; ++i)
    EXPECT_EQ(statusOfChild([] { return sumBelow100() != 4950; }), 0);
  isOver = true;
  for (std::thread &caller : callers)
    caller.join();
}

TEST(WorkerPoolDeathTest, ExitWithIdleThreads) {
  EXPECT_EXIT(
      {
        sumBelow100();
        exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(WorkerPoolDeathTest, ExitWhileOthersRun) {
  EXPECT_EXIT(
      {
        for (int32_t i = 0; i < 3; ++i)
          std::thread([] {
            while (true)
              sumBelow100();
          }).detach();
        usleep(20000);
        exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(WorkerPoolDeathTest, ExitOfAForkedChild) {
  EXPECT_EXIT(
      {
        sumBelow100();
        pid_t child = fork();
        if (child == 0)
          exit(0); // must not wait for threads of its parent
        int status = 1;
        waitpid(child, &status, 0);
        exit(status);
      },
      testing::ExitedWithCode(0), "");
}

//===----------------------------------------------------------------------===//
// Kernel libraries
//===----------------------------------------------------------------------===//

namespace {
class KernelLibrary {
public:
  KernelLibrary() : handle(dlopen(TEST_KERNEL_PATH, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle, nullptr) << dlerror();
  }
  ~KernelLibrary() { EXPECT_EQ(dlclose(handle), 0); }

  void *find(const char *name) const { return dlsym(handle, name); }

  int64_t sumBelow(int64_t count) const {
    auto *sum = reinterpret_cast<int32_t (*)(void **, ember_error *)>(
        find("ember_kernel_sum"));
    void *args[] = {&count};
    return sum(args, nullptr) == EMBER_OK ? count : -1;
  }

private:
  void *handle;
};
} // namespace

TEST(KernelLibraryTest, LoadingAndUnloading) {
  {
    KernelLibrary().sumBelow(10);
  }
  int64_t before = threadsOfProcess();
  for (int32_t i = 0; i < 50; ++i) {
    KernelLibrary kernel;
    EXPECT_EQ(kernel.sumBelow(1000), 499500);
    EXPECT_EQ(kernel.sumBelow(100000), 4999950000);
    EXPECT_TRUE(hasThreads(before + 1));
  }
  EXPECT_TRUE(hasThreads(before));
}

TEST(KernelLibraryTest, UnloadingInAForkedChild) {
  auto *kernel = new KernelLibrary;
  kernel->sumBelow(1000);
  int status = statusOfChild([=] {
    delete kernel;
    return KernelLibrary().sumBelow(1000) != 499500;
  });
  EXPECT_EQ(status, 0);
  delete kernel;
}

TEST(KernelLibraryTest, ExportsOnlyWhatCallersNeed) {
  KernelLibrary kernel;
  EXPECT_NE(kernel.find("ember_kernel_sum"), nullptr);
  EXPECT_NE(kernel.find("ember_configure"), nullptr);
  EXPECT_NE(kernel.find("ember_free"), nullptr);
  EXPECT_EQ(kernel.find("ember_invoke"), nullptr);
  EXPECT_EQ(kernel.find("ember_dae_run"), nullptr);
}
