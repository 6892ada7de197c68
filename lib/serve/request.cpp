#include "serve/request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "map/work_split.cuh"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

// Indices into the words of a key.
using Word = size_t;
constexpr Word kOp = 0;
constexpr Word kType = 1;
constexpr Word kOutType = 2;
constexpr Word kLayout = 3;
constexpr Word kUplo = 4;
constexpr Word kActivation = 5;
constexpr Word kFlags = 6;
constexpr Word kM = 7;
constexpr Word kN = 8;
constexpr Word kK = 9;
constexpr Word kLda = 10;
constexpr Word kLdb = 11;
constexpr Word kLdc = 12;
constexpr Word kLdd = 13;
constexpr Word kAlignmentA = 14;
constexpr Word kAlignmentB = 15;
constexpr Word kAlignmentC = 16;
constexpr Word kAlignmentD = 17;
constexpr Word kGroups = 18;
constexpr Word kScaleFormA = 19;  // an OperandScale
constexpr Word kScaleFormB = 20;
constexpr Word kCollective = 21;  // a Collective
constexpr Word kGpus = 22;
constexpr Word kRank = 23;
constexpr Word kSms = 24;  // that the launch keeps to; 0: all

// The bits of kFlags.
using Flag = int64_t;
constexpr Flag kBias = 1;
constexpr Flag kScaled = 2;
constexpr Flag kReadsC = 4;
constexpr Flag kUnalignedScales = 8;
constexpr Flag kRowBias = 16;
constexpr Flag kStacked = 32;
constexpr Flag kScaleD = 64;
constexpr Flag kAbsmax = 128;
constexpr Flag kPromoted = 256;

[[noreturn]] void refuse(const std::string& what) {
  throw usage_error(what);
}

void require_choice(const char* field, int32_t value, int32_t count) {
  if (value < 0 || value >= count) {
    refuse(format("{} is {}, and it must be one of 0 to {}", field, value, count - 1));
  }
}

void require_size(const char* field, int64_t value) {
  if (value < 0 || value > std::numeric_limits<int32_t>::max()) {
    refuse(format("{} is {}, and sizes are 0 to 2^31 - 1", field, value));
  }
}

// An address counts only by its alignment, up to the most that a kernel requires.
constexpr int64_t kMaxAlignment = 16;

int64_t alignment_of(const void* address) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(address) | uintptr_t{kMaxAlignment};
  return static_cast<int64_t>(value & (~value + 1));
}

void require_elements(const char* field, const void* address, DataType type) {
  if (reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(bytes_of(type)) == 0) return;
  refuse(format("{} is not a multiple of its elements' {} bytes", field, bytes_of(type)));
}

int64_t pitch_of(const char* field, int64_t pitch, int64_t row) {
  if (pitch == 0) return row;
  if (pitch < row || pitch > std::numeric_limits<int32_t>::max()) {
    refuse(format("{} is {}; rows have {} elements, and the limit is 2^31 - 1", field, pitch, row));
  }
  return pitch;
}

void require_given(const char* field, const void* address) {
  if (address == nullptr) refuse(format("{} is NULL", field));
}

void require_known_size(uint64_t size) {
  constexpr uint64_t kFirstVersion = offsetof(shipped_call, group_ends);
  constexpr uint64_t kSecondVersion = offsetof(shipped_call, scale_a_form);
  constexpr uint64_t kThirdVersion = offsetof(shipped_call, comm);
  constexpr uint64_t kFifthVersion = offsetof(shipped_call, sms);
  const bool is_known = size == kFirstVersion || size == kSecondVersion || size == kThirdVersion ||
                        size == kFifthVersion || size >= sizeof(shipped_call);
  if (!is_known) {
    refuse(format("size is {}: set it to the sizeof of the call, as the default call does", size));
  }
  if (size > sizeof(shipped_call)) {
    refuse(format("size is {}: the header is of a later version, and this library knows {}", size,
                  sizeof(shipped_call)));
  }
}

