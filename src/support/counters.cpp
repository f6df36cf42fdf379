// The one instance of the process-wide counters.
#include "support/counters.hpp"

namespace hasten::support {

Counters& counters() {
  static Counters& instance = *new Counters;
  return instance;
}

}  // namespace hasten::support
