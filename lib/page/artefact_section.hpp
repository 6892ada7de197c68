// A report's section on an artefact: its answers, their predictions, and the commands that repeat
// them.
#pragma once

#include <optional>
#include <string>

#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Rows of an artefact that hold a picture, counted from the first; later rows have the command
/// that draws it.
inline constexpr size_t kMaxPictures = 100;

/// `source` is the file's name. Without a device, the section has no roofline and no pictures.
PageSection artefact_section(const Artefact& artefact, const std::string& source,
                             const std::optional<DeviceSpec>& device);

}  // namespace tilewright
