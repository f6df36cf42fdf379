// The subcommands of `hasten`.
#pragma once

#include <iosfwd>

namespace hasten_tool {

void info(std::ostream& out);
void cache(std::ostream& out, bool clears);

}  // namespace hasten_tool
