// The worker's side: a Runner that answers the questions of another process.
#pragma once

#include <functional>
#include <memory>

#include "search/runner.hpp"

namespace tilewright {

/// Answers on the socket that is standard input until the other side closes it, or until the
/// runner's device answers nothing any more. Whatever this process prints from here on goes to
/// standard error. Ctrl-C is the other side's to see; when that process ends, this one does.
void serve(const std::function<std::unique_ptr<Runner>()>& open);

}  // namespace tilewright
