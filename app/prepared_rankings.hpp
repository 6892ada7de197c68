// Rankings and builds for the problems that wait, while others are at a device.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "devices.hpp"
#include "search/tuner.hpp"
#include "tuner_pool.hpp"

namespace tilewright {

/// At most one of each task. Lanes may ask in threads of their own.
class PreparedRankings {
 public:
  /// For the tasks of all tuners: their devices are of the model that `device` is of. For a preset
  /// nothing is prepared.
  PreparedRankings(TunerPool& pool, const TunePolicy& policy, const ResolvedDevice& device)
      : pool_(pool), policy_(policy), device_(device) {}

  /// Begins the next task of the pool, if there is one, and returns at once.
  void begin_next();
  /// That of the task at this place, if it was begun; waits until it is done. Throws as
  /// look_ahead()'s future does.
  std::optional<Ranking> take(size_t place);

 private:
  TunerPool& pool_;
  const TunePolicy policy_;
  const ResolvedDevice& device_;
  std::mutex mutex_;                                 // over what follows
  std::map<size_t, std::future<Ranking>> rankings_;  // by place
};

}  // namespace tilewright
