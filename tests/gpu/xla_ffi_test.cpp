// Answers to XLA without a GPU: the version, and the errors of a call.

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "serve/xla_ffi_abi.hpp"
#include "support/shipped_library.hpp"

namespace tilewright {

/// XLA's opaque type, here with the data that the test checks.
struct XlaError {
  std::string message;
  int32_t code = 0;
};

namespace {

using testing::ShippedLibrary;

XlaError* make_error(XlaErrorRequest* request) {
  static XlaError made;
  made = {request->message, request->code};
  return &made;
}
XlaError* give_device(XlaDeviceRequest* request) {
  request->device = 0;
  return nullptr;
}
XlaError* refuse_stream(XlaStreamRequest* /*request*/) {
  static XlaError made{"no stream here", 0};
  return &made;
}

/// A call in XLA's memory layout.
class FakeCall {
 public:
  FakeCall() {
    api_.size = sizeof(api_);
    api_.version.minor = 3;
    api_.make_error = make_error;
    api_.device = give_device;
    api_.stream = refuse_stream;
  }
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  void add_argument(XlaType type, std::vector<int64_t> dims) {
    arguments_.push_back({type, std::move(dims)});
  }
  void set_result(XlaType type, std::vector<int64_t> dims) { result_ = {type, dims}; }
  void add_integer(const char* name, int32_t value) { integers_.push_back({name, value}); }

  XlaCall call() {
    buffers_.clear();
    for (const Form& form : arguments_) buffers_.push_back(buffer_of(form));
    result_buffer_ = buffer_of(result_);
    arguments_at_.clear();
    for (const XlaBuffer& buffer : buffers_) arguments_at_.push_back(&buffer);
    result_at_ = &result_buffer_;
    for (const Integer& integer : integers_) {
      names_.push_back({integer.name, std::strlen(integer.name)});
      numbers_.push_back({XlaType::Int32, &integer.value});
    }
    for (size_t i = 0; i < integers_.size(); ++i) {
      names_at_.push_back(&names_[i]);
      numbers_at_.push_back(&numbers_[i]);
      kinds_.push_back(kXlaNumber);
    }
    XlaCall call{};
    call.size = sizeof(call);
    call.api = &api_;
    call.arguments = {sizeof(XlaBuffers), nullptr, std::ssize(arguments_at_), nullptr,
                      arguments_at_.data()};
    call.results = {sizeof(XlaBuffers), nullptr, 1, nullptr, &result_at_};
    call.attributes = {sizeof(XlaAttributes), nullptr,          std::ssize(kinds_),
                       kinds_.data(),         names_at_.data(), numbers_at_.data()};
    return call;
  }

 private:
  struct Form {
    XlaType type = XlaType::Bfloat16;
    std::vector<int64_t> dims;
  };
  struct Integer {
    const char* name;
    int32_t value;
  };
  // Each has its own address, which is never read.
  XlaBuffer buffer_of(const Form& form) {
    place_ += kRoom;
    char* const data = &memory_.at(place_ - kRoom);
    return {sizeof(XlaBuffer), nullptr, form.type, data, std::ssize(form.dims), form.dims.data()};
  }

  XlaApi api_{};
  std::vector<Form> arguments_;
  Form result_;
  std::vector<Integer> integers_;
  std::vector<XlaBuffer> buffers_;
  XlaBuffer result_buffer_{};
  std::vector<const XlaBuffer*> arguments_at_;
  const XlaBuffer* result_at_ = nullptr;
  std::vector<XlaText> names_;
  std::vector<XlaNumber> numbers_;
  std::vector<const XlaText*> names_at_;
  std::vector<const void*> numbers_at_;
  std::vector<int32_t> kinds_;
  static constexpr size_t kRoom = 1 << 14;
  std::array<char, 8 * kRoom> memory_{};
  size_t place_ = 0;
};

XlaError answer_of(const ShippedLibrary& library, const char* function, FakeCall& fake) {
  XlaCall call = fake.call();
  const XlaError* const error = library.function<XlaError*(XlaCall*)>(function)(&call);
  return error == nullptr ? XlaError{} : *error;
}

TEST_CASE("XLA gets its own version, and the calls are excluded from command buffers") {
  const ShippedLibrary library(testing::published_table({"dense"}), "versions");
  for (const char* const function : {"xla_gemm", "xla_grouped_gemm", "xla_rank_k"}) {
    FakeCall fake;
    XlaCall call = fake.call();
    XlaMetadata metadata{};
    metadata.version = {sizeof(XlaVersion), nullptr, -1, -1};
    metadata.traits = 7;
    XlaMetadataExtension extension{{sizeof(extension), kXlaMetadata, nullptr}, &metadata};
    call.extension = &extension.extension;
    CHECK(library.function<XlaError*(XlaCall*)>(function)(&call) == nullptr);
    CHECK(metadata.version.major == 0);
    CHECK(metadata.version.minor == 3);
    CHECK(metadata.traits == 0);
  }
}

TEST_CASE("a bad call from XLA gets an error with the reason") {
  const ShippedLibrary library(testing::published_table({"dense"}), "wrong");
  const auto product = [&](FakeCall& fake, std::vector<int64_t> b, XlaType type_b) {
    fake.add_argument(XlaType::Bfloat16, {64, 32});
    fake.add_argument(type_b, std::move(b));
    fake.set_result(XlaType::Bfloat16, {64, 16});
    fake.add_integer("given", 0);
    return answer_of(library, "xla_gemm", fake);
  };
  FakeCall right;
  CHECK(product(right, {32, 16}, XlaType::Bfloat16).message == "no stream here");
  FakeCall short_of_rows;
  const XlaError rows = product(short_of_rows, {31, 16}, XlaType::Bfloat16);
  CHECK(rows.message == "b has 31 rows, and it must have 32");
  CHECK(rows.code == kXlaInvalidArgument);
  FakeCall of_another_type;
  CHECK(product(of_another_type, {32, 16}, XlaType::Float16).message ==
        "b is float16, and this function takes bfloat16");
  FakeCall of_no_type;
  CHECK(product(of_no_type, {32, 16}, static_cast<XlaType>(15)).message ==
        "an array has XLA's type 15, which this library does not support");
  FakeCall without_attribute;
  without_attribute.add_argument(XlaType::Bfloat16, {64, 32});
  CHECK(answer_of(library, "xla_gemm", without_attribute).message == "attribute given is missing");
  FakeCall without_b;
  without_b.add_argument(XlaType::Bfloat16, {64, 32});
  without_b.add_integer("given", 0);
  CHECK(answer_of(library, "xla_gemm", without_b).message == "an argument is missing");
}

}  // namespace
}  // namespace tilewright
