//===- Isolate.cpp - Code that may crash or hang --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ember::fuzz {

static void sendLine(int to, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  for (size_t sent = 0; sent < line.size();) {
    ssize_t count = write(to, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR)
      _exit(1);
    sent += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
}

[[noreturn]] static void endWithoutChild() {
  std::fprintf(stderr, "error: cannot start a process: %s\n",
               std::strerror(errno));
  std::exit(1);
}

void killChild(const Child &child) {
  if (child.pid > 0)
    kill(child.pid, SIGKILL);
}

Child startChild(const std::function<void(const SendLine &)> &work) {
  int ends[2];
  if (pipe(ends) != 0)
    endWithoutChild();
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid < 0)
    endWithoutChild();
  if (pid != 0) {
    close(ends[1]);
    return {pid, ends[0]};
  }
  // A campaign that is interrupted leaves nothing running behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(ends[0]);
  work([&](const std::string &line) { sendLine(ends[1], line); });
  // Not exit: destructors of the parent's objects are the parent's.
  _exit(0);
}

double cpuSeconds(const Child &child) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(child.pid, &clock) != 0 ||
      clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string waitForChild(const Child &child) {
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(child.lines);
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + ": " +
           strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return "exit status " + std::to_string(WEXITSTATUS(status));
  return "";
}

IsolatedRun runIsolated(const std::function<void(const SendLine &)> &work,
                        double seconds) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + std::chrono::milliseconds(
                                     static_cast<int64_t>(seconds * 1000));
  Child child = startChild(work);
  IsolatedRun run;
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    pollfd ready{child.lines, POLLIN, 0};
    int count =
        poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      run.hasTimedOut = true;
      killChild(child);
      break;
    }
    char buffer[4096];
    ssize_t size = read(child.lines, buffer, sizeof buffer);
    if (size <= 0)
      break;
    run.output.append(buffer, static_cast<size_t>(size));
  }
  run.death = waitForChild(child);
  return run;
}

} // namespace ember::fuzz
