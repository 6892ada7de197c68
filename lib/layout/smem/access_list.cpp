#include "layout/smem/access_list.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// Far above any memory, far below where adding offsets could overflow.
constexpr int64_t kMostAddress = int64_t{1} << 48;

int64_t parse_address(std::string_view text, size_t lane) {
  if (text == "-1") return kInactive;
  const std::optional<int64_t> address = parse_count(text);
  if (!address || *address > kMostAddress) {
    throw usage_error(
        format("lane {}: '{}' is not a byte address from 0 to {}, or -1 for an inactive lane", lane,
               text, kMostAddress));
  }
  return *address;
}

}  // namespace

WarpAccess parse_access(const AccessOp& op, std::string_view text) {
  const std::vector<std::string_view> parts = split(trim(text), ',');
  const auto needed = static_cast<size_t>(address_count(op));
  if (parts.size() != kWarpLanes && parts.size() != needed) {
    throw usage_error(format("{} takes {} byte addresses, one a lane (-1 inactive), not {}",
                             to_string(op), needed, parts.size()));
  }
  WarpAccess access{.op = op, .addresses = {}};
  access.addresses.fill(kInactive);
  for (size_t lane = 0; lane < parts.size(); ++lane) {
    access.addresses[lane] = parse_address(trim(parts[lane]), lane);
  }
  require_aligned(access);
  return access;
}

std::vector<WarpAccess> parse_access_lines(const AccessOp& op, std::string_view text,
                                           std::string_view name) {
  std::vector<WarpAccess> accesses;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    try {
      accesses.push_back(parse_access(op, line));
    } catch (const Error& error) {
      throw usage_error(format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (accesses.empty()) {
    throw usage_error(format("{} holds no access: one line of byte addresses each", name));
  }
  return accesses;
}

}  // namespace tilewright
