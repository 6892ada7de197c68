// Arguments of the kernel that copies operands to rows that TMA can address.
#pragma once

namespace tw {

/// `rows` x `columns` 16-bit elements, tight at `from`; at `to` rows are `pitch` elements apart, a
/// multiple of 8, and end in zeros.
struct RepackMatrix {
  const unsigned short* from = nullptr;
  unsigned short* to = nullptr;
  long long rows = 0;
  long long columns = 0;
  long long pitch = 0;
};

/// A and B, of which one may be absent (no rows).
struct RepackArgs {
  RepackMatrix matrices[2];
};

}  // namespace tw
