// The shipped library at run time: chooses the kernel for a call, loads, caches and launches it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "answer/answer_table.hpp"
#include "answer/shipped_choice.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "serve/request.hpp"

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

/// The plan that answers a request, on any device that the table is for. Throws an Error of code No
/// if no kernel of the table computes it.
Plan served_plan(const AnswerTable& table, const RequestKey& key);

/// Safe to use from several threads. All functions throw an Error: No if no kernel here computes
/// the call, Usage if the workspace is too small, Environment if CUDA refuses.
class Library {
 public:
  Library(AnswerTable table, KernelImages images);
  ~Library();

  /// Loads all kernels of the table on a device.
  void prepare(int device);

  WorkspaceSize workspace_size(const RequestKey& key);

  /// Launches on the current device.
  void launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes);

  /// One line on what answers: on the current device if it differs from the tuned one but has the
  /// compute capability of the kernels, else on the device that they were tuned on.
  std::string why(const RequestKey& key);

 private:
  struct Device;
  struct Answer;

  Device& current_device();
  std::shared_ptr<const Answer> answer(Device& device, const RequestKey& key);
  std::shared_ptr<const Answer> make_answer(Device& device, const RequestKey& key);
  std::shared_ptr<const Answer> answer_here(const RequestKey& key);
  static void launch_library(const Answer& answer, const GemmLaunch& launch);
  /// Takes the first answer within the limits. If the current device cannot run it, adds its config
  /// to the limits and returns false.
  bool take_answer(Device& device, const RequestKey& key, ShippedLimits& limits, Answer& answer);
  /// `ready`: the answer that runs on the current device, or null.
  std::string answer_text(const ShippedChoice& choice, const RequestKey& key, const Answer* ready);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