// The scales of an operand; `form` is a shipped_scale.
OperandScale read_scale(const float* scales, int32_t form, Operand operand) {
  const char* const field = operand == Operand::A ? "scale_a_form" : "scale_b_form";
  require_choice(field, form, SHIPPED_SCALE_128X128_K4 + 1);
  require_elements(operand == Operand::A ? "scale_a" : "scale_b", scales, DataType::F32);
  if (scales == nullptr) {
    if (form != SHIPPED_SCALE_TENSOR)
      refuse(format("{} is {}, and its scales are NULL", field, form));
    return OperandScale::None;
  }
  static_assert(static_cast<int>(OperandScale::BlockPadded) == SHIPPED_SCALE_128X128_K4 + 1);
  const auto scale = static_cast<OperandScale>(form + 1);
  if (!scale_name(scale, operand).empty()) return scale;
  refuse(format("{} is {}: only B has scales of 128x128", field, form));
}

// Checks the fields of D's factor and absolute maximum.
void require_scaling(const shipped_call& call) {
  const bool is_used = call.uses_scale_d != 0 || call.takes_absmax != 0;
  if (!is_used) return;
  require_given("scaling", call.scaling);
  require_elements("scaling", call.scaling, DataType::F32);
}

void read_kind(const shipped_call& call, RequestKey& key) {
  require_choice("op", call.op, 4);
  require_choice("type", call.type, SHIPPED_E5M2 + 1);
  require_choice("out_type", call.out_type, SHIPPED_E5M2 + 1);
  require_choice("layout", call.layout, 4);
  require_choice("uplo", call.uplo, 3);
  require_choice("activation", call.activation, static_cast<int32_t>(std::size(tw::kActivations)));
  const auto type = static_cast<DataType>(call.type);
  const auto out = static_cast<DataType>(call.out_type);
  if (!tw::record_of(type).operand) {
    refuse(format("type: {} is no type of operands", to_string(type)));
  }
  if (!tw::record_of(out).output) {
    refuse(format("out_type: {} is no type of outputs", to_string(out)));
  }
  key.words[kOp] = call.op;
  key.words[kType] = call.type;
  key.words[kOutType] = call.out_type;
  key.words[kLayout] = call.layout;
  key.words[kUplo] = tw::record_of(static_cast<MatrixOp>(call.op)).triangular ? call.uplo : 0;
  key.words[kActivation] = call.activation;
  require_choice("accumulation", call.accumulation, SHIPPED_PROMOTED + 1);
  require_scaling(call);
  key.words[kScaleFormA] =
      static_cast<int64_t>(read_scale(call.scale_a, call.scale_a_form, Operand::A));
  key.words[kScaleFormB] =
      static_cast<int64_t>(read_scale(call.scale_b, call.scale_b_form, Operand::B));
  const auto flag = [&key](bool is_set, Flag bit) {
    if (is_set) key.words[kFlags] |= bit;
  };
  flag(call.bias != nullptr && call.bias_along_m == 0, kBias);
  flag(call.bias != nullptr && call.bias_along_m != 0, kRowBias);
  flag(call.stacked != 0, kStacked);
  flag(call.uses_scale_d != 0, kScaleD);
  flag(call.takes_absmax != 0, kAbsmax);
  flag(call.accumulation == SHIPPED_PROMOTED, kPromoted);
  flag(call.alpha != 1 || call.beta != 0, kScaled);
  flag(call.beta != 0, kReadsC);
  const auto is_unaligned = [](const float* scale) {
    return reinterpret_cast<uintptr_t>(scale) % 16 != 0;
  };
  flag(is_unaligned(call.scale_a) || is_unaligned(call.scale_b), kUnalignedScales);
}

// Requires either offsets or group_ends, from which the device reads the groups' rows.
void require_places(const shipped_call& call) {
  if (call.group_ends == nullptr) {
    require_given("offsets", call.offsets);
  } else if (call.offsets != nullptr) {
    refuse("group_ends: offsets give the same values: set only one of them");
  } else if (call.group_rows != nullptr) {
    refuse("group_ends: with group_rows, offsets give the positions of the groups: set offsets");
  }
  constexpr uintptr_t kBytes = sizeof(int32_t);
  for (const void* const places : {call.offsets, call.group_ends}) {
    if (reinterpret_cast<uintptr_t>(places) % kBytes != 0) {
      refuse(format("{} is not a multiple of its elements' {} bytes",
                    places == call.offsets ? "offsets" : "group_ends", kBytes));
    }
  }
}

