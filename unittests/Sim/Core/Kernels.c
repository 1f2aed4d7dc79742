// Loops that compilers make all kinds of instructions of. They are compiled for
// the host and, in several ways, for AArch64; the results have to be the same.
// All have one signature: out, two inputs, indices below n, and n.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;

#define KERNEL(name, T, ...)                                                   \
  void name(T *restrict out, const T *restrict a, const T *restrict b,         \
            const i32 *restrict idx, long n) {                                 \
    __VA_ARGS__                                                                \
  }
#define EACH for (long i = 0; i < n; ++i)

#define COMMON(T)                                                              \
  KERNEL(axpy_##T, T, T k = a[1]; EACH out[i] += k * b[i];)                    \
  KERNEL(dot_##T, T, T s = 0; EACH s += a[i] * b[i]; out[0] = s;)              \
  KERNEL(larger_##T, T, EACH out[i] = a[i] > b[i] ? a[i] : b[i];)              \
  KERNEL(most_##T, T, T s = a[0]; EACH s = a[i] > s ? a[i] : s; out[0] = s;)   \
  KERNEL(least_##T, T, T s = a[0]; EACH s = a[i] < s ? a[i] : s; out[0] = s;)  \
  KERNEL(quotient_##T, T, EACH out[i] = a[i] / (T)(b[i] + (b[i] == 0));)       \
  KERNEL(where_##T, T, EACH if (a[i] > b[i]) out[i] = a[i] - b[i];)            \
  KERNEL(gather_##T, T, EACH out[i] = a[idx[i]];)                              \
  KERNEL(scatter_##T, T, EACH out[idx[i]] = a[i];)                             \
  KERNEL(gatherIf_##T, T, EACH if (idx[i] & 1) out[i] = a[idx[i]];)            \
  KERNEL(                                                                      \
      bag_##T, T, EACH {                                                       \
        T s = 0;                                                               \
        for (long p = i; p < i + 3; ++p)                                       \
          s += b[p % n] * a[idx[p % n]];                                       \
        out[i] = s;                                                            \
      })                                                                       \
  KERNEL(pairs_##T, T,                                                         \
         for (long i = 0; i < n / 2; ++i) out[i] = a[2 * i] - a[2 * i + 1];)   \
  KERNEL(                                                                      \
      triples_##T, T, for (long i = 0; i < n / 3; ++i) {                       \
        out[3 * i] = a[3 * i + 2];                                             \
        out[3 * i + 1] = a[3 * i];                                             \
        out[3 * i + 2] = a[3 * i + 1];                                         \
      })                                                                       \
  KERNEL(                                                                      \
      quads_##T, T, for (long i = 0; i < n / 4; ++i) {                         \
        out[4 * i] = a[4 * i + 3];                                             \
        out[4 * i + 1] = a[4 * i + 2];                                         \
        out[4 * i + 2] = a[4 * i];                                             \
        out[4 * i + 3] = a[4 * i + 1];                                         \
      })                                                                       \
  KERNEL(reversed_##T, T, EACH out[i] = a[n - 1 - i];)                         \
  KERNEL(filled_##T, T, T v = b[0]; EACH out[i] = v;)                          \
  KERNEL(counting_##T, T, EACH out[i] = (T)i;)                                 \
  KERNEL(counted_##T, T, long c = 0; EACH c += a[i] == b[0]; out[0] = (T)c;)   \
  KERNEL(absolute_##T, T, EACH out[i] = a[i] < 0 ? -a[i] : a[i];)              \
  KERNEL(to_f32_##T, T, f32 *o = (f32 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] = (f32)a[i];)                   \
  KERNEL(to_f64_##T, T, f64 *o = (f64 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] = (f64)a[i];)                   \
  KERNEL(to_f16_##T, T, f16 *o = (f16 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] = (f16)a[i];)

#define INTEGER(T)                                                             \
  KERNEL(shifts_##T, T,                                                        \
         EACH out[i] = (T)((a[i] << 3) ^ (b[i] >> 2) | (a[i] & ~b[i]));)       \
  KERNEL(scaled_##T, T,                                                        \
         EACH out[i] = (T)((a[i] + (b[i] << 2)) ^ (b[i] + ((i32)a[i] << 3)) ^  \
                           (a[i] + ((T)(u32)b[i] << 1)));)                     \
  KERNEL(shiftsBy_##T, T,                                                      \
         EACH out[i] = (T)((a[i] << (b[i] & 7)) + (a[i] >> (b[i] & 3)));)      \
  KERNEL(xors_##T, T, T s = 0; EACH s ^= a[i]; out[0] = s;)                    \
  KERNEL(ors_##T, T, T s = 0; EACH s |= a[i]; out[0] = s;)                     \
  KERNEL(ands_##T, T, T s = -1; EACH s &= a[i]; out[0] = s;)                   \
  KERNEL(sevenths_##T, T, EACH out[i] = a[i] / 7 + a[i] % 10;)                 \
  KERNEL(bits_##T, T,                                                          \
         EACH out[i] = (T)(__builtin_popcountll((u64)a[i]) +                   \
                           __builtin_clzll((u64)a[i] | 1) +                    \
                           __builtin_ctzll((u64)a[i] | 256));)                 \
  KERNEL(swapped_##T, T, EACH out[i] = (T)__builtin_bswap32((u32)a[i]);)       \
  KERNEL(mirrored_##T, T, EACH out[i] = (T)__builtin_bitreverse64((u64)a[i]);) \
  KERNEL(saturated_##T, T,                                                     \
         EACH out[i] = __builtin_elementwise_add_sat(a[i], b[i]);)             \
  KERNEL(saturatedDown_##T, T,                                                 \
         EACH out[i] = __builtin_elementwise_sub_sat(a[i], b[i]);)             \
  KERNEL(compared_##T, T,                                                      \
         EACH out[i] =                                                         \
             (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] != b[i]);)         \
  KERNEL(                                                                      \
      decode4_##T, T, f32 *o = (f32 *)out; for (long i = 0; i < n / 16; ++i) { \
        o[2 * i] = (f32)(a[i] & 15);                                           \
        o[2 * i + 1] = (f32)(a[i] >> 4);                                       \
      })                                                                       \
  KERNEL(                                                                      \
      switched_##T, T, EACH switch (a[i] & 15) {                               \
        case 0:                                                                \
          out[i] = b[i] + 1;                                                   \
          break;                                                               \
        case 1:                                                                \
          out[i] = b[i] * 3;                                                   \
          break;                                                               \
        case 2:                                                                \
          out[i] = b[i] ^ 5;                                                   \
          break;                                                               \
        case 3:                                                                \
          out[i] = b[i] - 9;                                                   \
          break;                                                               \
        case 4:                                                                \
          out[i] = b[i] / 3;                                                   \
          break;                                                               \
        case 5:                                                                \
          out[i] = b[i] << 2;                                                  \
          break;                                                               \
        case 7:                                                                \
          out[i] = b[i] % 7;                                                   \
          break;                                                               \
        default:                                                               \
          out[i] = ~b[i];                                                      \
          break;                                                               \
      })

#define FLOAT(T, S)                                                            \
  KERNEL(root_##T, T,                                                          \
         EACH out[i] = __builtin_sqrt##S(__builtin_fabs##S(a[i]));)            \
  KERNEL(fused_##T, T, EACH out[i] = __builtin_fma##S(a[i], b[i], -out[i]);)   \
  KERNEL(fusedDown_##T, T,                                                     \
         EACH out[i] = __builtin_fma##S(-a[i], b[i], out[i]);)                 \
  KERNEL(rounded_##T, T,                                                       \
         EACH out[i] = __builtin_floor##S(a[i]) +                              \
                       2 * __builtin_ceil##S(b[i]) +                           \
                       __builtin_trunc##S(a[i]) + __builtin_round##S(b[i]) +   \
                       __builtin_rint##S(a[i]);)                               \
  KERNEL(signed_##T, T, EACH out[i] = __builtin_copysign##S(a[i], b[i]);)      \
  KERNEL(greater_##T, T,                                                       \
         EACH out[i] =                                                         \
             __builtin_fmax##S(a[i], b[i]) - __builtin_fmin##S(a[i], b[i]);)   \
  KERNEL(to_i32_##T, T, i32 *o = (i32 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] = (i32)a[i];)                   \
  KERNEL(to_i8_##T, T, i8 *o = (i8 *)out; EACH o[i] = (i8)(i32)a[i];)          \
  KERNEL(to_u16_##T, T, u16 *o = (u16 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] =                               \
             (u16)__builtin_fabs##S(a[i]);)                                    \
  KERNEL(to_i64_##T, T, i64 *o = (i64 *)out;                                   \
         for (long i = 0; i < n / 8; ++i) o[i] = (i64)a[i];)                   \
  KERNEL(fixed_##T, T, T s = 0;                                                \
         EACH s += (T)idx[i] / 8 + (T)((u64)idx[i] * 77777) / 131072 +         \
                   (T)(i64)(idx[i] - 9) / 32 + (T)(u32)(idx[i] * 3) / 64;      \
         out[0] = s;)                                                          \
  KERNEL(toFixed_##T, T, i64 s = 0;                                            \
         EACH s += (i32)(a[i] * 16) + (i64)(a[i] * 65536) +                    \
                   (u32)(__builtin_fabs##S(a[i]) * 256);                       \
         *(i64 *)out = s;)

// Without semicolons behind them, these are no statements to the formatter.
// clang-format off
COMMON(f32)
COMMON(f64)
COMMON(f16)
COMMON(i8)
COMMON(i16)
COMMON(i32)
COMMON(i64)
COMMON(u8)
COMMON(u16)
COMMON(u32)
COMMON(u64)
INTEGER(i8)
INTEGER(i16)
INTEGER(i32)
INTEGER(i64)
INTEGER(u8)
INTEGER(u16)
INTEGER(u32)
INTEGER(u64)
FLOAT(f32, f)
FLOAT(f64, )
// clang-format on

static i32 square(i32 x) { return x * x + 1; }
static i32 twice(i32 x) { return 2 * x; }
static i32 (*volatile const functions[2])(i32) = {square, twice};
KERNEL(called_i32, i32, EACH out[i] = functions[i & 1](a[i]);)
KERNEL(wide_i64, i64, EACH out[i] = (i64)(((__int128)a[i] * b[i]) >> 64);)
KERNEL(wide_u64, u64,
       EACH out[i] = (u64)(((unsigned __int128)a[i] * b[i]) >> 64) + out[i];)
// Halves: what the host, which computes them as floats, does not round.
KERNEL(fixed_f16, f16,
       EACH out[i] = idx[i] & 1 ? (f16)idx[i] / 8
                                : (f16)(i64)(idx[i] - 9) / 32;)
KERNEL(fixedUnsigned_f16, f16,
       EACH out[i] = idx[i] & 1 ? (f16)(u32)(idx[i] * 3) / 64
                                : (f16)((u64)idx[i] * 5) / 16;)
KERNEL(toFixed_f16, f16, i64 s = 0;
       EACH s += (i32)(a[i] * 16) + (i64)(a[i] * 64) +
                 (u32)((a[i] < 0 ? -a[i] : a[i]) * 256);
       *(i64 *)out = s;)
static const f32 table[16] = {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f,
                              .9f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f};
KERNEL(looked_f32, f32, EACH out[i] = table[idx[i] & 15];)
