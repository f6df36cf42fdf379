// A program that is found and can be loaded is not compiled again.
#include "backends/c_like/launch/cached_program.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::c_like {

std::shared_ptr<Program> cached_program(Driver& driver, const CodeStore* store,
                                        std::string_view name,
                                        const std::function<std::vector<std::byte>()>& compile) {
  if (const auto kept = store ? store->find(name) : std::nullopt) {
    try {
      return driver.load(*kept);
    } catch (const Error&) {  // what cannot be loaded counts as absent
    }
  }
  const std::vector<std::byte> code = compile();
  if (store) store->store(name, code);
  return driver.load(code);
}

Program& CommonProgram::get() {
  const std::lock_guard lock(mutex_);
  if (!program_)
    program_ = cached_program(driver_, store_.get(), name_,
                              [&] { return driver_.compile(text_(driver_.dialect()), {}); });
  return *program_;
}

}  // namespace hasten::backends::c_like
