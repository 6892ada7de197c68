// wgmma: D(64 x N, fp32 registers) += A(64 x 32 bytes) * B(N x 32 bytes), operands in shared memory
// in the 128-byte swizzle, K-major or, for 16-bit types, MN-major.
//
// A thread holds N / 2 accumulators: columns 8 j + 2 (lane % 4) + {0, 1} of rows lane / 4 and
// lane / 4 + 8 of its warp's 16 rows are d[4 j + {0, 1}] and d[4 j + {2, 3}].
#pragma once

#include "map/element_type.cuh"

namespace tw::ptx {

/// Orders register and shared-memory accesses before the wgmmas that follow.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Returns once all but the newest `Pending` groups are complete.
template <int Pending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Describes an operand of 128-byte rows in the 128-byte swizzle: atoms of 8 rows, 1024 bytes,
/// follow each other along k (MN-major) or along m or n (K-major). `SlabBytes` is the distance to
/// the next 64 elements along m or n of an MN-major operand; swizzled K-major operands do not use
/// it.
template <int SlabBytes = 16>
__device__ inline unsigned long long wgmma_descriptor(unsigned shared) {
  constexpr unsigned long long kSwizzle128 = 1ULL << 62;
  constexpr unsigned long long kAtomStride = (1024ULL >> 4) << 32;
  constexpr unsigned long long kSlabStride = static_cast<unsigned long long>(SlabBytes >> 4) << 16;
  return kSwizzle128 | kAtomStride | kSlabStride | ((shared & 0x3FFFF) >> 4);
}

template <int N>
struct Wgmma;

// clang-format off
#define TW_IN1 "%0, %1, %2, %3"
#define TW_OUT1 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define TW_IN2 TW_IN1 ", %4, %5, %6, %7"
#define TW_OUT2 TW_OUT1, "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define TW_IN3 TW_IN2 ", %8, %9, %10, %11"
#define TW_OUT3 TW_OUT2, "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define TW_IN4 TW_IN3 ", %12, %13, %14, %15"
#define TW_OUT4 TW_OUT3, "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define TW_IN5 TW_IN4 ", %16, %17, %18, %19"
#define TW_OUT5 TW_OUT4, "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define TW_IN6 TW_IN5 ", %20, %21, %22, %23"
#define TW_OUT6 TW_OUT5, "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define TW_IN7 TW_IN6 ", %24, %25, %26, %27"
#define TW_OUT7 TW_OUT6, "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define TW_IN8 TW_IN7 ", %28, %29, %30, %31"
#define TW_OUT8 TW_OUT7, "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define TW_IN9 TW_IN8 ", %32, %33, %34, %35"
#define TW_OUT9 TW_OUT8, "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define TW_IN10 TW_IN9 ", %36, %37, %38, %39"
#define TW_OUT10 TW_OUT9, "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define TW_IN11 TW_IN10 ", %40, %41, %42, %43"
#define TW_OUT11 TW_OUT10, "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define TW_IN12 TW_IN11 ", %44, %45, %46, %47"
#define TW_OUT12 TW_OUT11, "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define TW_IN13 TW_IN12 ", %48, %49, %50, %51"
#define TW_OUT13 TW_OUT12, "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define TW_IN14 TW_IN13 ", %52, %53, %54, %55"
#define TW_OUT14 TW_OUT13, "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define TW_IN15 TW_IN14 ", %56, %57, %58, %59"
#define TW_OUT15 TW_OUT14, "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define TW_IN16 TW_IN15 ", %60, %61, %62, %63"
#define TW_OUT16 TW_OUT15, "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define TW_IN17 TW_IN16 ", %64, %65, %66, %67"
#define TW_OUT17 TW_OUT16, "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define TW_IN18 TW_IN17 ", %68, %69, %70, %71"
#define TW_OUT18 TW_OUT17, "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define TW_IN19 TW_IN18 ", %72, %73, %74, %75"
#define TW_OUT19 TW_OUT18, "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define TW_IN20 TW_IN19 ", %76, %77, %78, %79"
#define TW_OUT20 TW_OUT19, "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define TW_IN21 TW_IN20 ", %80, %81, %82, %83"
#define TW_OUT21 TW_OUT20, "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define TW_IN22 TW_IN21 ", %84, %85, %86, %87"
#define TW_OUT22 TW_OUT21, "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define TW_IN23 TW_IN22 ", %88, %89, %90, %91"
#define TW_OUT23 TW_OUT22, "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define TW_IN24 TW_IN23 ", %92, %93, %94, %95"
#define TW_OUT24 TW_OUT23, "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define TW_IN25 TW_IN24 ", %96, %97, %98, %99"
#define TW_OUT25 TW_OUT24, "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define TW_IN26 TW_IN25 ", %100, %101, %102, %103"
#define TW_OUT26 TW_OUT25, "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define TW_IN27 TW_IN26 ", %104, %105, %106, %107"
#define TW_OUT27 TW_OUT26, "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define TW_IN28 TW_IN27 ", %108, %109, %110, %111"
#define TW_OUT28 TW_OUT27, "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define TW_IN29 TW_IN28 ", %112, %113, %114, %115"
#define TW_OUT29 TW_OUT28, "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define TW_IN30 TW_IN29 ", %116, %117, %118, %119"
#define TW_OUT30 TW_OUT29, "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define TW_IN31 TW_IN30 ", %120, %121, %122, %123"
#define TW_OUT31 TW_OUT30, "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define TW_IN32 TW_IN31 ", %124, %125, %126, %127"
#define TW_OUT32 TW_OUT31, "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

// The operands after the accumulators: descriptors of A and B, whether to add to the accumulators,
// which operands are MN-major (16-bit types only), and the products' sign.
#define TW_WGMMA_ASM(N, SHAPE_AND_TYPES, G, A, B, P, S, MAJORS, ...)                 \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" P ", 0;\n"                       \
               "wgmma.mma_async.sync.aligned.m64n" N SHAPE_AND_TYPES " {" TW_IN##G   \
               "}, %" A ", %" B ", p, %" S ", 1" MAJORS ";\n}"                       \
               : TW_OUT##G : "l"(a), "l"(b), "r"(accumulate), __VA_ARGS__)

#define TW_WGMMA(N, G, A, B, P, TA, TB, TS)                                                  \
  template <>                                                                                \
  struct Wgmma<N> {                                                                          \
    template <ElementType E, int AMnMajor = 0, int BMnMajor = 0, int Sign = 1>               \
    __device__ static void multiply(float (&d)[N / 2], unsigned long long a,                 \
                                    unsigned long long b, int accumulate) {                  \
      if constexpr (E == ElementType::BF16) {                                                \
        TW_WGMMA_ASM(#N, "k16.f32.bf16.bf16", G, A, B, P, TS, ", %" TA ", %" TB,             \
                     "n"(AMnMajor), "n"(BMnMajor), "n"(Sign));                               \
      } else if constexpr (E == ElementType::F16) {                                          \
        TW_WGMMA_ASM(#N, "k16.f32.f16.f16", G, A, B, P, TS, ", %" TA ", %" TB,               \
                     "n"(AMnMajor), "n"(BMnMajor), "n"(Sign));                               \
      } else if constexpr (E == ElementType::E5M2) {                                         \
        static_assert(!AMnMajor && !BMnMajor, "e5m2 along k");                               \
        TW_WGMMA_ASM(#N, "k32.f32.e5m2.e5m2", G, A, B, P, TA, "", "n"(Sign));                \
      } else {                                                                               \
        static_assert(E == ElementType::E4M3 && !AMnMajor && !BMnMajor, "e4m3 along k");     \
        TW_WGMMA_ASM(#N, "k32.f32.e4m3.e4m3", G, A, B, P, TA, "", "n"(Sign));                \
      }                                                                                      \
    }                                                                                        \
  };

TW_WGMMA(8, 1, "4", "5", "6", "7", "8", "9")
TW_WGMMA(16, 2, "8", "9", "10", "11", "12", "13")
TW_WGMMA(24, 3, "12", "13", "14", "15", "16", "17")
TW_WGMMA(32, 4, "16", "17", "18", "19", "20", "21")
TW_WGMMA(40, 5, "20", "21", "22", "23", "24", "25")
TW_WGMMA(48, 6, "24", "25", "26", "27", "28", "29")
TW_WGMMA(56, 7, "28", "29", "30", "31", "32", "33")
TW_WGMMA(64, 8, "32", "33", "34", "35", "36", "37")
TW_WGMMA(72, 9, "36", "37", "38", "39", "40", "41")
TW_WGMMA(80, 10, "40", "41", "42", "43", "44", "45")
TW_WGMMA(88, 11, "44", "45", "46", "47", "48", "49")
TW_WGMMA(96, 12, "48", "49", "50", "51", "52", "53")
TW_WGMMA(104, 13, "52", "53", "54", "55", "56", "57")
TW_WGMMA(112, 14, "56", "57", "58", "59", "60", "61")
TW_WGMMA(120, 15, "60", "61", "62", "63", "64", "65")
TW_WGMMA(128, 16, "64", "65", "66", "67", "68", "69")
TW_WGMMA(136, 17, "68", "69", "70", "71", "72", "73")
TW_WGMMA(144, 18, "72", "73", "74", "75", "76", "77")
TW_WGMMA(152, 19, "76", "77", "78", "79", "80", "81")
TW_WGMMA(160, 20, "80", "81", "82", "83", "84", "85")
TW_WGMMA(168, 21, "84", "85", "86", "87", "88", "89")
TW_WGMMA(176, 22, "88", "89", "90", "91", "92", "93")
TW_WGMMA(184, 23, "92", "93", "94", "95", "96", "97")
TW_WGMMA(192, 24, "96", "97", "98", "99", "100", "101")
TW_WGMMA(200, 25, "100", "101", "102", "103", "104", "105")
TW_WGMMA(208, 26, "104", "105", "106", "107", "108", "109")
TW_WGMMA(216, 27, "108", "109", "110", "111", "112", "113")
TW_WGMMA(224, 28, "112", "113", "114", "115", "116", "117")
TW_WGMMA(232, 29, "116", "117", "118", "119", "120", "121")
TW_WGMMA(240, 30, "120", "121", "122", "123", "124", "125")
TW_WGMMA(248, 31, "124", "125", "126", "127", "128", "129")
TW_WGMMA(256, 32, "128", "129", "130", "131", "132", "133")
// clang-format on

#undef TW_WGMMA
#undef TW_WGMMA_ASM

}  // namespace tw::ptx
