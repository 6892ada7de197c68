// The walk of kernels and plans, against lists of units that the test makes step by step.
#include "map/work_units.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

using tw::Division;
using tw::StreamKVariant;
using tw::WalkKind;
using Unit = tw::WorkUnit<int>;
using Work = tw::ProblemWork<int>;

struct Launch {
  std::vector<Work> problems;
  int workers = 1;
  int stream_k_tiles = 0;
};

int unit_total(const Launch& launch) {
  int total = 0;
  for (const Work& work : launch.problems) total += work.units();
  return total;
}

int step_total(const Launch& launch) {
  int left = launch.stream_k_tiles;
  int steps = 0;
  for (const Work& work : launch.problems) {
    const int taken = std::min(left, work.slots);
    steps += taken * work.k_steps;
    left -= taken;
  }
  return steps;
}

template <Division D>
std::vector<Unit> walked(const Launch& launch, int worker) {
  std::vector<Unit> units;
  const tw::GroupWork<int> group{launch.problems.data(), static_cast<int>(launch.problems.size()),
                                 unit_total(launch), launch.stream_k_tiles, step_total(launch)};
  tw::UnitWalk<WalkKind{D, true}> walk(group, worker, launch.workers);
  for (Unit unit; walk.next(unit);) units.push_back(unit);
  if (launch.problems.size() == 1) {
    // The walk of one problem is the same.
    const Work& p = launch.problems.front();
    const tw::LaunchWork<int> one{p.slots, p.k_steps, p.slices, launch.stream_k_tiles};
    tw::UnitWalk<WalkKind{D}> alone(one, worker, launch.workers);
    size_t at = 0;
    for (Unit unit; alone.next(unit); ++at) {
      REQUIRE(at < units.size());
      CHECK(unit == units[at]);
    }
    CHECK(at == units.size());
  }
  return units;
}

std::vector<Unit> walked(Division division, const Launch& launch, int worker) {
  switch (division) {
    case Division::None: return walked<Division::None>(launch, worker);
    case Division::SplitK: return walked<Division::SplitK>(launch, worker);
    default: return walked<Division::StreamK>(launch, worker);
  }
}

// Every k-step of the launch as one entry, in the order of the concatenation.
struct Step {
  int problem;
  int slot;
  int k;
};

// The units of each worker, assigned step by step and unit by unit.
std::vector<std::vector<Unit>> units_of_workers(Division division, const Launch& launch) {
  std::vector<std::vector<Unit>> lists(static_cast<size_t>(launch.workers));
  std::vector<Step> line;
  std::vector<Unit> units;
  int slots = 0;
  for (size_t p = 0; p < launch.problems.size(); ++p) {
    const Work& work = launch.problems[p];
    for (int slot = 0; slot < work.slots; ++slot) {
      if (slots++ < launch.stream_k_tiles) {
        for (int k = 0; k < work.k_steps; ++k) line.push_back({static_cast<int>(p), slot, k});
        continue;
      }
      // Slices differ by one step at most, the longer first.
      int begin = 0;
      for (int slice = 0; slice < work.slices; ++slice) {
        const int longer = slice < work.k_steps % work.slices ? 1 : 0;
        const int end = begin + work.k_steps / work.slices + longer;
        units.push_back({slot, {begin, end}, slice, work.slices, static_cast<int>(p)});
        begin = end;
      }
    }
  }
  // Steps in even shares, each worker's from the last tile to the first.
  size_t at = 0;
  for (int worker = 0; worker < launch.workers; ++worker) {
    const auto workers = static_cast<size_t>(launch.workers);
    size_t count = line.size() / workers;
    if (static_cast<size_t>(worker) < line.size() % workers) ++count;
    std::vector<Unit> own;
    for (size_t i = at; i < at + count; ++i) {
      const Step& s = line[i];
      if (!own.empty() && own.back().slot == s.slot && own.back().problem == s.problem) {
        own.back().k.end = s.k + 1;
      } else {
        own.push_back({s.slot, {s.k, s.k + 1}, 0, 1, s.problem});
      }
    }
    at += count;
    lists[static_cast<size_t>(worker)].assign(own.rbegin(), own.rend());
  }
  for (size_t i = 0; i < units.size(); ++i) {
    lists[i % lists.size()].push_back(units[i]);
  }
  if (division != Division::StreamK) return lists;
  // Parts of stream-K tiles are numbered in the order of k.
  for (auto& list : lists) {
    for (Unit& unit : list) {
      int before = 0;
      int all = 0;
      for (const auto& other : lists) {
        for (const Unit& o : other) {
          if (o.slot != unit.slot || o.problem != unit.problem) continue;
          ++all;
          if (o.k.begin < unit.k.begin) ++before;
        }
      }
      unit.part = before;
      unit.parts = all;
    }
  }
  return lists;
}

