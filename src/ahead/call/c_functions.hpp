// The functions that the C source of a library calls, for programs of either kind.
#pragma once

#include "ahead/call/programs.hpp"
#include "ahead/call/status.hpp"

#include <hasten/c_library.h>

#include <memory>

namespace hasten::ahead {

using MakePrograms = std::unique_ptr<Programs> (*)(const hasten_library& library,
                                                   const hasten_library_options& options);

// Exceptions of each become a status.
void create_context(const hasten_library* library, void** context,
                    const hasten_library_options* options, MakePrograms make);
void free_context(const hasten_library* library, void* context);
void call(const hasten_library* library, void* context, std::uint32_t entry,
          const void* const* arguments, void* const* results);
void free_array(const hasten_library* library, void* array);

/// The table of these functions for programs that `make` creates.
template <MakePrograms make>
constexpr hasten_library_functions functions_over() {
  return {
      [](const hasten_library* library, void** context, const hasten_library_options* options) {
        return static_cast<int>(guarded([&] { create_context(library, context, options, make); }));
      },
      [](const hasten_library* library, void* context) {
        return static_cast<int>(guarded([&] { free_context(library, context); }));
      },
      [](const hasten_library* library, void* context, std::uint32_t entry,
         const void* const* arguments, void* const* results) {
        return static_cast<int>(
            guarded([&] { call(library, context, entry, arguments, results); }));
      },
      [](const hasten_library* library, void* array) {
        return static_cast<int>(guarded([&] { free_array(library, array); }));
      },
      [] { return last_error(); },
  };
}

}  // namespace hasten::ahead
