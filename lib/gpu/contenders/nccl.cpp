#include "gpu/contenders/nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {
namespace {

// Values of nccl.h, which have been the same since version 2.
constexpr int kSum = 0;
constexpr int kSuccess = 0;

int type_of(DataType type) {
  switch (type) {
    case DataType::F16: return 6;
    case DataType::F32: return 7;
    case DataType::BF16: return 9;
    default: return 1;  // bytes
  }
}

}  // namespace

struct Nccl::Library {
  void* handle = nullptr;
  int (*get_version)(int*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*init_all)(void**, int, const int*) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*reduce_scatter)(const void*, void*, size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*all_gather)(const void*, void*, size_t, int, void*, cudaStream_t) = nullptr;

  // False where a function is missing.
  bool load() {
    handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    bool found = true;
    const auto take = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      found = found && function != nullptr;
    };
    take("ncclGetVersion", get_version);
    take("ncclGetErrorString", error_text);
    take("ncclCommInitAll", init_all);
    take("ncclCommDestroy", destroy);
    take("ncclGroupStart", group_start);
    take("ncclGroupEnd", group_end);
    take("ncclReduceScatter", reduce_scatter);
    take("ncclAllReduce", all_reduce);
    take("ncclAllGather", all_gather);
    return found;
  }

  void require(int status, const char* what) const {
    if (status == kSuccess) return;
    throw environment_error(format("NCCL's {} failed: {}", what, error_text(status)));
  }
};

std::unique_ptr<Nccl> Nccl::open(const PeerGroup& group, std::string& why_not) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // both sides without multicast by the switch
  auto library = std::make_unique<Library>();
  if (!library->load()) {
    why_not = format("no NCCL: {}", library->handle == nullptr ? "libnccl.so.2 is not found"
                                                               : "libnccl.so.2 is not complete");
    return nullptr;
  }
  std::unique_ptr<Nccl> nccl(new Nccl(group, std::move(library)));
  std::vector<int> devices;
  devices.reserve(static_cast<size_t>(group.size()));
  for (int rank = 0; rank < group.size(); ++rank) devices.push_back(group.device(rank));
  const int status =
      nccl->library_->init_all(nccl->communicators_.data(), group.size(), devices.data());
  if (status == kSuccess) return nccl;
  why_not = format("NCCL refuses the GPUs: {}", nccl->library_->error_text(status));
  nccl->communicators_.clear();
  return nullptr;
}

Nccl::Nccl(const PeerGroup& group, std::unique_ptr<Library> library)
    : group_(group),
      library_(std::move(library)),
      communicators_(static_cast<size_t>(group.size())) {}

Nccl::~Nccl() {
  for (void* const communicator : communicators_) library_->destroy(communicator);
}

std::string Nccl::version() const {
  int version = 0;
  library_->get_version(&version);
  return format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void Nccl::enqueue(Collective collective, DataType type, int64_t count,
                   const std::vector<const void*>& from, const std::vector<void*>& to,
                   const std::vector<cudaStream_t>& streams) const {
  const auto elements = static_cast<size_t>(count);
  library_->require(library_->group_start(), "ncclGroupStart");
  for (size_t rank = 0; rank < communicators_.size(); ++rank) {
    const DeviceGuard guard(group_.device(static_cast<int>(rank)));
    void* const own = communicators_[rank];
    switch (collective) {
      case Collective::ReduceScatter:
        library_->require(library_->reduce_scatter(from[rank], to[rank], elements, type_of(type),
                                                   kSum, own, streams[rank]),
                          "ncclReduceScatter");
        break;
      case Collective::AllReduce:
        library_->require(library_->all_reduce(from[rank], to[rank], elements, type_of(type), kSum,
                                               own, streams[rank]),
                          "ncclAllReduce");
        break;
      case Collective::AllGather:
        library_->require(
            library_->all_gather(from[rank], to[rank], elements, type_of(type), own, streams[rank]),
            "ncclAllGather");
        break;
      case Collective::None: break;
    }
  }
  library_->require(library_->group_end(), "ncclGroupEnd");
}

}  // namespace tilewright
