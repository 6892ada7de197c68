// libFuzzer: any text is a value that prints and parses back, or a usage error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_report.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Derivation why;
    const LayoutValue value = read_layout(text, &why);
    const auto* const layout = std::get_if<ComposedLayout>(&value);
    if (layout == nullptr) return 0;
    if (!(as_layout(read_layout(to_string(*layout)), "the printed layout") == *layout))
      std::abort();
    const std::string cpp = print_layout(*layout, LayoutDialect::CuteCpp);
    if (!(as_layout(read_layout(cpp), "the printed layout") == *layout)) std::abort();
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) std::abort();
  }
  return 0;
}
