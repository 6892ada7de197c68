#include "gpu/compile/cache_entry.hpp"

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr size_t kChecksumDigits = 32;

std::string head_of(std::string_view identity) {
  return format("tilewright kernel, version 2\n{}\n{}\n", identity.size(), identity);
}

// Takes the text before the first `separator`, and the separator, off the front of `bytes`.
std::optional<std::string_view> take_until(std::string_view& bytes, char separator) {
  const size_t end = bytes.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return taken;
}

}  // namespace

std::string encode_entry(std::string_view identity, const CompiledKernel& kernel) {
  const std::string content =
      format("{}{}\n{}{}", head_of(identity), kernel.log.size(), kernel.log, kernel.cubin);
  return hash_text(content) + "\n" + content;
}

std::optional<CompiledKernel> decode_entry(std::string_view identity, std::string_view bytes) {
  const std::optional<std::string_view> checksum = take_until(bytes, '\n');
  if (!checksum || checksum->size() != kChecksumDigits || hash_text(bytes) != *checksum) {
    return std::nullopt;
  }
  const std::string head = head_of(identity);
  if (!bytes.starts_with(head)) return std::nullopt;
  bytes.remove_prefix(head.size());
  const std::optional<std::string_view> digits = take_until(bytes, '\n');
  const std::optional<int64_t> log_bytes = digits ? parse_count(*digits) : std::nullopt;
  if (!log_bytes || static_cast<uint64_t>(*log_bytes) >= bytes.size()) return std::nullopt;
  const auto log_size = static_cast<size_t>(*log_bytes);
  return CompiledKernel{.cubin = std::string(bytes.substr(log_size)),
                        .log = std::string(bytes.substr(0, log_size))};
}

}  // namespace tilewright
