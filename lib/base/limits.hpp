// Limits of one command's inputs and work: beyond them it would take minutes, or all memory.
#pragma once

#include <cstdint>

namespace tilewright {

/// A file or standard input, bytes.
inline constexpr int64_t kMaxFileBytes = int64_t{8} << 20;
/// A store of measurements, bytes; it grows by some 0.9 MB with 60 configs of a problem.
inline constexpr int64_t kMaxStoreBytes = int64_t{1} << 30;
/// The shared library of a harness, bytes.
inline constexpr int64_t kMaxHarnessBytes = int64_t{4} << 30;
/// Keys, values and lists in a YAML or JSON file.
inline constexpr int64_t kMaxNodes = 1'000'000;
/// One text in such a file, bytes; the longest is the sizes of kMaxProducts products.
inline constexpr int64_t kMaxText = int64_t{1} << 20;
/// Bytes that the aliases of a YAML file repeat.
inline constexpr int64_t kMaxRepeatedBytes = int64_t{64} << 10;
/// Products in one group.
inline constexpr int64_t kMaxProducts = int64_t{1} << 14;
/// Problems of one command, or cases of a suite.
inline constexpr int64_t kMaxProblems = 4096;
/// Warp instructions in a file of addresses.
inline constexpr int64_t kMaxInstructions = int64_t{1} << 16;
/// Multiprocessors of a device.
inline constexpr int64_t kMaxMultiprocessors = 4096;
/// A side of a tile, of a cluster or of the warps of a CTA.
inline constexpr int64_t kMaxExtent = 4096;
/// A factor of a raster.
inline constexpr int64_t kMaxFactor = 32767;
/// Parts along K into which split-K cuts a tile.
inline constexpr int64_t kMaxSplits = 1024;
/// CTAs of a launch.
inline constexpr int64_t kMaxCtas = 1'000'000;
/// Slots of a grid that a proof walks.
inline constexpr int64_t kMaxSlots = int64_t{1} << 24;
/// Units of a schedule, and parts of divided tiles among them.
inline constexpr int64_t kMaxUnits = int64_t{1} << 24;
inline constexpr int64_t kMaxParts = int64_t{1} << 20;
/// Units that are priced for all values of a sweep together.
inline constexpr int64_t kMaxSwept = int64_t{1} << 24;
/// Slots, units, offsets or elements that are listed or checked one by one.
inline constexpr int64_t kMaxListed = int64_t{1} << 22;

/// Elements of a tile or layout in a walk of its accesses.
inline constexpr int64_t kMaxTileElements = int64_t{1} << 20;
/// Warp instructions that a search for swizzles walks, over all candidates.
inline constexpr int64_t kMaxWalked = int64_t{1} << 23;

}  // namespace tilewright
