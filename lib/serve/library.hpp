// The shipped library at run time: it chooses, loads, remembers and launches.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/launch/gemm_kernel.hpp"
#include "search/among.hpp"
#include "search/answer_table.hpp"
#include "serve/request.hpp"

namespace tilewright {

/// The machine code of the program of a program_id(); an empty text where the library does not hold
/// it.
using KernelImages = std::function<std::string(uint64_t program)>;

/// Room that a call needs beside its operands: first bytes that the launch zeroes in its stream,
/// and behind them bytes that hold anything.
struct CallRoom {
  int64_t zeroed = 0;
  int64_t scratch = 0;
  int64_t bytes() const { return zeroed + scratch; }
};

inline constexpr int64_t kWorkspaceAlignment = 256;

/// The plan of what answers a request, for any device that the table is for. Throws an Error of
/// code No for what no kernel of the table computes.
Plan served_plan(const AnswerTable& table, const RequestKey& key);

/// Safe to use from several threads. Everything throws an Error: No for what no kernel here
/// computes, Usage for a workspace that is too small, Environment for what CUDA refuses.
class Library {
 public:
  Library(AnswerTable table, KernelImages images);
  ~Library();

  /// Loads all kernels of the table on a device.
  void prepare(int device);

  CallRoom room(const RequestKey& key);

  /// Launches on the current device.
  void launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes);

  /// What answers, as one line: on the device at hand where that is another one of the compute
  /// capability that the kernels are for, else on the one that they were tuned on.
  std::string why(const RequestKey& key);

 private:
  struct Device;
  struct Answer;

  Device& current_device();
  std::shared_ptr<const Answer> answer(Device& device, const RequestKey& key);
  std::shared_ptr<const Answer> make_answer(Device& device, const RequestKey& key);
  std::shared_ptr<const Answer> answer_here(const RequestKey& key);
  static void launch_library(const Answer& answer, const GemmLaunch& launch);
  /// The first answer within the limits; false, with that config among them, where the device at
  /// hand does not run it.
  bool take_answer(Device& device, const RequestKey& key, AmongLimits& limits, Answer& answer);
  /// `ready`: what runs at hand; null where nothing does.
  std::string answer_text(const Among& among, const RequestKey& key, const Answer* ready);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
