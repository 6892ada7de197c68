#include "gpu/compile/compiler_log.hpp"

#include <cctype>
#include <optional>

#include "base/text.hpp"

namespace tilewright {
namespace {

// The whole number that ends right before `words`, if the line has them.
std::optional<int> number_before(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  const std::optional<int64_t> value = parse_count(line.substr(begin, at - begin));
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

bool is_kernel_warning(std::string_view line) {
  const size_t at = line.find("(C7");
  return at != std::string_view::npos && line.size() > at + 6 && line[at + 6] == ')';
}

}  // namespace

CompilerLog parse_compiler_log(std::string_view log) {
  CompilerLog result;
  for (const std::string_view line : split(log, '\n')) {
    if (const auto registers = number_before(line, " registers")) result.registers = *registers;
    if (const auto stores = number_before(line, " bytes spill stores")) {
      result.spill_bytes += *stores;
    }
    if (const auto loads = number_before(line, " bytes spill loads")) result.spill_bytes += *loads;
    if (result.warning.empty() && is_kernel_warning(line)) result.warning = trim(line);
  }
  return result;
}

std::string reason_to_reject(const CompilerLog& log) {
  if (!log.warning.empty()) return log.warning;
  if (log.spill_bytes > 0) return format("spills {} bytes a thread", log.spill_bytes);
  return {};
}

}  // namespace tilewright
