#include "serve/payload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

/// Random bytes: they do not deflate with 256 letters, and do with a few.
std::string random_bytes(std::mt19937& random, size_t bytes, unsigned letters) {
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random() % letters);
  return text;
}

std::vector<Blob> random_blobs(std::mt19937& random) {
  std::map<std::string, std::string> blobs;
  for (size_t left = random() % 20; left > 0; --left) {
    const std::string name = random_bytes(random, random() % 12, 3);
    blobs[name] = random_bytes(random, random() % 3000, random() % 2 == 0 ? 256 : 4);
  }
  std::vector<Blob> listed;
  for (const auto& [name, bytes] : blobs) listed.push_back({name, bytes});
  std::shuffle(listed.begin(), listed.end(), random);
  return listed;
}

TEST_CASE("a packed payload reads back, in any order") {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    std::vector<Blob> blobs = random_blobs(random);
    const std::string payload = pack_payload(blobs);
    const PayloadReader reader(payload);
    REQUIRE(reader.blob_count() == blobs.size());
    for (const Blob& blob : blobs) CHECK(reader.read(blob.name) == blob.bytes);
    CHECK(!reader.read("no such name"));
    CHECK(!reader.read("\xff"));
    std::sort(blobs.begin(), blobs.end(),
              [](const Blob& a, const Blob& b) { return a.name < b.name; });
    CHECK(pack_payload(blobs) == payload);
    for (size_t i = 0; i < blobs.size(); ++i) CHECK(reader.name(i) == blobs[i].name);
  }
}

TEST_CASE("blobs are as short as they can be, and start at 16 bytes") {
  std::mt19937 random(2);
  const Blob plain{"noise", random_bytes(random, 5001, 256)};
  const Blob zeros{"zeros", std::string(1 << 20, '\0')};
  const std::string payload = pack_payload(std::vector{zeros, plain, Blob{"empty", ""}});
  CHECK(payload.size() < 7000);
  CHECK(payload.size() % 16 == 0);
  CHECK(payload.find(plain.bytes) % 16 == 0);
  CHECK(PayloadReader(payload).read("zeros") == zeros.bytes);
  CHECK(PayloadReader(payload).read("empty") == "");
}

TEST_CASE("two blobs with one name are refused") {
  CHECK(contains(error_message_of(
                     [] {
                       pack_payload(std::vector{Blob{"a", "1"}, Blob{"a", "2"}});
                     },
                     ExitCode::Internal),
                 "have the name 'a'"));
}

TEST_CASE("a payload that is cut off anywhere is refused") {
  std::mt19937 random(3);
  const std::string payload = pack_payload(
      std::vector{Blob{"a", random_bytes(random, 700, 256)}, Blob{"b", std::string(999, 'b')}});
  for (size_t bytes = 0; bytes < payload.size(); ++bytes) {
    // In an allocation of its own, so that sanitizers see a read beyond its end.
    const std::vector<char> cut(payload.begin(), payload.begin() + static_cast<int64_t>(bytes));
    const std::string_view view(cut.data(), cut.size());
    CHECK(contains(error_message_of([view] { PayloadReader{view}; }), "payload of this library"));
  }
}

TEST_CASE("every changed byte is noticed, unless it is padding") {
  std::mt19937 random(4);
  const std::vector<Blob> blobs = {{"a", random_bytes(random, 700, 256)},
                                   {"b", std::string(999, 'b')}};
  const std::string payload = pack_payload(blobs);
  size_t unnoticed = 0;
  for (size_t at = 0; at < payload.size(); ++at) {
    std::string changed = payload;
    changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    const std::string error_message = error_message_of([&] {
      const PayloadReader reader(changed);
      for (const Blob& blob : blobs) {
        const std::string bytes = reader.read(blob.name).value();
        CHECK(bytes == blob.bytes);
      }
    });
    unnoticed += error_message.empty() ? 1 : 0;
  }
  // The padding after the index and after each blob.
  CHECK(unnoticed <= 3 * 15);
}

TEST_CASE("the error names the damaged blob") {
  const std::vector<Blob> blobs = {{"zeros", std::string(5000, '\0')}};
  std::string payload = pack_payload(blobs);
  payload[payload.size() - 20] = static_cast<char>(~payload[payload.size() - 20]);
  const PayloadReader reader(payload);
  const std::string error_message = error_message_of([&reader] { reader.read("zeros"); });
  CHECK(contains(error_message, "'zeros' does not inflate"));
  CHECK(contains(error_message, "ship it again"));
}

}  // namespace
}  // namespace tilewright