// A sweep of groups, depths, workers and divisions; visit(division, launch).
template <class Visit>
void for_each_launch(const Visit& visit) {
  const std::vector<std::vector<Work>> groups = {{{1, 1, 1}},
                                                 {{3, 7, 1}},
                                                 {{20, 16, 1}},
                                                 {{5, 33, 1}},
                                                 {{2, 3, 1}, {4, 9, 1}, {1, 2, 1}},
                                                 {{0, 5, 1}, {6, 4, 1}, {0, 0, 1}, {3, 1, 1}}};
  for (const std::vector<Work>& group : groups) {
    int slots = 0;
    for (const Work& work : group) slots += work.slots;
    for (const int workers : {1, 2, 5, 6, 13, 32}) {
      visit(Division::None, Launch{group, workers, 0});
      for (const int slices : {2, 3, 16}) {
        Launch split{group, workers, 0};
        for (Work& work : split.problems) {
          work.slices = std::max(tw::useful_slices(work.k_steps, slices), 1);
        }
        visit(Division::SplitK, split);
      }
      for (const auto variant :
           {StreamKVariant::TwoTile, StreamKVariant::OneTile, StreamKVariant::All}) {
        visit(Division::StreamK,
              Launch{group, workers, tw::stream_k_tile_count<int>(variant, slots, workers)});
      }
    }
  }
}

TEST_CASE("every worker takes exactly its own units, in order") {
  int64_t launches = 0;
  for_each_launch([&](Division division, const Launch& launch) {
    const std::vector<std::vector<Unit>> expected = units_of_workers(division, launch);
    for (int worker = 0; worker < launch.workers; ++worker) {
      CAPTURE(static_cast<int>(division));
      CAPTURE(launch.problems.size());
      CAPTURE(worker);
      CHECK(walked(division, launch, worker) == expected[static_cast<size_t>(worker)]);
    }
    ++launches;
  });
  CHECK(launches > 200);
}

TEST_CASE("no two streamed splits share a workspace slot") {
  for_each_launch([](Division division, const Launch& launch) {
    if (division != Division::StreamK) return;
    std::vector<int> places;
    for (int worker = 0; worker < launch.workers; ++worker) {
      for (const Unit& unit : walked(division, launch, worker)) {
        if (unit.parts > 1) places.push_back(tw::stream_k_part_index(worker, unit.part));
      }
    }
    std::sort(places.begin(), places.end());
    CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
    CHECK((places.empty() || places.back() < 2 * launch.workers));
  });
}

TEST_CASE("table_unit returns the unit that a table entry names") {
  const std::vector<Work> problems = {{2, 9, 3}, {4, 5, 2}};
  const Unit unit = tw::table_unit<Division::SplitK, int>(problems.data(), {1, 7});
  CHECK(unit == Unit{3, {3, 5}, 1, 2, 1});
}

TEST_CASE("share_holding is the inverse of even_share") {
  for (int parts = 1; parts < 20; ++parts) {
    for (int total = parts; total < 60; ++total) {
      for (int part = 0; part < parts; ++part) {
        const tw::Span<int> share = tw::even_share(total, parts, part);
        for (int at = share.begin; at < share.end; ++at) {
          CHECK(tw::share_holding(total, parts, at) == part);
        }
      }
    }
  }
}

TEST_CASE("slice by slice, if no worker has two: every slot's first slice, then the second") {
  constexpr WalkKind kWalk{.division = Division::SplitK, .slice_by_slice = true};
  for (int slots = 1; slots <= 7; ++slots) {
    for (int slices = 1; slices <= 5; ++slices) {
      for (int workers = 1; workers <= 36; workers += 5) {
        const tw::LaunchWork<int> work{slots, 9, slices, 0};
        std::vector<Unit> units(static_cast<size_t>(slots * slices));
        for (int worker = 0; worker < workers; ++worker) {
          tw::UnitWalk<kWalk> walk(work, worker, workers);
          size_t at = static_cast<size_t>(worker);
          for (Unit unit; walk.next(unit); at += static_cast<size_t>(workers)) units[at] = unit;
        }
        const bool by_slices = slots * slices <= workers;
        for (int slot = 0; slot < slots; ++slot) {
          for (int slice = 0; slice < slices; ++slice) {
            const int at = by_slices ? slice * slots + slot : slot * slices + slice;
            CHECK(units[static_cast<size_t>(at)] ==
                  Unit{slot, tw::even_share(9, slices, slice), slice, slices, 0});
          }
        }
      }
    }
  }
}

}  // namespace
