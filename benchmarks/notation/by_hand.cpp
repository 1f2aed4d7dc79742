// Indirect statements as an expert writes them for the sizes of the benchmark:
// nothing is checked, row lengths are known, and rows are what the benchmark
// has them to be: sorted, or all different in a group.
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace {

#ifdef __AVX512F__
constexpr int vectorLanes = 16, vectorRegisters = 32;
#else
constexpr int vectorLanes = 8, vectorRegisters = 16;
#endif
/// Additions that have to be on their way for two units of four cycles each.
constexpr int openSums = 8;

template <int Lanes>
using Vector [[gnu::vector_size(4 * Lanes), gnu::aligned(4), gnu::may_alias]] =
    float;

/// Length floats, in registers.
template <int Length> struct Row {
  static constexpr int lanes = std::min(Length, vectorLanes);
  static constexpr int count = Length / lanes;
  using Part = Vector<lanes>;
  Part parts[count] = {};

  static Row load(const float *from) {
    Row row;
    for (int k = 0; k < count; ++k)
      row.parts[k] = *reinterpret_cast<const Part *>(from + k * lanes);
    return row;
  }
  void store(float *to) const {
    for (int k = 0; k < count; ++k)
      *reinterpret_cast<Part *>(to + k * lanes) = parts[k];
  }
  void addProduct(float factor, const Row &other) {
    for (int k = 0; k < count; ++k)
      parts[k] += factor * other.parts[k];
  }
  void addProduct(float factor, const Row &first, const Row &second) {
    for (int k = 0; k < count; ++k)
      parts[k] += factor * first.parts[k] * second.parts[k];
  }
};

template <int Length> void prefetch(const float *row) {
  for (int at = 0; at < Length; at += 16)
    __builtin_prefetch(row + at);
}

/// C[row[p],n] += val[p] * B[col[p],n], with sorted rows: each is written once.
template <int Length>
void cooProduct(const int64_t *row, const int64_t *col, const float *val,
                const float *b, float *c, int64_t count, int64_t rows,
                int64_t distance) {
  int64_t next = 0;
  for (int64_t p = 0; p < count;) {
    int64_t mine = row[p];
    std::fill(c + next * Length, c + mine * Length, 0.0F);
    Row<Length> sum;
    for (; p < count && row[p] == mine; ++p) {
      if (distance != 0)
        prefetch<Length>(b + col[std::min(p + distance, count - 1)] * Length);
      sum.addProduct(val[p], Row<Length>::load(b + col[p] * Length));
    }
    sum.store(c + mine * Length);
    next = mine + 1;
  }
  std::fill(c + next * Length, c + rows * Length, 0.0F);
}

/// Pairs of one group of Y[to[p],o] += sum[c](X[at[p],c] * W[k[p],c,o]), which
/// add to different rows.
template <int Channels, int Pairs>
void addPairs(const int64_t *to, const int64_t *at, const float *x,
              const float *w, float *y) {
  const float *from[Pairs];
  Row<Channels> sums[Pairs];
  for (int pair = 0; pair < Pairs; ++pair) {
    from[pair] = x + at[pair] * Channels;
    sums[pair] = Row<Channels>::load(y + to[pair] * Channels);
  }
#pragma GCC unroll 4
  for (int c = 0; c < Channels; ++c) {
    auto weights = Row<Channels>::load(w + c * Channels);
    for (int pair = 0; pair < Pairs; ++pair)
      sums[pair].addProduct(from[pair][c], weights);
  }
  for (int pair = 0; pair < Pairs; ++pair)
    sums[pair].store(y + to[pair] * Channels);
}

template <int Channels>
void sparseConvolution(const int64_t *to, const int64_t *at, const int64_t *k,
                       const float *x, const float *w, float *y, int64_t count,
                       int64_t points) {
  constexpr int pairs = std::max(openSums / Row<Channels>::count, 2);
  std::fill(y, y + points * Channels, 0.0F);
  int64_t p = 0;
  while (p < count) {
    const float *weights = w + k[p] * Channels * Channels;
    if (p + pairs <= count && k[p + pairs - 1] == k[p]) {
      addPairs<Channels, pairs>(to + p, at + p, x, weights, y);
      p += pairs;
    } else {
      addPairs<Channels, 1>(to + p, at + p, x, weights, y);
      ++p;
    }
  }
}

/// The sparse terms of an equivariant product.
struct Terms {
  const int64_t *i, *j, *k, *l;
  const float *v;
  int64_t count;
};

/// Elements of Z[b,K[p],u] += V[p] * X[b,I[p],u] * Y[b,J[p]] * W[b,L[p],u] at
/// several b, with sorted K.
template <int Channels, int Batch>
void addTerms(const Terms &terms, const float *x, const float *y,
              const float *w, float *z, int64_t orders, int64_t paths) {
  std::fill(z, z + Batch * orders * Channels, 0.0F);
  for (int64_t p = 0; p < terms.count;) {
    int64_t mine = terms.k[p];
    Row<Channels> sums[Batch];
    for (; p < terms.count && terms.k[p] == mine; ++p)
      for (int b = 0; b < Batch; ++b)
        sums[b].addProduct(
            terms.v[p] * y[b * orders + terms.j[p]],
            Row<Channels>::load(x + (b * orders + terms.i[p]) * Channels),
            Row<Channels>::load(w + (b * paths + terms.l[p]) * Channels));
    for (int b = 0; b < Batch; ++b)
      sums[b].store(z + (b * orders + mine) * Channels);
  }
}

template <int Channels>
void equivariantProduct(const Terms &terms, const float *x, const float *y,
                        const float *w, float *z, int64_t batch, int64_t orders,
                        int64_t paths) {
  constexpr int step = std::max(openSums / Row<Channels>::count, 1);
  auto add = [&](auto count, int64_t b) {
    addTerms<Channels, count.value>(terms, x + b * orders * Channels,
                                    y + b * orders, w + b * paths * Channels,
                                    z + b * orders * Channels, orders, paths);
  };
  int64_t b = 0;
  for (; b + step <= batch; b += step)
    add(std::integral_constant<int, step>(), b);
  for (; b < batch; ++b)
    add(std::integral_constant<int, 1>(), b);
}

/// C[row[p],a,n] += sum[c](V[p,a,c] * B[col[p],c,n]), with sorted rows: a tile
/// of the result stays in registers while its row of blocks is added up.
template <int Size, int Length>
void blockProduct(const int64_t *row, const int64_t *col, const float *v,
                  const float *b, float *c, int64_t count, int64_t blocks) {
  // Half of the registers hold sums.
  constexpr int across =
      std::min(Length / vectorLanes, 4 * vectorRegisters / 32);
  constexpr int tile = across * vectorLanes,
                down = vectorRegisters / 2 / across;
  std::fill(c, c + blocks * Size * Length, 0.0F);
  for (int64_t first = 0; first < count;) {
    int64_t last = first;
    while (last < count && row[last] == row[first])
      ++last;
    for (int n = 0; n < Length; n += tile)
      for (int a = 0; a < Size; a += down) {
        Row<tile> sums[down];
        for (int64_t p = first; p < last; ++p)
          for (int k = 0; k < Size; ++k) {
            auto other = Row<tile>::load(b + (col[p] * Size + k) * Length + n);
            for (int r = 0; r < down; ++r)
              sums[r].addProduct(v[(p * Size + a + r) * Size + k], other);
          }
        for (int r = 0; r < down; ++r)
          sums[r].store(c + (row[first] * Size + a + r) * Length + n);
      }
    first = last;
  }
}

/// Calls `function` with the constant of `Sizes` that `size` is; 0, or 1 if it
/// is none of them.
template <int... Sizes, typename Function>
int callWith(int64_t size, Function function) {
  auto callIf = [&](auto known) {
    if (size != known)
      return false;
    function(known);
    return true;
  };
  return (callIf(std::integral_constant<int, Sizes>()) || ...) ? 0 : 1;
}

} // namespace

