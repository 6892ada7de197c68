// The section of a report for a program that `record` ran: what the library loses in its calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "tile/workload/counted_workload.hpp"

namespace tilewright {

/// A program's product beside the answer of an artefact.
struct ProgramProduct {
  CountedWorkload counted;
  std::optional<double> library_us = {};  // of the reference; none: not measured
  std::optional<double> winner_us = {};
};

/// The products in their order, each with the first answer to it.
std::vector<ProgramProduct> program_products(const std::vector<CountedWorkload>& products,
                                             const std::vector<Artefact>& artefacts);

/// The library's time less the winner's, times the calls. None where either was not measured.
std::optional<double> lost_us(const ProgramProduct& product);

/// A row for each product; `source` is the list's file.
PageSection program_section(const std::vector<ProgramProduct>& products, const std::string& source);

}  // namespace tilewright
