#include <doctest/doctest.h>

#include <string>

#include "record/document.hpp"
#include "store/best_table.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// The answer for a triangle with this epilogue; "" stands for none.
TuneEntry answer_of(MatrixOp op, const std::string& epilogue) {
  TuneEntry entry;
  entry.problem = {.op = op, .shapes = {{512, 512, 256}}};
  if (!epilogue.empty()) entry.problem.kind.epilogue = parse_epilogue(epilogue);
  entry.predicted.us = 5;
  entry.choice = config_of(parse_config("cta=128x128x64,stages=4"));
  return entry;
}

TEST_CASE("a triangle's factors are written once: in its epilogue, or else as alpha and beta") {
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    for (const std::string epilogue : {"", "c", "0.5*c", "2*ab", "2*ab+0.5*c", "0*ab+c"}) {
      CAPTURE(epilogue);
      const TuneEntry entry = answer_of(op, epilogue);
      const Document document = to_document(entry);
      CHECK(document.contains("epilogue") == !epilogue.empty());
      if (epilogue.empty()) {
        CHECK(document.at("alpha") == 1);
        CHECK(document.at("beta") == 0);
      } else {
        CHECK(document.at("epilogue") == to_string(entry.problem.kind.epilogue));
        CHECK_FALSE(document.contains("alpha"));
        CHECK_FALSE(document.contains("beta"));
      }
      const TuneEntry read = read_entry(Node::parse(to_yaml(document), "an answer"));
      CHECK(read.problem == entry.problem);
      CHECK(to_document(read) == document);
    }
  }
}

}  // namespace
}  // namespace tilewright
