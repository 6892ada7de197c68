#include "request/best_request.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

BestOptions sound_lookup() {
  BestOptions options;
  options.problem = "512x256x128";
  return options;
}

// The message of a usage error, after this change of a sound lookup.
std::string refused(const std::function<void(BestOptions&)>& change) {
  BestOptions options = sound_lookup();
  change(options);
  return testing::error_message_of([&] { read_best(options); });
}

TEST_CASE("every export is read by its own name, and a misspelt one is explained") {
  for (size_t i = 0; i < std::size(kExports); ++i) {
    CHECK(parse_best_export(std::string(kExports[i])) == static_cast<BestExport>(i));
  }
  const std::string message = testing::error_message_of([] { parse_best_export("jsno"); });
  CHECK(contains(message, "did you mean 'json'?"));
}

TEST_CASE("a lookup is one product, and a pin may name its config") {
  BestOptions options = sound_lookup();
  options.pin = true;
  options.config = "cta=128x128x64";
  const BestRequest request = read_best(options);
  REQUIRE(request.products.size() == 1);
  CHECK(request.products.front().shapes.front() == GemmShape{512, 256, 128});
  CHECK(request.config.has_value());
  CHECK(!read_best(sound_lookup()).config.has_value());
}

TEST_CASE("options that contradict each other are refused before a file is read") {
  CHECK(contains(refused([](BestOptions& o) { o.output = "folder"; }), "--export vllm"));
  CHECK(contains(refused([](BestOptions& o) { o.config = "cta=128x128x64"; }), "needs --pin"));
  const auto pin = [](const std::function<void(BestOptions&)>& change) {
    return refused([&](BestOptions& o) {
      o.pin = true;
      change(o);
    });
  };
  CHECK(contains(pin([](BestOptions& o) { o.among = {"a.yaml"}; }), "omit --among"));
  CHECK(contains(pin([](BestOptions& o) { o.from = "-"; }), "--pin writes to a file"));
  CHECK(contains(pin([](BestOptions& o) { o.config = "cta=banana"; }), "banana"));
  const auto vllm = [](const std::function<void(BestOptions&)>& change) {
    return refused([&](BestOptions& o) {
      o.export_as = BestExport::Vllm;
      o.output = "folder";
      change(o);
    });
  };
  CHECK(vllm([](BestOptions&) {}).empty());
  CHECK(contains(vllm([](BestOptions& o) { o.output.clear(); }), "-o FOLDER"));
  CHECK(contains(vllm([](BestOptions& o) { o.pin = true; }), "no --pin"));
  CHECK(contains(vllm([](BestOptions& o) { o.among = {"a.yaml"}; }), "no --among"));
}

}  // namespace
}  // namespace tilewright
