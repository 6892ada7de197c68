// The shipped library at run time: chooses the kernel for a call, loads, caches and launches it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "answer/answer_table.hpp"
#include "answer/shipped_choice.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "serve/answer_policy.hpp"
#include "serve/request.hpp"
#include "serve/served_device.hpp"

namespace tilewright {

/// The plan that answers a request, on any device that the table is for. Throws an Error of code No
/// if no kernel of the table computes it.
Plan served_plan(const AnswerTable& table, const RequestKey& key);

class Communicator;
class RacedAnswer;

/// Safe to use from several threads. All functions throw an Error: No if no kernel here computes
/// the call, Usage if the workspace is too small, Environment if CUDA refuses.
class Library {
 public:
  /// `identity` differs for libraries with different tables: the winners of races are kept for it,
  /// and not at all if it is empty.
  Library(AnswerTable table, KernelImages images, std::string identity = "");
  ~Library();

  /// Loads all kernels of the table on a device.
  void prepare(int device);

  /// The policy of calls that leave it open; at first Plain.
  void set_policy(AnswerPolicy policy) { policy_ = policy; }
  AnswerPolicy policy() const { return policy_; }

  /// Multiprocessors that later launches keep to; 0: all. Throws a usage error for a number that
  /// the device of the table does not have.
  void set_sm_budget(int sms);
  int sm_budget() const { return sm_budget_; }

  /// Under a policy of races, the most that a candidate needs.
  int64_t workspace_bytes(const RequestKey& key, AnswerPolicy policy);

  /// Launches on the current device; a product that GPUs share by its communicator.
  void launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes,
              AnswerPolicy policy, Communicator* comm = nullptr);

  /// Bytes that a communicator needs for a product that GPUs share.
  int64_t comm_bytes(const RequestKey& key) const;

  /// One line on what answers: on the current device if it differs from the tuned one but has the
  /// compute capability of the kernels, else on the device that they were tuned on.
  std::string why(const RequestKey& key, AnswerPolicy policy);

 private:
  struct Device;

  Device& current_device();
  std::shared_ptr<const ServedAnswer> answer(Device& device, const RequestKey& key,
                                             AnswerPolicy policy);
  std::shared_ptr<const ServedAnswer> make_answer(Device& device, const RequestKey& key,
                                                  AnswerPolicy policy);
  std::shared_ptr<const ServedAnswer> answer_here(const RequestKey& key, AnswerPolicy policy);
  std::shared_ptr<RacedAnswer> race_of(Device& device, const RequestKey& key, AnswerPolicy policy,
                                       const std::shared_ptr<const ServedAnswer>& plain);
  /// Takes the first answer within the limits. If the current device cannot run it, adds its config
  /// to the limits and returns false.
  bool take_answer(Device& device, const RequestKey& key, ShippedLimits& limits,
                   ServedAnswer& answer);
  /// `ready`: the answer that runs on the current device, or null.
  std::string answer_text(const ShippedChoice& choice, const RequestKey& key, AnswerPolicy policy,
                          const ServedAnswer* ready);
  std::string raced_text(const RequestKey& key, AnswerPolicy policy, const ShippedChoice& choice,
                         bool is_ready, const std::string& plain);

  struct State;
  std::unique_ptr<State> state_;
  std::atomic<AnswerPolicy> policy_ = AnswerPolicy::Plain;
  std::atomic<int> sm_budget_ = 0;
};

}  // namespace tilewright