void read_groups(const shipped_call& call, RequestKey& key) {
  constexpr int64_t kMax = 1 << 20;
  if (call.groups < 1 || call.groups > kMax) {
    refuse(format("groups is {}, and a grouped gemm has 1 to {}", call.groups, kMax));
  }
  require_places(call);
  key.words[kGroups] = call.groups;
  if (call.group_rows == nullptr) {
    if (call.groups == 1)
      refuse("group_rows is NULL, and a single group needs its rows on the host");
    return;
  }
  key.rows.assign(call.group_rows, call.group_rows + call.groups);
  int64_t all = 0;
  for (const int64_t rows : key.rows) {
    require_size("a group's rows", rows);
    all += rows;
  }
  if (all != call.m) refuse(format("m is {}, and the groups have {} rows", call.m, all));
}

ProductKind kind_of(const RequestKey& key) {
  const auto& w = key.words;
  const auto has = [&](Flag flag) { return (w[kFlags] & flag) != 0; };
  ProductKind kind{.dtype = static_cast<DataType>(w[kType]),
                   .layout = static_cast<MatrixLayout>(w[kLayout]),
                   .epilogue = {}};
  Epilogue& epilogue = kind.epilogue;
  epilogue.out_dtype = static_cast<DataType>(w[kOutType]);
  epilogue.alpha = has(kScaled) && !has(kReadsC) ? 2.0F : 1.0F;
  epilogue.beta = has(kReadsC) ? 1.0F : 0.0F;
  epilogue.bias = has(kBias);
  epilogue.row_bias = has(kRowBias);
  epilogue.activation = static_cast<Activation>(w[kActivation]);
  epilogue.stacked = has(kStacked);
  epilogue.scale_d = has(kScaleD);
  epilogue.absmax = has(kAbsmax);
  epilogue.scale_a = static_cast<OperandScale>(w[kScaleFormA]);
  epilogue.scale_b = static_cast<OperandScale>(w[kScaleFormB]);
  if (has(kPromoted)) kind.accumulation = Accumulation::Promoted;
  kind.sms = static_cast<int>(w[kSms]);
  return normalised(kind);
}

Parallel parallel_of(const RequestKey& key) {
  return {static_cast<Collective>(key.words[kCollective]), static_cast<int>(key.words[kGpus])};
}

// Reads how GPUs share the product.
void read_parallel(const shipped_call& call, PeerPlace place, RequestKey& key) {
  require_choice("parallel", call.parallel, SHIPPED_ALL_GATHER + 1);
  key.words[kGpus] = 1;
  const auto collective = static_cast<Collective>(call.parallel);
  if (collective == Collective::None) {
    if (call.comm != nullptr) refuse("comm is set, and parallel is 0");
    return;
  }
  if (collective == Collective::AllReduce) refuse("parallel is 2: there is no all-reduce");
  if (call.op != SHIPPED_GEMM || call.groups > 0) {
    refuse("parallel: GPUs share single products, no groups and no updates");
  }
  if (place.gpus != 0 && call.gpus != 0 && call.gpus != place.gpus) {
    refuse(format("gpus is {}, and comm has {}", call.gpus, place.gpus));
  }
  const int gpus = place.gpus != 0 ? place.gpus : call.gpus;
  require_gpus({collective, gpus});
  if (call.m < 1 || call.n < 1 || call.k < 1) refuse("parallel: m, n or k is 0");
  key.words[kCollective] = call.parallel;
  key.words[kGpus] = gpus;
  key.words[kRank] = place.rank;
}

// Rows of A without gaps are blocks that copy engines send.
void require_tight_rows(const RequestKey& key, int64_t columns) {
  if (!gathers_rows(parallel_of(key)) || key.words[kLda] == columns) return;
  refuse(format("lda is {}, and the rows that an all-gather sends have {} elements without gaps",
                key.words[kLda], columns));
}

