// Which kernels a library of tuned answers ships.
#pragma once

#include <span>
#include <vector>

#include "search/answer_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The kernels of every row at its own problem, and for each kind of rows general ones: with them
/// every size, alpha and beta, leading dimension and alignment that a family of kernels serves has
/// an answer. General ones are few: winners of the kind, by the model, as odd rows want them. Each
/// kernel adds a program.
std::vector<ShippedKernel> shipped_kernels(std::span<const AnswerRow> rows,
                                           const DeviceSpec& device);

}  // namespace tilewright
