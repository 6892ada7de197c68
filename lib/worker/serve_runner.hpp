// The worker's side: a Runner that answers the requests of another process.
#pragma once

#include <functional>
#include <memory>

#include "search/runner.hpp"

namespace tilewright {

/// Answers on the socket that is standard input until the other side closes it, or until the
/// runner's device fails for good. From here on all output of this process goes to standard error.
/// This process ignores Ctrl-C, which the other side handles, and ends when that process ends.
void serve_runner(const std::function<std::unique_ptr<Runner>()>& open);

}  // namespace tilewright