void read_matrices(const shipped_call& call, RequestKey& key) {
  const ProductKind kind = kind_of(key);
  const tw::OpRecord& op = tw::record_of(static_cast<MatrixOp>(call.op));
  const bool along_k_a = is_k_major_a(kind.layout);
  const bool along_k_b = is_k_major_b(kind.layout);
  const GemmShape own = share_of({call.m, call.n, call.k}, parallel_of(key));
  key.words[kLda] = pitch_of("lda", call.lda, along_k_a ? own.k : own.m);
  require_tight_rows(key, along_k_a ? own.k : own.m);
  key.words[kLdb] =
      op.takes_b ? pitch_of("ldb", call.ldb, along_k_b ? own.k : own.n) : key.words[kLda];
  key.words[kLdc] = call.beta != 0 ? pitch_of("ldc", call.ldc, own.n) : own.n;
  key.words[kLdd] = pitch_of("ldd", call.ldd, output_columns(kind, own.n));
  const bool has_scaling = kind.epilogue.scale_d || kind.epilogue.absmax;
  if (has_scaling && call.beta != 0 && key.words[kLdc] != key.words[kLdd]) {
    refuse(format("ldc is {} and ldd is {}: with scaling the rows of C must lie as those of D",
                  key.words[kLdc], key.words[kLdd]));
  }
  require_elements("a", call.a, kind.dtype);
  require_elements("b", call.b, kind.dtype);
  require_elements("c", call.c, addend_type(kind));
  require_elements("bias", call.bias, addend_type(kind));
  require_elements("d", call.d, output_type(kind));
  key.words[kAlignmentA] = alignment_of(call.a);
  key.words[kAlignmentB] = op.takes_b ? alignment_of(call.b) : alignment_of(call.a);
  key.words[kAlignmentC] = call.beta != 0 ? alignment_of(call.c) : kMaxAlignment;
  key.words[kAlignmentD] = alignment_of(call.d);
}

}  // namespace

// Four independent sums at once, so that none waits for another.
size_t RequestHash::operator()(const RequestKey& key) const {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::array<uint64_t, 4> sums = {1, 2, 3, 4};
  const auto add = [&sums](size_t place, int64_t word) {
    uint64_t& sum = sums[place % sums.size()];
    sum = (sum ^ static_cast<uint64_t>(word)) * kFactor;
    sum ^= sum >> 29;
  };
  for (size_t i = 0; i < key.words.size(); ++i) add(i, key.words[i]);
  for (size_t i = 0; i < key.rows.size(); ++i) add(i, key.rows[i]);
  uint64_t hash = 0;
  for (const uint64_t sum : sums) hash = (hash ^ sum) * kFactor;
  return hash ^ (hash >> 32);
}

EntryPoint entry_point_of(const shipped_call& call) {
  if (call.op != SHIPPED_GEMM) return EntryPoint::RankK;
  return call.groups > 0 ? EntryPoint::GroupedGemm : EntryPoint::Gemm;
}

shipped_call upgraded_call(const shipped_call* call) {
  if (call == nullptr) refuse("the call is NULL");
  require_known_size(call->size);
  shipped_call known{};
  std::memcpy(&known, call, call->size);
  return known;
}

RequestKey read_request(const shipped_call& call, EntryPoint entry, PeerPlace place, int sms) {
  RequestKey key;
  if (call.sms < 0 || call.sms > kMaxMultiprocessors) {
    refuse(format("sms is {}, and a device has 1 to {}; 0: the budget of all calls", call.sms,
                  kMaxMultiprocessors));
  }
  key.words[kSms] = call.sms > 0 ? call.sms : sms;
  read_kind(call, key);
  const bool is_update = tw::record_of(static_cast<MatrixOp>(call.op)).triangular;
  if (is_update != (entry == EntryPoint::RankK)) {
    refuse(is_update ? "op: rank-k updates have their own function"
                     : "op: this function updates a triangle, with syrk, syr2k or her2k");
  }
  require_size("m", call.m);
  require_size("n", call.n);
  require_size("k", call.k);
  if (is_update && call.m != call.n) {
    refuse(
        format("m is {} and n is {}, and the result of a rank-k update is square", call.m, call.n));
  }
  key.words[kM] = call.m;
  key.words[kN] = call.n;
  key.words[kK] = call.k;
  if (entry == EntryPoint::GroupedGemm) read_groups(call, key);
  read_parallel(call, place, key);
  read_matrices(call, key);
  if (is_empty(key)) return key;
  require_given("d", call.d);
  if (call.k > 0) require_given("a", call.a);
  if (call.k > 0 && call.op != SHIPPED_SYRK) require_given("b", call.b);
  if (call.beta != 0) require_given("c", call.c);
  return key;
}

