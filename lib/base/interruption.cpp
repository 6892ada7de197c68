#include "base/interruption.hpp"

#include "base/error.hpp"

namespace tilewright::detail {

void throw_interrupted() {
  throw Error(ExitCode::Interrupted, "interrupted");
}

}  // namespace tilewright::detail
