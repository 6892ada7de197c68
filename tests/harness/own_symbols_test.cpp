// Two builds of one library in one process, and damaged ELF images.
#include "harness/own_symbols.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "harness/host_runner.hpp"
#include "search/admission.hpp"
#include "stats/random.hpp"
#include "store/harness_json.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

std::string fixture(int build) {
  return std::string(TILEWRIGHT_HARNESS_FIXTURES) + "/harness_fixture_unique_" +
         std::to_string(build) + ".so";
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_CASE("two builds in one process each use their own static variables of templates") {
  const std::unique_ptr<Runner> runner = make_host_runner(1);
  const Workload workload = workload_of(Problem{.shape = {16, 16, 16}});
  runner->prepare(workload);
  for (const int build : {1, 2, 1}) {
    const std::string file = fixture(build);
    const HarnessDescription harness = read_harness(runner->describe(file), file);
    const Contender contender = contender_of(first_legal(harness, workload, {}));
    const std::string reason = runner->build_foreign({&contender, 1}).front().reason;
    CHECK_MESSAGE(testing::contains(reason, "this is build " + std::to_string(build)), reason);
  }
}

TEST_CASE("only the unique symbols of an image change, and none is unique afterwards") {
  std::string image = bytes_of(fixture(1));
  const std::string before = image;
#if defined(__GNUC__) && !defined(__clang__)
  CHECK(unshare_symbols(image) == 1);
#else
  unshare_symbols(image);
#endif
  CHECK(unshare_symbols(image) == 0);
  CHECK(image.size() == before.size());
  int64_t changed = 0;
  for (size_t i = 0; i < image.size(); ++i) changed += image[i] != before[i] ? 1 : 0;
  CHECK(changed <= 1);
}

TEST_CASE("truncated and damaged images are not read beyond their end") {
  const std::string whole = bytes_of(fixture(1));
  Random random(1);
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 64) {
    std::string cut = whole.substr(0, size);
    unshare_symbols(cut);
    CHECK(cut.size() == size);
  }
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) {
      const auto place = static_cast<size_t>(
          random.below(trial % 2 == 0 ? 64 : static_cast<uint32_t>(whole.size())));
      damaged[place] = static_cast<char>(random.below(256));
    }
    unshare_symbols(damaged);
    CHECK(damaged.size() == whole.size());
  }
}

}  // namespace
}  // namespace tilewright
