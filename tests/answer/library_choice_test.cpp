#include "answer/library_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

// Faster than ours, equal within the noise, slower.
const PairedRatio kShares[] = {{0.9, {0.89, 0.91}}, {0.995, {0.98, 1.001}}, {1.1, {1.09, 1.11}}};

LibraryPin pin_of(int64_t version, const PairedRatio& ratio, const PairedRatio& first) {
  return {.version = version,
          .name = "cublasLt/2 algo=66",
          .algorithm = {},
          .median_us = 90,
          .ratio = ratio,
          .first_us = 95,
          .first_ratio = first};
}

// Pins of any of three versions, each with any of the ratios.
void for_all_pins(const std::function<void(const std::vector<LibraryPin>&)>& visit) {
  constexpr int kStates = 10;  // no pin, or one of 3 x 3
  for (int state = 0; state < kStates * kStates * kStates; ++state) {
    std::vector<LibraryPin> pins;
    int rest = state;
    for (const int64_t version : {120800, 130000, 130200}) {
      const int own = rest % kStates;
      rest /= kStates;
      if (own == 0) continue;
      pins.push_back(pin_of(version, kShares[(own - 1) / 3], kShares[(own - 1) % 3]));
    }
    visit(pins);
  }
}

const std::optional<int64_t> kFound[] = {std::nullopt, 110100, 120800, 120900,
                                         130000,       130100, 130200, 140000};

TEST_CASE("the library answers exactly where its record is faster beyond noise") {
  for_all_pins([](const std::vector<LibraryPin>& pins) {
    for (const std::optional<int64_t>& found : kFound) {
      const LibraryChoice choice = choose_library(pins, found);
      const auto has = [&](int64_t version) {
        return std::any_of(pins.begin(), pins.end(),
                           [version](const LibraryPin& pin) { return pin.version == version; });
      };
      if (!library_may_answer(pins) || !found) REQUIRE(choice.use == LibraryUse::Ours);
      if (!found || pins.empty()) {
        REQUIRE(choice.pin == nullptr);
        continue;
      }
      REQUIRE(choice.pin != nullptr);
      const LibraryPin& pin = *choice.pin;
      if (has(*found)) {
        REQUIRE(pin.version == *found);
        REQUIRE((choice.use == LibraryUse::Pinned) == (pin.ratio.interval.high < 1));
        REQUIRE(choice.use != LibraryUse::FirstChoice);
        continue;
      }
      // Algorithms of another version are never called.
      REQUIRE(choice.use != LibraryUse::Pinned);
      REQUIRE((choice.use == LibraryUse::FirstChoice) == (pin.first_ratio.interval.high < 1));
      // The newest record that is no newer decides, or the oldest if all are newer.
      for (const LibraryPin& other : pins) {
        if (pin.version < *found) REQUIRE((other.version <= pin.version || other.version > *found));
        if (pin.version > *found) REQUIRE(other.version >= pin.version);
      }
    }
  });
}

TEST_CASE("a sentence gives the reason exactly where the pinned algorithm does not answer") {
  for_all_pins([](const std::vector<LibraryPin>& pins) {
    for (const std::optional<int64_t>& found : kFound) {
      for (const std::string refusal : {"", "it needs A at a multiple of 16 bytes"}) {
        const std::string why =
            why_not_pinned(pins, found, "the process has not loaded it", refusal);
        CAPTURE(why);
        const LibraryChoice choice = choose_library(pins, found);
        const bool is_own = choice.pin != nullptr && choice.pin->version == found;
        const bool is_plain = !library_may_answer(pins) || (is_own && refusal.empty());
        REQUIRE(why.empty() == is_plain);
        if (is_plain) continue;
        if (!found) REQUIRE(contains(why, "the process has not loaded it"));
        if (found && !is_own) REQUIRE(contains(why, "cuBLASLt " + library_version(*found)));
        const bool calls = choice.use != LibraryUse::Ours;
        if (found && calls && !refusal.empty()) REQUIRE(contains(why, refusal));
      }
    }
  });
}

TEST_CASE("golden: the sentences") {
  const std::vector<LibraryPin> pins = {pin_of(130100, kShares[0], kShares[2])};
  CHECK(why_not_pinned(pins, std::nullopt, "the process has not loaded it", "") ==
        "no pin of cuBLASLt applies: the process has not loaded it");
  CHECK(why_not_pinned(pins, 120804, "", "") ==
        "no pin applies: the process has cuBLASLt 12.8.4, and recorded is 13.1.0; our kernel is as "
        "fast as the first choice of 13.1.0");
  CHECK(why_not_pinned(pins, 130100, "", "it does not run the product (status 15)") ==
        "the pin of cuBLASLt 13.1.0 does not apply: it does not run the product (status 15)");
  CHECK(library_versions_text(pins) == "with cuBLASLt 13.1.0 the library's algorithm is used");
  const std::vector<LibraryPin> two = {pin_of(130000, kShares[0], kShares[0]), pins[0]};
  CHECK(library_versions_text(two) ==
        "with cuBLASLt 13.0.0 and 13.1.0 the library's algorithm is used, with versions of "
        "cuBLASLt that were not timed its first choice may be used");
  CHECK(library_versions_text({}).empty());
}

}  // namespace
}  // namespace tilewright
