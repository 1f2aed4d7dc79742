//===- TeamTest.cpp - Parallel loops on threads of the program ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A team that waits as an OpenMP library's does, awake or asleep as the test
// says, so that the thread sanitizer sees all of it.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

// Whether this thread rounds up, as it computes with vectors' registers.
bool roundsUp() {
  volatile float one = 1, little = 1e-10f;
  return one + little > 1;
}

class ThreadTeam {
public:
  explicit ThreadTeam(int32_t size) : size(size) {
    for (int32_t i = 1; i < size; ++i)
      members.emplace_back([this] { work(); });
  }
  ~ThreadTeam() {
    isOver = true;
    isAwake = true;
    for (std::thread &member : members)
      member.join();
  }

  /// As GOMP_parallel: returns when all members are done.
  void run(void (*newTask)(void *), void *newArgument) {
    ++regions;
    task = newTask;
    argument = newArgument;
    done = 0;
    bool wasAwake = isAwake.exchange(true);
    ++round;
    newTask(newArgument);
    while (done < size - 1)
      std::this_thread::yield();
    isAwake = wasAwake;
  }

  const int32_t size;
  std::atomic<int32_t> regions = 0;
  std::atomic<bool> isAwake = true; // members use processor time as they wait

private:
  void work() {
    for (int32_t seen = 0;; ++seen) {
      while (round == seen && !isOver)
        if (!isAwake)
          usleep(1000);
      if (isOver)
        return;
      task(argument);
      ++done;
    }
  }

  std::vector<std::thread> members;
  void (*task)(void *) = nullptr;
  void *argument = nullptr;
  std::atomic<int32_t> round = 0, done = 0;
  std::atomic<bool> isOver = false;
};

ThreadTeam *current = nullptr;

class TeamTest : public testing::Test {
protected:
  void SetUp() override { configure(2); }
  ~TeamTest() override {
    ember_use_team(nullptr);
    ember_configure(nullptr);
  }

  void configure(int32_t threads) {
    ember_config config = {EMBER_DEFAULT_QUEUE_CAPACITY, EMBER_SCHEDULE_THREADS,
                           threads, 1};
    ember_configure(&config);
  }

  void use(ThreadTeam &team) {
    current = &team;
    ember_team functions = {[](void (*member)(void *), void *argument, unsigned,
                               unsigned) { current->run(member, argument); },
                            [] { return current->size; }};
    ember_use_team(&functions);
  }

  // What one call does: iteration i adds 1 to counts[i].
  struct Call {
    std::vector<int32_t> counts = std::vector<int32_t>(400);
    int64_t failing = -1; // the iteration that does
    std::mutex lock;
    std::set<std::thread::id> threads;

    static void body(void *env, const ember_range *range) {
      Call &call = *static_cast<Call *>(env);
      {
        std::lock_guard guard(call.lock);
        call.threads.insert(std::this_thread::get_id());
      }
      for (int64_t i = range->lower; i < range->upper; ++i) {
        if (i == call.failing)
          ember_fail_message("failing");
        ++call.counts[i];
      }
    }
  };

  // Runs it; returns the code.
  int32_t invoke(Call &call) {
    void *args[] = {&call};
    return ember_invoke(
        [](void **arguments) {
          ember_loop loop = {0, 400, 1, 10, 0, nullptr, 0, 0, 0, 0};
          ember_parallel(Call::body, arguments[0], &loop, 1);
        },
        args, nullptr);
  }

  // Runs it until the calling thread's team is known; whether each was right.
  bool invokeOften(int32_t times = 50) {
    for (int32_t i = 0; i < times; ++i) {
      Call call;
      if (invoke(call) != EMBER_OK ||
          call.counts != std::vector<int32_t>(400, 1))
        return false;
    }
    return true;
  }
};

} // namespace

TEST_F(TeamTest, LoopsRunOnATeamThatIsAwake) {
  ThreadTeam team(3);
  use(team);
  // Other programs may keep its members from running for a while.
  for (int32_t tries = 0; tries < 10000 && team.regions < 3; ++tries) {
    EXPECT_TRUE(invokeOften(20));
    usleep(1000);
  }
  EXPECT_GE(team.regions, 3);
}

