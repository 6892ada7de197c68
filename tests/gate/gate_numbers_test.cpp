#include "gate/gate_numbers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gate/gate.hpp"

namespace tilewright {
namespace {

StaticNumbers example() {
  return {130, 0, 1, true, PredictedNumbers{45.3, 34.6e6, 8.5e6}, CompilerNumbers{168, 0, 230464}};
}

std::vector<std::string> keys_of(const std::vector<GateNumber>& numbers) {
  std::vector<std::string> keys;
  for (const GateNumber& number : numbers) keys.push_back(number.key);
  return keys;
}

TEST_CASE("a static case has its numbers under keys, the predicted time first") {
  const StaticNumbers now = example();
  CHECK(keys_of(gate_numbers(now, nullptr)) ==
        std::vector<std::string>{"predicted_us", "dram_read_bytes", "dram_write_bytes", "waves",
                                 "slots", "overhang", "complete", "spill_bytes", "registers",
                                 "smem_bytes"});
  for (const GateNumber& number : gate_numbers(now, nullptr)) CHECK_FALSE(number.before);
  for (const GateNumber& number : gate_numbers(now, &now)) CHECK(number.now == number.before);
}

TEST_CASE("a number that one side lacks is absent, never 0") {
  StaticNumbers plain = example();
  plain.compiled.reset();
  plain.predicted.reset();
  CHECK(keys_of(gate_numbers(plain, nullptr)) ==
        std::vector<std::string>{"waves", "slots", "overhang", "complete"});
  const StaticNumbers full = example();
  for (const GateNumber& number : gate_numbers(full, &plain)) {
    CAPTURE(number.key);
    const bool known = number.key == "waves" || number.key == "slots" || number.key == "overhang" ||
                       number.key == "complete";
    CHECK(number.before.has_value() == known);
  }
}

TEST_CASE("printed numbers have their precision and the change from the baseline") {
  CHECK(to_string(GateNumber{"predicted_us", 2820.791, 1349.417, false}) ==
        "predicted_us 2820.79, baseline 1349.42 (+109.0 %)");
  CHECK(to_string(GateNumber{"overhang", 30, 0, false}) == "overhang 30, baseline 0");
  CHECK(to_string(GateNumber{"complete", 0, 1, true}) == "complete no, baseline yes");
  CHECK(to_string(GateNumber{"ratio", 1.04, {}, false}) == "ratio 1.0400");
}

TEST_CASE("traffic is in MB, and its change in exact bytes, however small") {
  CHECK(to_string(GateNumber{"dram_read_bytes", 1389363153, 1389363025, false}) ==
        "dram_read_bytes 1389.36 MB, baseline 1389.36 MB (+0.0 %, +128 B)");
  CHECK(to_string(GateNumber{"dram_write_bytes", 2e6, 4e6, false}) ==
        "dram_write_bytes 2.00 MB, baseline 4.00 MB (-50.0 %, -2000000 B)");
  // The bytes of a kernel are few, and a limit of the hardware is exact.
  CHECK(to_string(GateNumber{"smem_bytes", 230464, 230336, false}) ==
        "smem_bytes 230464, baseline 230336 (+0.1 %)");
}

}  // namespace
}  // namespace tilewright
