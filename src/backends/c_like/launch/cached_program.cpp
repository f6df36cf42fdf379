// A program that is found and can be loaded is not compiled again.
#include "backends/c_like/launch/cached_program.hpp"

#include "backends/code_store.hpp"

#include <span>

namespace hasten::backends::c_like {

std::shared_ptr<Program> cached_program(Driver& driver, const CodeStore* store,
                                        std::string_view name,
                                        const std::function<std::vector<std::byte>()>& compile) {
  return load_or_make(
      store, name, [&](std::span<const std::byte> code) { return driver.load(code); }, compile);
}

Program& CommonProgram::get() {
  const std::lock_guard lock(mutex_);
  if (!program_)
    program_ = cached_program(driver_, store_.get(), name_,
                              [&] { return driver_.compile(text_(driver_.dialect()), {}); });
  return *program_;
}

}  // namespace hasten::backends::c_like
