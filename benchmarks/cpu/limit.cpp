// Reads the rows that lookups name, in their order, and computes nothing: what
// memory allows.
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

template <int Bytes>
using Vector [[gnu::vector_size(Bytes), gnu::aligned(1), gnu::may_alias]] =
    unsigned char;
using Line = Vector<64>;

/// What was read: whole lines of rows, and the parts of a last line by size.
struct Checksum {
  Line lines[4] = {};
  Vector<32> part32 = {};
  Vector<16> part16 = {};
  uint64_t part8 = 0;
  uint32_t part4 = 0;
  uint16_t part2 = 0;
  uint8_t part1 = 0;
};

template <typename Part> Part load(const char *from) {
  Part part;
  std::memcpy(&part, from, sizeof part);
  return part;
}

template <int Bytes> void readRow(const char *row, Checksum &sum) {
  constexpr int block = 4 * sizeof(Line);
  int at = 0;
  for (; at + block <= Bytes; at += block)
    for (int k = 0; k < 4; ++k)
      sum.lines[k] ^= load<Line>(row + at + k * sizeof(Line));
  constexpr int rest = Bytes % block;
  for (int k = 0; k < rest / 64; ++k, at += sizeof(Line))
    sum.lines[k] ^= load<Line>(row + at);
  if constexpr (Bytes & 32)
    sum.part32 ^= load<Vector<32>>(row + at), at += 32;
  if constexpr (Bytes & 16)
    sum.part16 ^= load<Vector<16>>(row + at), at += 16;
  if constexpr (Bytes & 8)
    sum.part8 ^= load<uint64_t>(row + at), at += 8;
  if constexpr (Bytes & 4)
    sum.part4 ^= load<uint32_t>(row + at), at += 4;
  if constexpr (Bytes & 2)
    sum.part2 ^= load<uint16_t>(row + at), at += 2;
  if constexpr (Bytes & 1)
    sum.part1 ^= load<uint8_t>(row + at);
}

template <int Bytes> void prefetchRow(const char *row) {
  for (int at = 0; at < Bytes; at += sizeof(Line))
    __builtin_prefetch(row + at);
  if constexpr (Bytes % sizeof(Line) != 0)
    __builtin_prefetch(row + Bytes - 1);
}

/// Rows that lookups name, in segments; a segment writes a row of the output.
struct Task {
  const char *table;
  int64_t stride;
  const void *indices;
  const int64_t *offsets;
  int64_t segments;
  char *out;
  int64_t outBytes;
  int64_t distance;
};

void writeRow(char *row, int64_t bytes, Line line) {
  int64_t at = 0;
  for (; at + int64_t(sizeof line) <= bytes; at += sizeof line)
    std::memcpy(row + at, &line, sizeof line);
  if (at < bytes)
    std::memcpy(row + at, &line, bytes - at);
}

template <int Bytes, typename Index>
void readSegments(const Task &task, int64_t first, int64_t last,
                  Checksum &result) {
  const auto *indices = static_cast<const Index *>(task.indices);
  // A copy that the writes to the output cannot change stays in registers.
  Checksum sum;
  int64_t end = task.offsets[task.segments];
  int64_t position = task.offsets[first];
  for (int64_t segment = first; segment < last; ++segment) {
    for (; position < task.offsets[segment + 1]; ++position) {
      if (task.distance != 0 && position + task.distance < end)
        prefetchRow<Bytes>(task.table +
                           indices[position + task.distance] * task.stride);
      readRow<Bytes>(task.table + indices[position] * task.stride, sum);
    }
    writeRow(task.out + segment * task.outBytes, task.outBytes, sum.lines[0]);
  }
  result = sum;
}

using Reader = void (*)(const Task &, int64_t, int64_t, Checksum &);

/// The row sizes and types of indices that the harness asked for.
Reader findReader(int64_t rowBytes, int64_t indexBytes) {
#define READER(BYTES, INDEX)                                                   \
  if (rowBytes == BYTES && indexBytes == sizeof(INDEX))                        \
    return readSegments<BYTES, INDEX>;
  READERS
#undef READER
  return nullptr;
}

/// Threads that wait for work: starting them would be part of the time.
class Workers {
public:
  explicit Workers(int count) {
    for (int number = 1; number < count; ++number)
      threads.emplace_back([this, number] { serve(number); });
  }
  ~Workers() {
    stopping = true;
    start();
    for (std::thread &thread : threads)
      thread.join();
  }
  void run(const std::function<void(int)> &function) {
    work = &function;
    running = static_cast<int>(threads.size());
    start();
    function(0);
    for (int left = running; left != 0; left = running)
      running.wait(left);
  }
  int count() const { return static_cast<int>(threads.size()) + 1; }

private:
  void start() {
    ++turn;
    turn.notify_all();
  }
  void serve(int number) {
    for (int seen = 0;;) {
      turn.wait(seen);
      seen = turn;
      if (stopping)
        return;
      (*work)(number);
      if (--running == 0)
        running.notify_one();
    }
  }
  std::atomic<int> turn = 0;
  std::atomic<int> running = 0;
  std::atomic<bool> stopping = false;
  const std::function<void(int)> *work = nullptr;
  std::vector<std::thread> threads;
};

template <typename Part>
void fold(char *line, int &at, const Part &part, bool present) {
  if (!present)
    return;
  for (size_t k = 0; k < sizeof part; ++k)
    line[at + k] ^= reinterpret_cast<const char *>(&part)[k];
  at += sizeof part;
}

} // namespace

/// Runs the task on some threads, each on the segments of an equal part of the
/// lookups, and xors into `checksum` (64 bytes) byte k of every row into byte
/// k % 64. Returns 0, or 1 if no reader was compiled for these sizes.
extern "C" int ember_limit(const char *table, int64_t rowBytes, int64_t stride,
                           const void *indices, int64_t indexBytes,
                           const int64_t *offsets, int64_t segments, char *out,
                           int64_t outBytes, int64_t distance, int threads,
                           char *checksum) {
  static std::unique_ptr<Workers> workers;
  Reader reader = findReader(rowBytes, indexBytes);
  if (!reader)
    return 1;
  Task task{table, stride, indices, offsets, segments, out, outBytes, distance};
  std::vector<Checksum> sums(threads);
  std::function<void(int)> part = [&](int number) {
    auto segmentAt = [&](int64_t share) {
      int64_t lookups = offsets[segments] - offsets[0];
      int64_t position = offsets[0] + lookups * share / threads;
      return std::lower_bound(offsets, offsets + segments, position) - offsets;
    };
    int64_t last = number + 1 == threads ? segments : segmentAt(number + 1);
    reader(task, number == 0 ? 0 : segmentAt(number), last, sums[number]);
  };
  if (threads == 1) {
    part(0);
  } else {
    if (!workers || workers->count() != threads) {
      workers.reset();
      workers = std::make_unique<Workers>(threads);
    }
    workers->run(part);
  }
  for (const Checksum &sum : sums) {
    for (const Line &line : sum.lines) {
      int start = 0;
      fold(checksum, start, line, true);
    }
    // A part begins where the larger ones end.
    int at = 0;
    fold(checksum, at, sum.part32, rowBytes & 32);
    fold(checksum, at, sum.part16, rowBytes & 16);
    fold(checksum, at, sum.part8, rowBytes & 8);
    fold(checksum, at, sum.part4, rowBytes & 4);
    fold(checksum, at, sum.part2, rowBytes & 2);
    fold(checksum, at, sum.part1, rowBytes & 1);
  }
  return 0;
}
