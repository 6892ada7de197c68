#include "search/beside.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

Workload cube(int sms) {
  Workload workload = workload_of(Problem{{1024, 1024, 1024}});
  workload.kind.sms = sms;
  return workload;
}

int multiprocessors(const char* asked, int sms) {
  return beside_of(parse_beside(asked), cube(sms), testing::h200()).multiprocessors;
}

std::string refusal_of(const char* asked, int sms = 0) {
  return testing::error_message_of([&] { multiprocessors(asked, sms); });
}

TEST_CASE("a text of --beside is printed as it is read") {
  for (const char* const text : {"copy", "copy:1", "collective", "collective:131"}) {
    CHECK(to_string(parse_beside(text)) == text);
  }
  CHECK(parse_beside("collective:8") == Beside{BesideKind::Collective, 8});
}

TEST_CASE("what is no neighbour is refused with what it takes") {
  CHECK(contains(refusal_of("copi"), "did you mean 'copy'"));
  CHECK(contains(refusal_of(""), "it takes copy and collective"));
  for (const char* const text : {"copy:", "copy:0", "copy:-1", "copy:x", "copy:4097", "copy:8:8"}) {
    CAPTURE(text);
    CHECK(contains(refusal_of(text), "write copy:K with K from 1 to 4096"));
  }
}

TEST_CASE("by default it has the multiprocessors that the product leaves, else 32") {
  CHECK(multiprocessors("copy", 0) == 32);
  CHECK(multiprocessors("copy", 100) == 32);
  CHECK(multiprocessors("copy", 131) == 1);
  CHECK(multiprocessors("collective:8", 100) == 8);
  CHECK(multiprocessors("collective:131", 0) == 131);
  CHECK(multiprocessors("collective:12", 120) == 12);
}

TEST_CASE("product and neighbour fit the device, and each has a multiprocessor") {
  CHECK(contains(refusal_of("copy:132"), "leaves the product none of the 132"));
  CHECK(contains(refusal_of("copy", 132), "--sms 132 leaves none of the 132"));
  CHECK(contains(refusal_of("copy:33", 100), "--sms 100 and --beside copy:33 take 133"));
  DeviceSpec small = testing::h200();
  small.sm_count = 20;
  CHECK(contains(testing::error_message_of([&] { beside_of({}, cube(0), small); }),
                 "leaves the product none of the 20"));
}

}  // namespace
}  // namespace tilewright
