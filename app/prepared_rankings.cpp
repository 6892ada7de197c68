#include "prepared_rankings.hpp"

#include "search/look_ahead.hpp"

namespace tilewright {

void PreparedRankings::begin_next() {
  if (device_.gpu_index < 0) return;
  const std::optional<TunerPool::Task> task = pool_.upcoming();
  if (!task) return;
  const std::lock_guard held(mutex_);
  rankings_[task->index] =
      look_ahead(task->problem, policy_, device_.spec, device_.backend->open_compiler());
}

std::optional<Ranking> PreparedRankings::take(size_t index) {
  std::future<Ranking> ranking;
  {
    const std::lock_guard held(mutex_);
    const auto begun = rankings_.find(index);
    if (begun == rankings_.end()) return std::nullopt;
    ranking = std::move(begun->second);
    rankings_.erase(begun);
  }
  return ranking.get();
}

}  // namespace tilewright
