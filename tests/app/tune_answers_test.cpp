#include "verbs/tune_answers.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "app/fake_device.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

Artefact answer_of(int64_t n, int64_t rounds) {
  Artefact answer;
  answer.method.timer = "made up";
  answer.rounds = rounds;
  answer.entries.resize(1);
  answer.entries[0].problem.shapes = {{n, n, n}};
  answer.entries[0].choice = config_of(parse_config("cta=128x128x64,stages=4"));
  answer.entries[0].predicted.us = 10;
  return answer;
}

TEST_CASE("answers are in the order of the problems, in any order of completion") {
  const testing::TemporaryFolder folder;
  TuneOptions options;
  options.problems = {"256x256x256"};
  options.output = (folder.path() / "best.yaml").string();
  std::ostringstream words;
  const Console console{.out = words, .err = words};
  const TuneRequest request = read_tune(options);
  TuneAnswers answers(request, testing::fake_gpu(), console);
  answers.save_last();
  CHECK(is_missing(options.output));
  answers.put(2, answer_of(512, 20));
  answers.save_early();
  CHECK(load_best(options.output).entries.size() == 1);
  answers.put(0, answer_of(256, 10));
  answers.save_last();
  CHECK(load_best(options.output).entries.size() == 2);
  const Artefact& all = answers.artefact();
  REQUIRE(all.entries.size() == 2);
  CHECK(all.entries[0].problem.shapes[0].n == 256);
  CHECK(all.entries[1].problem.shapes[0].n == 512);
  CHECK(all.rounds == 20);
  CHECK(all.method.timer == "made up");
  CHECK(testing::contains(words.str(), format("wrote {}", options.output)));
}

}  // namespace
}  // namespace tilewright
