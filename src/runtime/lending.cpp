// Memory of devices that others lend by DLPack, and that is lent to them. A call has ended on the
// device when it returns, so that a tensor's elements are there for whoever gets it.
#include <hasten/detail/memory/dlpack_facts.hpp>

#include "runtime/memory/residency.hpp"
#include "runtime/report/text.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/error.hpp>

#include <optional>
#include <string>
#include <utility>

namespace hasten::detail {
namespace {

constexpr const char* cuda_prefix = "cuda:";

// DLPack's number of a CUDA device; none: another target.
std::optional<std::int32_t> cuda_number(const std::string& name) {
  if (!name.starts_with(cuda_prefix)) return std::nullopt;
  return static_cast<std::int32_t>(std::stoi(name.substr(std::string(cuda_prefix).size())));
}

}  // namespace

std::shared_ptr<Buffer> adopt_dlpack(const DlpackPlace& place, std::size_t bytes,
                                     std::shared_ptr<void> owner, const Where& where) {
  const auto device = [&] {
    try {
      return runtime::find_device(cuda(place.device_id), where);
    } catch (const TargetError&) {
      throw TargetError(
          "from_dlpack: the tensor is in memory of a CUDA device; copy it to the host "
          "first (.cpu() in PyTorch), for there is no target \"cuda:" +
              std::to_string(place.device_id) + "\" here (hasten info says why)",
          where);
    }
  }();
  return runtime::adopted(device->memory, static_cast<std::byte*>(place.data), bytes,
                          std::move(owner));
}

LentPlace lend_dlpack(const HostArray& array, const hasten::Target& target, const Where& where) {
  const auto device = runtime::find_device(target, where);
  const Buffer& component = *array.component(0);
  if (!device->memory) return {{dlpack_host, 0, component.data()}, nullptr};
  const auto number = cuda_number(device->name);
  if (!number)
    throw TargetError(
        "to_dlpack: arrays are lent in memory of the host and of CUDA devices, not "
        "of \"" +
            device->name + "\"",
        where);
  LentPlace lent{{dlpack_cuda, *number, nullptr}, nullptr};
  runtime::with_room(device->memory, 0, [&](runtime::WorkingSet& set) {
    lent.place.data = set.read(component, {"to_dlpack", where, false});
    if (!lent.place.data)
      throw MemoryError("to_dlpack: an array of shape " + runtime::shape_text(array.shape()) +
                            " has no room on the device; " + device->memory->report(0),
                        where);
    lent.keeper = runtime::keep(set, component, device->memory);
  });
  device->backend->finish();
  return lent;
}

}  // namespace hasten::detail
