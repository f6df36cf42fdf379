// Code of devices that are programmed in text.
#pragma once

#include "ahead/call/linked/code.hpp"

#include <string>

namespace hasten::ahead {

using MakeDevice = std::shared_ptr<backends::Backend> (*)(std::size_t index, std::string& why);

/// Throws TargetError where `make` finds no device. `kind` is for its text: "opencl".
[[nodiscard]] std::unique_ptr<LinkedCode> open_device(const hasten_device_code& code,
                                                      std::size_t device, const char* kind,
                                                      MakeDevice make);

}  // namespace hasten::ahead
