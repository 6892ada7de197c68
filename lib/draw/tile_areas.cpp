#include "draw/tile_areas.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Runs of equal values in one row.
std::vector<TileArea> row_runs(std::span<const int> row, int m) {
  std::vector<TileArea> runs;
  for (size_t n = 0; n < row.size(); ++n) {
    if (!runs.empty() && runs.back().value == row[n]) {
      ++runs.back().columns;
    } else {
      runs.push_back({row[n], m, static_cast<int>(n), 1, 1});
    }
  }
  return runs;
}

bool continues(const TileArea& above, const TileArea& run) {
  return above.value == run.value && above.n == run.n && above.columns == run.columns;
}

}  // namespace

std::vector<TileArea> merge_areas(std::span<const int> values, int columns) {
  const auto width = static_cast<size_t>(columns);
  std::vector<TileArea> done;
  std::vector<TileArea> open;  // areas that reach down to the row above
  for (size_t begin = 0; begin < values.size(); begin += width) {
    std::vector<TileArea> runs =
        row_runs(values.subspan(begin, width), static_cast<int>(begin / width));
    // Both lists are ordered by n, and a run can continue one area only.
    size_t at = 0;
    for (TileArea& run : runs) {
      while (at < open.size() && open[at].n < run.n) done.push_back(open[at++]);
      if (at == open.size() || open[at].n != run.n) continue;
      if (continues(open[at], run)) {
        run.rows += open[at].rows;
        run.m = open[at].m;
      } else {
        done.push_back(open[at]);
      }
      ++at;
    }
    done.insert(done.end(), open.begin() + static_cast<std::ptrdiff_t>(at), open.end());
    open = std::move(runs);
  }
  done.insert(done.end(), open.begin(), open.end());
  std::sort(done.begin(), done.end(), [](const TileArea& a, const TileArea& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.m != b.m ? a.m < b.m : a.n < b.n;
  });
  return done;
}

}  // namespace tilewright
