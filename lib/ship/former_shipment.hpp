// Shipped folders of versions that wrote no manifest.
#pragma once

#include <filesystem>
#include <optional>

#include "ship/manifest.hpp"

namespace tilewright {

/// The shipment in a folder without a manifest, with unknown digests: known by each lib/libNAME.so
/// with the payload of a shipment and the include/NAME.h of its functions. Nothing if there is
/// none; its name is that of the first such library.
std::optional<Manifest> former_shipment(const std::filesystem::path& folder);

}  // namespace tilewright
