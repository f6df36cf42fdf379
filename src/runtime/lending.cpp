// Device memory that others lend by DLPack, and that is lent to them. A call has ended on the
// device when it returns, so that the receiver of a tensor finds its elements complete.
#include <hasten/detail/memory/dlpack_facts.hpp>

#include "runtime/memory/residency.hpp"
#include "runtime/report/text.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace hasten::detail {
namespace {

// A kind of device for whose memory DLPack has a number.
struct Kind {
  std::int32_t number;
  const char* prefix;  // of the target's name
  const char* words;
};
constexpr Kind kinds[] = {{dlpack_cuda, "cuda:", "a CUDA device"},
                          {dlpack_opencl, "opencl:", "an OpenCL device"}};

const Kind& kind_of(std::int32_t number) {
  return *std::ranges::find(kinds, number, &Kind::number);
}

hasten::Target target_of(const DlpackPlace& place) {
  return place.device_type == dlpack_cuda ? cuda(place.device_id) : opencl(place.device_id);
}

// DLPack's name of the target; none: it is of another kind.
std::optional<DlpackPlace> place_of(const std::string& target) {
  for (const Kind& kind : kinds)
    if (target.starts_with(kind.prefix))
      return DlpackPlace{kind.number, std::stoi(target.substr(std::strlen(kind.prefix))), nullptr};
  return std::nullopt;
}

}  // namespace

std::shared_ptr<Buffer> adopt_dlpack(const DlpackPlace& place, std::size_t bytes,
                                     std::shared_ptr<void> owner, const Where& where) {
  const hasten::Target target = target_of(place);
  const auto device = [&] {
    try {
      return runtime::find_device(target, where);
    } catch (const TargetError&) {
      throw TargetError(std::string("from_dlpack: the tensor is in memory of ") +
                            kind_of(place.device_type).words +
                            "; copy it to the host first (.cpu() in PyTorch), for there is no "
                            "target \"" +
                            target.name() + "\" here (hasten info says why)",
                        where);
    }
  }();
  backends::Adopted taken =
      device->backend->adopt(place.data, place.byte_offset, bytes, std::move(owner));
  if (!taken.address)
    throw TargetError("from_dlpack: \"" + device->name +
                          "\" cannot use the tensor's memory where it is: " + taken.refusal,
                      where);
  return runtime::adopted(device->memory, taken.address, bytes, std::move(taken.owner));
}

LentPlace lend_dlpack(const HostArray& array, const hasten::Target& target, const Where& where) {
  const auto device = runtime::find_device(target, where);
  const Buffer& component = *array.component(0);
  if (!device->memory) return {{dlpack_host, 0, component.data()}, nullptr};
  const auto place = place_of(device->name);
  if (!place)
    throw TargetError(
        "to_dlpack: arrays are lent in memory of the host, of CUDA and of OpenCL devices, not of "
        "\"" +
            device->name + "\"",
        where);
  LentPlace lent{*place, nullptr};
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
