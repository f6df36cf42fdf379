// Code that a backend keeps of its own, in the kernel cache on disk.
#pragma once

#include "backends/code_store.hpp"

#include <memory>
#include <string>

namespace hasten::runtime {

/// In the folder of the cache at the time of each call.
[[nodiscard]] std::shared_ptr<const backends::CodeStore> make_code_store(std::string fingerprint);

}  // namespace hasten::runtime
