// Prepares rankings and builds for waiting problems while other problems run on the devices.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "devices.hpp"
#include "search/tuner.hpp"
#include "tuner_pool.hpp"

namespace tilewright {

/// At most one ranking per task. The threads of several devices may call this.
class PreparedRankings {
 public:
  /// For the tasks of all tuners: their devices are of the same model as `device`. For a preset it
  /// prepares nothing.
  PreparedRankings(TunerPool& pool, const TunePolicy& policy, const ResolvedDevice& device)
      : pool_(pool), policy_(policy), device_(device) {}

  /// Begins the next task of the pool, if there is one, and returns at once.
  void begin_next();
  /// The ranking for the task with this index, if it was begun; waits for it. Throws as
  /// look_ahead()'s future does.
  std::optional<Ranking> take(size_t index);

 private:
  TunerPool& pool_;
  const TunePolicy policy_;
  const ResolvedDevice& device_;
  std::mutex mutex_;                                 // protects `rankings_`
  std::map<size_t, std::future<Ranking>> rankings_;  // by index
};

}  // namespace tilewright
