#include "search/beside.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {

Beside parse_beside(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Beside beside;
  const auto known = std::ranges::find(kBesideKinds, name);
  if (known == std::end(kBesideKinds)) {
    throw usage_error(
        format("--beside '{}'{}; it takes {}, each with :K multiprocessors or without", text,
               did_you_mean(name, kBesideKinds), join_words(kBesideKinds, "and")));
  }
  beside.kind = static_cast<BesideKind>(known - std::begin(kBesideKinds));
  if (colon == std::string_view::npos) return beside;
  const std::optional<int64_t> count = parse_count(text.substr(colon + 1));
  if (!count || *count < 1 || *count > kMaxMultiprocessors) {
    throw usage_error(format("--beside '{}': write {}:K with K from 1 to {} multiprocessors", text,
                             name, kMaxMultiprocessors));
  }
  beside.multiprocessors = static_cast<int>(*count);
  return beside;
}

std::string to_string(const Beside& beside) {
  const std::string_view name = kBesideKinds[static_cast<size_t>(beside.kind)];
  if (beside.multiprocessors == 0) return std::string(name);
  return format("{}:{}", name, beside.multiprocessors);
}

Beside beside_of(const Beside& asked, const Workload& workload, const DeviceSpec& device) {
  constexpr int kUsual = 32;  // of the order of what collectives occupy
  const int sms = workload.kind.sms;
  Beside beside = asked;
  if (beside.multiprocessors == 0) {
    beside.multiprocessors = sms > 0 ? device.sm_count - sms : kUsual;
  }
  if (beside.multiprocessors < 1) {
    throw usage_error(format("--sms {} leaves none of the {} multiprocessors of {} to --beside {}",
                             sms, device.sm_count, device.name, to_string(asked)));
  }
  if (beside.multiprocessors >= device.sm_count) {
    throw usage_error(format("--beside {} leaves the product none of the {} multiprocessors of {}",
                             to_string(beside), device.sm_count, device.name));
  }
  if (beside.multiprocessors + sms > device.sm_count) {
    throw usage_error(format("--sms {} and --beside {} take {} multiprocessors, and {} has {}", sms,
                             to_string(beside), beside.multiprocessors + sms, device.name,
                             device.sm_count));
  }
  return beside;
}

}  // namespace tilewright
