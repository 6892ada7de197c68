#include "store/store_line.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kCheckKey = ",\"check\":\"";
constexpr std::string_view kLineEnd = "\"}";
// The length of a hash_text(); with 64 bits damage practically never goes unnoticed
constexpr size_t kDigits = 16;

std::string checksum_of(std::string_view text) {
  return hash_text(text).substr(0, kDigits);
}

}  // namespace

std::string store_line(const Document& object) {
  std::string line = object.dump(-1, ' ', false, Document::error_handler_t::replace);
  line.pop_back();
  const std::string checksum = checksum_of(line);
  return line.append(kCheckKey).append(checksum).append(kLineEnd).append("\n");
}

LineCheck check_line(std::string_view line) {
  constexpr size_t kSize = kCheckKey.size() + kDigits + kLineEnd.size();
  if (line.size() <= kSize) return LineCheck::Missing;
  const std::string_view object = line.substr(0, line.size() - kSize);
  const std::string_view check = line.substr(object.size());
  if (!check.starts_with(kCheckKey) || !check.ends_with(kLineEnd)) return LineCheck::Missing;
  const bool is_right = check.substr(kCheckKey.size(), kDigits) == checksum_of(object);
  return is_right ? LineCheck::Right : LineCheck::Wrong;
}

}  // namespace tilewright
