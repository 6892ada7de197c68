#include "base/interruption.hpp"

#include "base/error.hpp"

namespace tilewright {
namespace {

thread_local int works_to_finish = 0;

}  // namespace

namespace detail {

void throw_unless_finishing() {
  if (works_to_finish == 0) throw Error(ExitCode::Interrupted, "interrupted");
}

}  // namespace detail

FinishingWork::FinishingWork() {
  ++works_to_finish;
}

FinishingWork::~FinishingWork() {
  --works_to_finish;
}

}  // namespace tilewright
