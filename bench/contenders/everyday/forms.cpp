// The table of this compilation.
#include "everyday/programs.hpp"

namespace contenders {

namespace programs = CONTENDER_SPACE;

const EverydayForm CONTENDER_EVERYDAY{.name = CONTENDER_NAME,
                                      .rules = Rules::CONTENDER_RULES,
                                      .regression = programs::regression,
                                      .train = programs::train,
                                      .convolve = programs::convolve,
                                      .lattice = programs::lattice,
                                      .heat = programs::heat,
                                      .barrier = programs::barrier,
                                      .top_customers = programs::top_customers,
                                      .top_categories = programs::top_categories,
                                      .nearest_neighbours = programs::nearest_neighbours,
                                      .word_count = programs::word_count,
                                      .pairs = programs::pairs,
                                      .eight_parts = programs::eight_parts,
                                      .bitonic = programs::bitonic,
                                      .pascal = programs::pascal};

}  // namespace contenders
