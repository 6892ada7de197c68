// An artefact as a part of a report: its answers, what was predicted of them, and how to repeat
// them.
#pragma once

#include <optional>
#include <string>

#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Rows of one artefact, from its first on, that hold a picture; later ones have the command that
/// draws it.
inline constexpr size_t kMostPictures = 100;

/// `source` is the file's name. Without a device there is no roofline and rows have no picture.
PageSection artefact_section(const Artefact& artefact, const std::string& source,
                             const std::optional<DeviceSpec>& device);

}  // namespace tilewright