// Each function returns 0, or 1 if nothing was compiled for that size.

extern "C" int coo_product(const int64_t *row, const int64_t *col,
                           const float *val, const float *b, float *c,
                           int64_t count, int64_t rows, int64_t length,
                           int64_t distance) {
  return callWith<64, 32, 16>(length, [&](auto known) {
    cooProduct<known>(row, col, val, b, c, count, rows, distance);
  });
}

extern "C" int sparse_convolution(const int64_t *to, const int64_t *at,
                                  const int64_t *k, const float *x,
                                  const float *w, float *y, int64_t count,
                                  int64_t points, int64_t channels) {
  return callWith<16, 32>(channels, [&](auto known) {
    sparseConvolution<known>(to, at, k, x, w, y, count, points);
  });
}

extern "C" int equivariant_product(const int64_t *i, const int64_t *j,
                                   const int64_t *k, const int64_t *l,
                                   const float *v, const float *x,
                                   const float *y, const float *w, float *z,
                                   int64_t terms, int64_t batch, int64_t orders,
                                   int64_t paths, int64_t channels) {
  Terms all{i, j, k, l, v, terms};
  return callWith<32, 8>(channels, [&](auto known) {
    equivariantProduct<known>(all, x, y, w, z, batch, orders, paths);
  });
}

extern "C" int block_product(const int64_t *row, const int64_t *col,
                             const float *v, const float *b, float *c,
                             int64_t count, int64_t blocks, int64_t size) {
  return callWith<16, 32>(size, [&](auto known) {
    blockProduct<known, 64>(row, col, v, b, c, count, blocks);
  });
}

/// Multiplies and adds `count` floats in registers: what a core computes at the
/// most. Returns a sum, so that nothing is left out.
extern "C" float multiply_add(int64_t count) {
  constexpr int sums = 12;
  Row<sums * vectorLanes> sum, factors;
  for (auto &part : factors.parts)
    part += 1.0F;
  float factor = 1.0F;
  for (int64_t left = count; left > 0; left -= int64_t(sums) * vectorLanes) {
    sum.addProduct(factor, factors);
    // The factor of each step is another one for all that is known.
    asm volatile("" : "+x"(factor));
  }
  float total = 0;
  for (const auto &part : sum.parts)
    for (int lane = 0; lane < vectorLanes; ++lane)
      total += part[lane];
  return total;
}