TEST_F(TeamTest, ATeamThatSleepsIsLeftAlone) {
  ThreadTeam team(2);
  use(team);
  team.isAwake = false;
  std::thread([&] { // whose team was not seen yet
    EXPECT_TRUE(invokeOften(15));
    EXPECT_EQ(team.regions, 0);
    EXPECT_TRUE(invokeOften(100));
    // It asks for the team once; a member may be about to fall asleep.
    EXPECT_LE(team.regions, 50);
  })
      .join();
}

TEST_F(TeamTest, NoMoreThreadsThanAskedFor) {
  ThreadTeam team(5);
  use(team);
  EXPECT_TRUE(invokeOften());
  for (int32_t round = 0; round < 50; ++round) {
    Call call;
    EXPECT_EQ(invoke(call), EMBER_OK);
    EXPECT_LE(call.threads.size(), 2u);
  }
}

TEST_F(TeamTest, AMuchSmallerTeamIsLeftAlone) {
  for (int32_t size : {1, 2}) {
    ThreadTeam team(size);
    use(team);
    configure(5);
    EXPECT_TRUE(invokeOften());
    EXPECT_EQ(team.regions, 0);
  }
}

TEST_F(TeamTest, NoTeam) {
  ThreadTeam team(2);
  use(team);
  ember_team none = {nullptr, nullptr};
  ember_use_team(&none);
  EXPECT_TRUE(invokeOften());
  use(team);
  ember_use_team(nullptr);
  EXPECT_TRUE(invokeOften());
  EXPECT_EQ(team.regions, 0);
}

TEST_F(TeamTest, FailuresOnATeam) {
  ThreadTeam team(2);
  use(team);
  EXPECT_TRUE(invokeOften());
  for (int64_t failing = 0; failing < 400; failing += 7) {
    Call call;
    call.failing = failing;
    EXPECT_EQ(invoke(call), EMBER_ASSERT);
    for (int64_t i = 0; i < failing; ++i)
      EXPECT_EQ(call.counts[i], 1);
  }
  EXPECT_TRUE(invokeOften());
}

// Members compute as the caller does, and as before afterwards.
TEST_F(TeamTest, RoundingIsTheCallers) {
  ThreadTeam team(2);
  use(team);
  EXPECT_TRUE(invokeOften());
  struct Modes {
    std::atomic<int32_t> wrong = 0;
    static void body(void *env, const ember_range *) {
      if (!roundsUp())
        ++static_cast<Modes *>(env)->wrong;
    }
  } modes;
  fesetround(FE_UPWARD);
  for (int32_t round = 0; round < 100; ++round) {
    void *args[] = {&modes};
    ember_invoke(
        [](void **arguments) {
          ember_loop loop = {0, 400, 1, 10, 0, nullptr, 0, 0, 0, 0};
          ember_parallel(Modes::body, arguments[0], &loop, 1);
        },
        args, nullptr);
  }
  fesetround(FE_TONEAREST);
  EXPECT_EQ(modes.wrong, 0);
  std::atomic<int32_t> others = 0;
  team.run(
      [](void *argument) {
        if (roundsUp())
          ++*static_cast<std::atomic<int32_t> *>(argument);
      },
      &others);
  EXPECT_EQ(others, 0);
}

// A program's call in the midst of a region of its own: the team is one thread.
TEST_F(TeamTest, ARegionOfOneThread) {
  ember_team functions = {[](void (*member)(void *), void *argument, unsigned,
                             unsigned) { member(argument); },
                          [] { return 2; }};
  ember_use_team(&functions);
  std::thread([&] { EXPECT_TRUE(invokeOften()); }).join();
}

TEST_F(TeamTest, MembersThatHaveEnded) {
  std::thread([&] {
    {
      ThreadTeam team(2);
      use(team);
      EXPECT_TRUE(invokeOften());
      EXPECT_GT(team.regions, 0);
    }
    ThreadTeam next(2);
    use(next);
    EXPECT_TRUE(invokeOften(100));
    EXPECT_GT(next.regions, 0);
  }).join();
}

#ifndef EMBER_TESTS_ARE_INSTRUMENTED
// The members are not there, and a region would wait for them for ever.
TEST_F(TeamTest, ForkedChildren) {
  ThreadTeam team(2);
  use(team);
  EXPECT_TRUE(invokeOften());
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int32_t before = team.regions;
    _exit(invokeOften() && team.regions == before ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif
