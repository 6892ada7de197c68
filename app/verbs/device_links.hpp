// The links between a host's GPUs: what `device` shows of them, and their calibration.
#pragma once

#include <string>
#include <vector>

#include "gate/calibrate_links.hpp"
#include "host/console.hpp"
#include "host/devices.hpp"
#include "render/report.hpp"

namespace tilewright {

/// The rates of a device file in one line, in GB/s of each direction.
std::string links_text(const LinkRates& links);

/// Measures the links between the GPU and all others of its kind that have access to it and to each
/// other. Throws an environment error where there is none.
LinkCalibration measure_links(const ResolvedDevice& device, Console& console);

/// A row for each pair of GPUs and for the ring, the rates of the device file, and whether sums of
/// two GPUs at one address are exact.
std::vector<TextPart> links_report(const LinkCalibration& calibration);

}  // namespace tilewright
