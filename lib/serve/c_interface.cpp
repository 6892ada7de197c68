// The C interface of a shipped library: no exception leaves it.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "serve/communicator.hpp"
#include "serve/embedded_library.hpp"
#include "serve/library.hpp"
#include "serve/request.hpp"
#include "serve/shipped_names.hpp"

namespace tilewright {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

int failed(int status, const char* what) {
  last_error() = what;
  return status;
}

// Runs `work`; returns the status of the exception that it throws, if any.
template <class Work>
int guarded(const Work& work) {
  try {
    work();
    return SHIPPED_GOOD;
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    switch (error.code()) {
      case ExitCode::Usage: return failed(SHIPPED_BAD_CALL, error.what());
      case ExitCode::No: return failed(SHIPPED_UNSUPPORTED, error.what());
      case ExitCode::Environment: return failed(SHIPPED_CUDA, error.what());
      default: return failed(SHIPPED_INTERNAL, error.what());
    }
  } catch (...) {
    return failed(SHIPPED_INTERNAL, "an exception of no known type");
  }
}

static_assert(sizeof(PeerHandle) <= sizeof(shipped_comm_handle));

Communicator* communicator_of(shipped_comm* comm) {
  return reinterpret_cast<Communicator*>(comm);
}

Communicator& given_communicator(shipped_comm* comm) {
  if (comm == nullptr) throw usage_error("comm is NULL");
  return *communicator_of(comm);
}

RequestKey request_of(const shipped_call& call, EntryPoint entry) {
  const bool has_comm = call.comm != nullptr;
  return read_request(call, entry, has_comm ? communicator_of(call.comm)->place() : PeerPlace{},
                      embedded_library().sm_budget());
}

// The device address of the groups' offsets. If only the ends are given, it lies before them: no
// kernel reads the first offset then.
const void* offsets_of(const shipped_call& call) {
  if (entry_point_of(call) != EntryPoint::GroupedGemm) return nullptr;
  if (call.group_ends == nullptr) return call.offsets;
  return static_cast<const char*>(call.group_ends) - sizeof(int32_t);
}

GemmLaunch launch_of(const shipped_call& call, const EpilogueScalars& scalars) {
  const bool is_syrk = call.op == SHIPPED_SYRK;
  return {.operands = {.a = call.a,
                       .b = is_syrk ? call.a : call.b,
                       .c = call.c,
                       .bias = call.bias,
                       .scale_a = call.scale_a,
                       .scale_b = call.scale_b,
                       .scaling = reinterpret_cast<tw::OutputScaling*>(call.scaling),
                       .d = call.d,
                       .offsets = offsets_of(call)},
          .scalars = &scalars,
          .workspace = call.workspace,
          .stream = static_cast<cudaStream_t>(call.stream)};
}

// The workspace of a call: bytes for its launch, then operands and scales of zeros if K is 0.
struct CallWorkspace {
  int64_t launch = 0;
  int64_t zeros = 0;
  int64_t bytes() const { return launch + zeros; }
};

CallWorkspace call_workspace(const RequestKey& key) {
  if (is_empty(key)) return {};
  Library& library = embedded_library();
  if (!has_zero_k(key)) return {.launch = library.workspace_bytes(key, library.policy())};
  const RequestKey filled = with_zero_operands(key);
  const int64_t bytes = library.workspace_bytes(filled, AnswerPolicy::Plain);
  return {.launch = round_up(bytes, kWorkspaceAlignment), .zeros = zero_operand_bytes(filled)};
}

// Computes D as of a product of zeros.
void launch_zero_k(const RequestKey& key, GemmLaunch launch, int64_t bytes) {
  const CallWorkspace needed = call_workspace(key);
  if (bytes < needed.bytes()) {
    throw usage_error(
        format("workspace_bytes is {}, and the call needs {}", bytes, needed.bytes()));
  }
  void* const zeros = static_cast<char*>(launch.workspace) + needed.launch;
  zero(zeros, needed.zeros, launch.stream);
  const EpilogueScalars scalars{1, launch.scalars->beta};
  launch.scalars = &scalars;
  launch.operands.a = launch.operands.b = zeros;
  // cuBLASLt refuses factors of operands that are not scaled.
  const Epilogue epilogue = workload_of(key).kind.epilogue;
  const auto* const factors = static_cast<const float*>(zeros);
  launch.operands.scale_a = epilogue.scale_a == OperandScale::None ? nullptr : factors;
  launch.operands.scale_b = epilogue.scale_b == OperandScale::None ? nullptr : factors;
  embedded_library().launch(with_zero_operands(key), launch, needed.launch, AnswerPolicy::Plain);
}

int launch_call(const shipped_call* pointer, EntryPoint entry) {
  return guarded([&] {
    const shipped_call call = upgraded_call(pointer);
    const RequestKey key = request_of(call, entry);
    if (is_empty(key)) return;
    if (reinterpret_cast<uintptr_t>(call.workspace) % kWorkspaceAlignment != 0) {
      throw usage_error(format("workspace is not a multiple of {} bytes", kWorkspaceAlignment));
    }
    const EpilogueScalars scalars{call.alpha, call.beta};
    const int64_t bytes =
        call.workspace == nullptr ? 0 : static_cast<int64_t>(call.workspace_bytes);
    const GemmLaunch own = launch_of(call, scalars);
    if (has_zero_k(key)) return launch_zero_k(key, own, bytes);
    Library& library = embedded_library();
    if (is_shared(key) && call.comm == nullptr) throw usage_error("comm is NULL");
    library.launch(key, own, bytes, library.policy(), communicator_of(call.comm));
  });
}

std::string why(const RequestKey& key) {
  if (is_empty(key)) return "the output has no elements";
  Library& library = embedded_library();
  if (!has_zero_k(key)) return library.why(key, library.policy());
  const std::string zeros = "K is 0: the result is that of operands of zeros: " +
                            library.why(with_zero_operands(key), AnswerPolicy::Plain);
  return !races(library.policy()) ? zeros : zeros + "; not raced: K is 0";
}

}  // namespace
}  // namespace tilewright

