// The report of `analyze nested` about a nested layout on a workgroup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "layout/algebra/nested_layout.hpp"

namespace tilewright {

/// The hardware: threads of a subgroup and subgroups of a workgroup; 0 means the
/// layout's default.
struct Workgroup {
  int64_t subgroup_size = 0;
  int64_t subgroups = 0;
  bool operator==(const Workgroup&) const = default;
};

struct NestedLint {
  std::string code;
  std::string message;
  bool operator==(const NestedLint&) const = default;
};

/// One thread and the elements that it holds.
struct NestedThread {
  int64_t thread = 0;
  VirtualIds at;
  std::vector<Extents> elements;  // in the order of the distributed shape
};

struct NestedReport {
  NestedLayout layout;
  Workgroup workgroup;                // without zeros
  bool size_from_strides = false;     // the threads of a subgroup are the layout's default
  std::vector<int64_t> subgroup_ids;  // of the virtual subgroups, row-major, modulo the hardware's
  std::vector<int64_t> thread_ids;    // of the virtual threads, row-major, likewise
  std::vector<ElementOwners> owners;  // by row-major position
  int64_t replicated = 0;             // elements that several threads hold
  int64_t uncovered = 0;              // elements that no thread holds
  std::vector<NestedLint> lint;
  std::optional<NestedThread> thread;
  std::string cute;    // the thread-value layout, or why there is none
  std::string triton;  // likewise
};

/// Throws a usage error for a thread outside the workgroup, or a workgroup of more than 2^16
/// threads.
NestedReport report_nested(const NestedLayout& layout, const Workgroup& workgroup,
                           std::optional<int64_t> thread);

/// One subgroup, or one thread of subgroup 0. `place` is its slice of the level above,
/// "[0,:,:,:,:]".
struct NestedLevel {
  int64_t id = 0;
  Extents virtual_id;
  std::string place;
};

/// The vector level by level; `viewed_as` is subgroup x batch x outer x thread x element.
struct NestedLevels {
  std::string viewed_as;
  std::string of_subgroup;
  std::string of_thread;
  std::vector<NestedLevel> subgroups;
  std::vector<NestedLevel> threads;  // a selection
};
NestedLevels levels_of(const NestedReport& report);

/// The vector level by level: the slice of each subgroup, then of some of its threads, as the
/// dialect's documentation writes them.
std::string levels_text(const NestedReport& report);

/// The part of the vector that one subgroup holds, and its place in the vector: "[32:64, 0:64]".
struct NestedSlice {
  NestedReport report;
  std::string place;
};

/// Throws a usage error for a subgroup that the workgroup lacks, or that is no layout of its own.
NestedSlice slice_of_subgroup(const NestedReport& report, int64_t subgroup);

/// The numbers that a check expression can name.
std::vector<NamedNumber> numbers_of(const NestedReport& report);

}  // namespace tilewright
