#include "store/record_line.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace tilewright {
namespace {

std::optional<Record> read(const std::string& line) {
  return record_from_line(Node::parse_json(line, "store.jsonl"));
}

// A round of random size with usual and unusual values: lost launches, clocks of their own, none.
RoundRecord random_round(std::mt19937_64& random) {
  RoundRecord round{.race = static_cast<int64_t>(random() % 9),
                    .round = static_cast<int64_t>(random() % 1000),
                    .times = {}};
  const bool is_steady = random() % 2 == 0;
  const size_t size = 1 + random() % 12;
  for (size_t i = 0; i < size; ++i) {
    LaunchTime time{.us = 1e-6 + static_cast<double>(random() % 1'000'000) / 7};
    if (random() % 5 == 0) time = {.us = 0, .failure = "it hung \"for\" 20 s\n"};
    if (is_steady || random() % 2 == 0) time.sm_mhz = 1755;
    if (is_steady || random() % 2 == 0) time.watts = 612.5;
    round.times.emplace_back("config " + std::to_string(i), time);
  }
  return round;
}

TEST_CASE("a round reads back from its line, with ids in place of its contenders") {
  std::mt19937_64 random(20261126);
  for (int i = 0; i < 2000; ++i) {
    RoundRecord round = random_round(random);
    Document line;
    write_record(round, line);
    const std::optional<Record> found = read(line.dump());
    for (auto& one : round.times) one.first = contender_id(one.first);
    REQUIRE(found);
    CHECK(*found == Record(round));
  }
}

TEST_CASE("a launch has a line of its own in schema 1") {
  const std::optional<Record> found =
      read(R"({"race":3,"round":4,"contender":"abc","us":26.5,"sm_mhz":1755.0})");
  REQUIRE(found);
  CHECK(*found == Record(RoundRecord{3, 4, {{"abc", {.us = 26.5, .sm_mhz = 1755}}}}));
}

TEST_CASE("impossible rounds are nothing, and other types throw") {
  CHECK_THROWS_AS(read(R"({"race":0,"round":0,"contender":"a","us":0})"), Error);
  for (const char* const text :
       {R"({"race":0,"round":0,"times":[]})", R"({"race":0,"round":2000000,"times":[["a",1]]})",
        R"({"race":0,"round":0,"times":[["a",1],["b",0]]})",
        R"({"race":0,"round":0,"times":[["a",-1]]})"}) {
    CHECK(!read(text));
  }
  for (const char* const text :
       {R"({"race":0,"round":-1,"times":[["a",1]]})", R"({"race":0,"round":0,"times":3})",
        R"({"race":0,"round":0,"times":[["a"]]})", R"({"race":0,"round":0,"times":[[1,2]]})",
        R"({"race":0,"round":0,"times":[["a",[]]]})", R"({"race":"x","round":0,"times":[["a",1]]})",
        R"({"round":0,"times":[["a",1]]})", R"({"race":0,"round":0,"times":[["a",1,1755]]})"}) {
    CHECK_THROWS_AS(read(text), Error);
  }
}

}  // namespace
}  // namespace tilewright
