// The table of families.

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/family/skinny.hpp"
#include "tile/family/sm80.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {
namespace {

constexpr std::array<const FamilyRecord*, 3> kFamilies = {&kSm90Family, &kSm80Family,
                                                          &kSkinnyFamily};

}  // namespace

const FamilyRecord& record_of(Family family) {
  const auto* const found =
      std::find_if(kFamilies.begin(), kFamilies.end(),
                   [family](const FamilyRecord* const record) { return record->family == family; });
  if (found == kFamilies.end()) throw internal_error("a family without a record");
  return **found;
}

std::vector<Family> all_families() {
  std::vector<Family> families;
  families.reserve(kFamilies.size());
  for (const FamilyRecord* const record : kFamilies) families.push_back(record->family);
  return families;
}

std::string to_string(Family family) {
  return std::string(record_of(family).name);
}

Family parse_family(std::string_view text) {
  std::vector<std::string_view> names;
  for (const FamilyRecord* const record : kFamilies) {
    if (record->name == text) return record->family;
    names.push_back(record->name);
  }
  throw usage_error(format("config: unknown family '{}'{}: {}", text, did_you_mean(text, names),
                           join_words(names, "or")));
}

bool has_key(Family family, std::string_view key) {
  const std::span<const std::string_view> keys = record_of(family).keys;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool runs_groups(Family family) {
  return record_of(family).reject_group != nullptr;
}

}  // namespace tilewright
