#include "search/library_pin.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/artefacts.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

TEST_CASE("every algorithm's digits read back; another number of digits is refused") {
  testing::ArtefactMaker maker(7);
  for (int i = 0; i < 300; ++i) {
    const AlgorithmBits bits = maker.pin(1).algorithm.bits;
    const std::string text = to_string(bits);
    REQUIRE(text.size() == 128);
    CHECK(parse_algorithm_bits(text) == bits);
    const std::string shorter = text.substr(0, static_cast<size_t>(maker.below(128)));
    CHECK(!testing::error_message_of([&] { parse_algorithm_bits(shorter); }).empty());
  }
}

TEST_CASE("a version is printed as major.minor.patch") {
  CHECK(library_version(130100) == "13.1.0");
  CHECK(library_version(120804) == "12.8.4");
  CHECK(library_version(130002) == "13.0.2");
}

}  // namespace
}  // namespace tilewright
