// Probes of invented links: two directions at once are slower than one, and the pairs of a slow GPU
// are slower than the others.
#pragma once

#include <algorithm>
#include <vector>

#include "gate/link_prober.hpp"

namespace tilewright::testing {

class FakeLinkProber : public LinkProber {
 public:
  double vector_store = 340e3;
  double bulk_store = 350e3;
  double add = 310e3;
  double load = 290e3;
  double copy = 390e3;
  double copy_start_us = 19;
  double flag = 1.25;
  double busy_share = 0.9;  // of a rate, while both directions are busy
  int slow_gpu = -1;
  double slow_share = 0.5;
  int64_t lost_count = 0;
  std::vector<std::vector<LinkFlow>> asked;  // the flows of each copy

  double access_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) override {
    const double rates[] = {vector_store, bulk_store, add, load};
    return rates[static_cast<int>(access)] * share(flows);
  }
  double cta_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) override {
    return access_bytes_per_us(access, flows) / 40;
  }
  double copy_us(int64_t bytes, std::span<const LinkFlow> flows) override {
    asked.emplace_back(flows.begin(), flows.end());
    return copy_start_us + static_cast<double>(bytes) / (copy * share(flows));
  }
  double flag_us(LinkFlow pair) override { return is_slow(pair) ? flag / slow_share : flag; }
  AddProbe add_at_once(LinkFlow) override { return {1000, lost_count}; }

 private:
  bool is_slow(LinkFlow flow) const { return flow.gpu == slow_gpu || flow.peer == slow_gpu; }
  double share(std::span<const LinkFlow> flows) const {
    const bool slow =
        std::any_of(flows.begin(), flows.end(), [this](LinkFlow f) { return is_slow(f); });
    return (flows.size() > 1 ? busy_share : 1) * (slow ? slow_share : 1);
  }
};

}  // namespace tilewright::testing
