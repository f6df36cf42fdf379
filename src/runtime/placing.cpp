// Implements hasten/run/memory.hpp: explicit moves of arrays.
#include <hasten/run/memory.hpp>

#include "runtime/memory/residency.hpp"
#include "runtime/report/text.hpp"
#include "runtime/targets.hpp"

namespace hasten::detail {

void bring_to(const HostArray& array, const Target& target, bool is_pinned, const Where& where) {
  const auto device = runtime::find_device(target, where);
  if (!device->memory) {
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
      static_cast<void>(array.data(leaf));
    return;
  }
  const char* const operation = is_pinned ? "pin" : "prefetch";
  runtime::with_room(device->memory, 0, [&](runtime::WorkingSet& set) {
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
      const Buffer& component = *array.component(leaf);
      if (!set.read(component, {operation, where, false}))
        throw MemoryError(std::string(operation) + ": an array of shape " +
                              runtime::shape_text(array.shape()) + " needs " +
                              runtime::bytes_text(static_cast<double>(component.size())) +
                              " of device memory; " + device->memory->report(0) +
                              "; release arrays that are pinned, or work in parts",
                          where);
    }
    for (std::size_t leaf = 0; is_pinned && leaf < array.leaves().size(); ++leaf)
      runtime::pin(*array.component(leaf), *device->memory);
  });
}

void bring_home(const HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    runtime::release(*array.component(leaf));
}

}  // namespace hasten::detail