using tilewright::EntryPoint;

extern "C" {

SHIPPED_FUNCTION int shipped_abi_version(void) {
  return SHIPPED_ABI_VERSION;
}

SHIPPED_FUNCTION int shipped_prepare(int device) {
  return tilewright::guarded([&] { tilewright::embedded_library().prepare(device); });
}

SHIPPED_FUNCTION int shipped_set_policy(int policy) {
  return tilewright::guarded(
      [&] { tilewright::embedded_library().set_policy(tilewright::answer_policy(policy)); });
}

SHIPPED_FUNCTION int shipped_set_sm_budget(int sms) {
  return tilewright::guarded([&] { tilewright::embedded_library().set_sm_budget(sms); });
}

SHIPPED_FUNCTION int shipped_workspace(const shipped_call* call, uint64_t* bytes,
                                       uint64_t* alignment) {
  return tilewright::guarded([&] {
    const shipped_call known = tilewright::upgraded_call(call);
    if (bytes == nullptr) throw tilewright::usage_error("bytes is NULL");
    const auto key = tilewright::request_of(known, tilewright::entry_point_of(known));
    *bytes = static_cast<uint64_t>(tilewright::call_workspace(key).bytes());
    if (alignment != nullptr) *alignment = tilewright::kWorkspaceAlignment;
  });
}

SHIPPED_FUNCTION int shipped_gemm(const shipped_call* call) {
  return tilewright::launch_call(call, EntryPoint::Gemm);
}

SHIPPED_FUNCTION int shipped_grouped_gemm(const shipped_call* call) {
  return tilewright::launch_call(call, EntryPoint::GroupedGemm);
}

SHIPPED_FUNCTION int shipped_rank_k(const shipped_call* call) {
  return tilewright::launch_call(call, EntryPoint::RankK);
}

SHIPPED_FUNCTION int shipped_comm_bytes(const shipped_call* call, uint64_t* bytes) {
  return tilewright::guarded([&] {
    const shipped_call known = tilewright::upgraded_call(call);
    if (bytes == nullptr) throw tilewright::usage_error("bytes is NULL");
    const auto key = tilewright::request_of(known, EntryPoint::Gemm);
    if (!tilewright::is_shared(key))
      throw tilewright::usage_error("parallel is 0: no GPU shares it");
    *bytes = static_cast<uint64_t>(tilewright::embedded_library().comm_bytes(key));
  });
}

SHIPPED_FUNCTION int shipped_comm_create(int rank, int gpus, uint64_t bytes, uint64_t limit_ms,
                                         shipped_comm** comm, shipped_comm_handle* handle) {
  return tilewright::guarded([&] {
    if (comm == nullptr || handle == nullptr) {
      throw tilewright::usage_error("comm or handle is NULL");
    }
    auto made = tilewright::make_communicator(rank, gpus, bytes, limit_ms);
    const tilewright::PeerHandle own = made->handle();
    std::memset(handle, 0, sizeof(*handle));
    std::memcpy(handle, &own, sizeof(own));
    *comm = reinterpret_cast<shipped_comm*>(made.release());
  });
}

SHIPPED_FUNCTION int shipped_comm_connect(shipped_comm* comm, const shipped_comm_handle* handles) {
  return tilewright::guarded([&] {
    tilewright::Communicator& own = tilewright::given_communicator(comm);
    if (handles == nullptr) throw tilewright::usage_error("handles is NULL");
    std::vector<tilewright::PeerHandle> known(static_cast<size_t>(own.place().gpus));
    for (size_t i = 0; i < known.size(); ++i) {
      std::memcpy(static_cast<void*>(&known[i]), &handles[i], sizeof(known[i]));
    }
    own.connect(known);
  });
}

SHIPPED_FUNCTION int shipped_comm_lost(shipped_comm* comm, int* rank) {
  return tilewright::guarded([&] {
    if (rank == nullptr) throw tilewright::usage_error("rank is NULL");
    *rank = tilewright::given_communicator(comm).lost();
  });
}

SHIPPED_FUNCTION int shipped_comm_destroy(shipped_comm* comm) {
  return tilewright::guarded([&] { delete tilewright::communicator_of(comm); });
}

SHIPPED_FUNCTION int shipped_why(const shipped_call* call, char* text, uint64_t bytes) {
  return tilewright::guarded([&] {
    const shipped_call known = tilewright::upgraded_call(call);
    if (text == nullptr || bytes == 0) throw tilewright::usage_error("text is NULL, or bytes is 0");
    const auto key = tilewright::request_of(known, tilewright::entry_point_of(known));
    const std::string why = tilewright::why(key);
    const size_t count = std::min<size_t>(why.size(), bytes - 1);
    std::memcpy(text, why.data(), count);
    text[count] = '\0';
  });
}

SHIPPED_FUNCTION const char* shipped_error(void) {
  return tilewright::last_error().c_str();
}

}  // extern "C"
