// Which kernels a library of tuned answers ships.
#pragma once

#include <span>
#include <vector>

#include "answer/answer_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The kernels of every row at its own problem, and general kernels for each kind of rows: together
/// they answer every size, alpha and beta, leading dimension and alignment that a family of kernels
/// serves. General kernels are few: winners of the kind, chosen by the model, and what odd rows
/// need. Then the fastest kernels of trials, where those so far lose more than 3 % to them.
/// Each kernel adds a program.
std::vector<ShippedKernel> shipped_kernels(std::span<const AnswerRow> rows,
                                           std::span<const Trial> trials, const DeviceSpec& device);

}  // namespace tilewright
