// Libraries that sort on processors name this, and are linked with what sorts by it.
#include "ahead/call/linked/code.hpp"

extern "C" const hasten_sorter hasten_processor_sorter = {hasten::backends::cpu::sort_positions};
