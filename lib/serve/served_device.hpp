// The kernels of a shipped library on one device, and the answers that launch them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer/answer_table.hpp"
#include "answer/shipped_choice.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/peer_copies.hpp"
#include "serve/cublaslt.hpp"
#include "serve/library_call.hpp"
#include "serve/request.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {

/// Returns the machine code of the program with this program_id(); empty if the library lacks it.
using KernelImages = std::function<std::string(uint64_t program)>;

/// The workspace of a call: bytes that the launch zeroes in its stream, followed by bytes with any
/// contents.
struct WorkspaceSize {
  int64_t zeroed = 0;
  int64_t scratch = 0;
  int64_t bytes() const { return zeroed + scratch; }
};

inline constexpr int64_t kWorkspaceAlignment = 256;

/// The workspace of a launch with this memory.
WorkspaceSize workspace_of(const LaunchMemory& memory);

/// A launch that is ready for any addresses: by cuBLASLt or by a kernel of ours.
struct ServedAnswer {
  ShippedChoice choice;
  std::vector<TileConfig> without = {};  // configs before it that the device cannot run
  std::string rejected_configs = {};     // these, and why
  std::optional<LibraryCall> library;
  std::string why_not_pinned;  // why no pinned algorithm answers; empty without pins
  std::string why_library;     // why cuBLASLt answers without a pin; empty if it does not
  mutable std::atomic<bool> has_run = false;
  std::unique_ptr<PlannedLaunch> launch;
  WorkspaceSize workspace;
  bool overlaps = false;  // GemmLaunch::overlaps
  PeerStore store = {};   // what a GPU receives, if several share the product
  SentRows sent = {};     // what it sends by copy engines

  int64_t device_bytes() const { return launch == nullptr ? 0 : launch->device_bytes(); }
};

/// Launches with a workspace of the answer's size.
void launch(const ServedAnswer& answer, const GemmLaunch& launch);

/// The pins of a tuned product if any of them uses cuBLASLt; else none.
std::span<const LibraryPin> pins_of(const ShippedChoice& choice);

/// The plan of a choice for a request.
Plan plan_of(const AnswerTable& table, const RequestKey& key, const ShippedChoice& choice);

/// The cuBLASLt that the process has when it is first asked for.
class ProcessLibrary {
 public:
  const FoundLibrary& found();

 private:
  std::once_flag is_looked_for_;
  FoundLibrary found_;
};

/// One device; safe to use from several threads, on which it is current.
class ServedDevice {
 public:
  /// All outlive it.
  ServedDevice(const AnswerTable& table, const KernelImages& images, ProcessLibrary& library)
      : table_(table), images_(images), library_(library) {}

  /// Loads the plan's kernel unless it is loaded.
  const GemmKernel& kernel_of(const Plan& plan);

  /// The process's cuBLASLt, and its handle for the device: null if the process has no cuBLASLt, or
  /// cuBLASLt fails to create one.
  const FoundLibrary& found_library() { return library_.found(); }
  cublasLtHandle_t library_handle();

  /// Fills `answer` with the choice's own kernel. Returns why the device cannot run it; empty if it
  /// can.
  std::string make_own(const RequestKey& key, const ShippedChoice& choice, ServedAnswer& answer);

  /// Fills `answer` with the call of cuBLASLt that the choice's pins select; false if none applies.
  bool make_pinned(const RequestKey& key, const ShippedChoice& choice, ServedAnswer& answer);

  /// Fills `answer` with the first choice of cuBLASLt's heuristic where no row or trial of the
  /// product chose ours, and ours is not surely faster by the model; false if ours answers.
  bool make_safer(const RequestKey& key, const ShippedChoice& choice, ServedAnswer& answer);

  /// An answer by the first choice of cuBLASLt's heuristic; null if it has none for the product, or
  /// the table does without cuBLASLt.
  std::shared_ptr<const ServedAnswer> make_first_choice(const RequestKey& key);

 private:
  const AnswerTable& table_;
  const KernelImages& images_;
  ProcessLibrary& library_;
  std::mutex loading_;
  std::map<std::vector<uint64_t>, std::unique_ptr<GemmKernel>> kernels_;  // by programs
  cublasLtHandle_t handle_ = nullptr;  // once a product uses it; never destroyed
};

}  // namespace tilewright
