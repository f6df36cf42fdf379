// Libraries that sort on processors refer to this, which links the sorting code.
#include "ahead/call/linked/code.hpp"

extern "C" const hasten_sorter hasten_processor_sorter = {hasten::backends::cpu::sort_positions};