bool is_empty(const RequestKey& key) {
  return key.words[kM] == 0 || key.words[kN] == 0;
}

bool is_shared(const RequestKey& key) {
  return key.words[kGpus] > 1;
}

int rank_of(const RequestKey& key) {
  return static_cast<int>(key.words[kRank]);
}

bool is_grouped(const RequestKey& key) {
  return key.words[kGroups] > 0;
}

bool has_device_rows(const RequestKey& key) {
  return is_grouped(key) && key.rows.empty();
}

bool has_unaligned_scales(const RequestKey& key) {
  return (key.words[kFlags] & kUnalignedScales) != 0;
}

bool has_zero_k(const RequestKey& key) {
  return key.words[kK] == 0;
}

RequestKey with_zero_operands(RequestKey key) {
  auto& w = key.words;
  const ProductKind kind = kind_of(key);
  const int64_t unit = kMaxAlignment / bytes_of(kind.dtype);
  w[kK] = unit;
  w[kLda] = is_k_major_a(kind.layout) ? unit : round_up(w[kM], unit);
  w[kLdb] = is_k_major_b(kind.layout) ? unit : round_up(w[kN], unit);
  w[kAlignmentA] = w[kAlignmentB] = kMaxAlignment;
  w[kFlags] &= ~kUnalignedScales;
  return key;
}

int64_t zero_operand_bytes(const RequestKey& with_zeros) {
  const auto& w = with_zeros.words;
  const ProductKind kind = kind_of(with_zeros);
  const int64_t planes = tw::record_of(static_cast<MatrixOp>(w[kOp])).planes;
  const int64_t rows_a = is_k_major_a(kind.layout) ? w[kM] : w[kK];
  const int64_t rows_b = is_k_major_b(kind.layout) ? w[kN] : w[kK];
  const int64_t groups = std::max<int64_t>(w[kGroups], 1);
  int64_t bytes =
      planes * std::max(rows_a * w[kLda], groups * rows_b * w[kLdb]) * bytes_of(kind.dtype);
  for (const Operand operand : {Operand::A, Operand::B}) {
    const int64_t scales = scale_layout(workload_of(with_zeros), operand).elements;
    bytes = std::max(bytes, scales * int64_t{sizeof(float)});
  }
  return bytes;
}

Workload workload_of(const RequestKey& key) {
  const auto& w = key.words;
  Workload workload;
  workload.op = static_cast<MatrixOp>(w[kOp]);
  workload.uplo = static_cast<Uplo>(w[kUplo]);
  workload.kind = kind_of(key);
  workload.parallel = parallel_of(key);
  if (is_shared(key)) return with_shapes(std::move(workload), {{w[kM], w[kN], w[kK]}});
  const int64_t products = std::max<int64_t>(w[kGroups], 1);
  workload.shapes.reserve(static_cast<size_t>(products));
  for (int64_t i = 0; i < products; ++i) {
    const int64_t rows = key.rows.empty() ? tw::even_share(w[kM], products, i).size()
                                          : key.rows[static_cast<size_t>(i)];
    workload.shapes.push_back({rows, w[kN], w[kK]});
  }
  return workload;
}

OperandPlaces places_of(const RequestKey& key) {
  const auto& w = key.words;
  const auto place = [&](Word pitch, Word alignment) {
    return MatrixPlace{w[pitch], static_cast<int>(w[alignment])};
  };
  return {.a = place(kLda, kAlignmentA),
          .b = place(kLdb, kAlignmentB),
          .c = place(kLdc, kAlignmentC),
          .d = place(kLdd, kAlignmentD)};
}

}  // namespace tilewright
