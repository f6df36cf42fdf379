// The work of a call on a device that does not distinguish calls: all work.
#include "backends/backend.hpp"

namespace hasten::backends {
namespace {

class WholeDevice final : public Work {
 public:
  explicit WholeDevice(Backend& backend) : backend_(backend) {}
  void finish() override { backend_.finish(); }

 private:
  Backend& backend_;
};

}  // namespace

std::unique_ptr<Work> Backend::begin_work() { return std::make_unique<WholeDevice>(*this); }

}  // namespace hasten::backends
