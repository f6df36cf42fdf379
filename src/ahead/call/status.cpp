// The text is in thread-local memory, which needs no allocation when memory is exhausted.
#include "ahead/call/status.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

namespace hasten::ahead {
namespace {

constexpr std::size_t text_max = 2048;
thread_local char error_text[text_max];

Status failed(Status status, std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), text_max - 1);
  std::memcpy(error_text, text.data(), size);
  error_text[size] = 0;
  return status;
}

template <class Kind>
bool is(const Error& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

Status status_of(const Error& error) {
  if (is<Misuse>(error)) return Status::invalid_argument;
  if (is<ShapeError>(error)) return Status::shape_error;
  if (is<IndexError>(error)) return Status::index_error;
  if (is<ArithmeticError>(error)) return Status::arithmetic_error;
  if (is<MemoryError>(error)) return Status::memory_error;
  if (is<TargetError>(error)) return Status::target_error;
  if (is<StoppedError>(error)) return Status::stopped;
  return Status::internal_error;
}

}  // namespace

Status guarded(core::FunctionRef<void()> f) noexcept {
  try {
    f();
    return Status::ok;
  } catch (const Error& error) {
    return failed(status_of(error), error.what());
  } catch (const std::bad_alloc&) {
    return failed(Status::memory_error, "there is no memory left for running a program");
  } catch (const std::exception& error) {
    return failed(Status::internal_error, error.what());
  } catch (...) {
    return failed(Status::internal_error, "something that is no error was thrown");
  }
}

const char* last_error() noexcept { return error_text; }

}  // namespace hasten::ahead
