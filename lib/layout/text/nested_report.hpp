// What `analyze nested` says about a nested layout on a workgroup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "layout/algebra/nested_layout.hpp"

namespace tilewright {

/// The hardware below: threads of a subgroup, subgroups of a workgroup; 0: as many as the layout
/// counts.
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

/// One thread and what it holds.
struct NestedThread {
  int64_t thread = 0;
  VirtualIds at;
  std::vector<Extents> elements;  // in the order of the distributed shape
};

struct NestedReport {
  NestedLayout layout;
  Workgroup workgroup;                // as used
  std::vector<int64_t> subgroup_ids;  // of the virtual subgroups, row-major, modulo the hardware's
  std::vector<int64_t> thread_ids;    // of the virtual threads, row-major
  std::vector<ElementOwners> owners;  // by row-major position
  int64_t replicated = 0;             // elements that several threads hold
  int64_t uncovered = 0;              // elements that no thread holds
  std::vector<NestedLint> lint;
  std::optional<NestedThread> thread;
};

/// Throws a usage error for a thread outside the workgroup, or a workgroup of more than 2^16
/// threads.
NestedReport report_nested(const NestedLayout& layout, const Workgroup& workgroup,
                           std::optional<int64_t> thread);

/// The numbers that a check can name.
std::vector<NamedNumber> numbers_of(const NestedReport& report);

}  // namespace tilewright
