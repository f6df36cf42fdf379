// Exports the library hasten_peers: Hasten's side of ./dev bench --peers.
#include "entries.hpp"

int main(int argc, char** argv) {
  auto library = hasten::library("hasten_peers");
  bench::peers::add_elements(library);
  bench::peers::add_grids(library);
  bench::peers::add_moving(library);
  bench::peers::add_rows(library);
  return hasten::export_main(argc, argv, library);
}
