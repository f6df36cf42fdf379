// A program of several processes, as a user writes it: mpirun -n 2 ./ranks.
#include <hasten/hasten.hpp>
#include <hasten/mpi.hpp>

#include <iostream>

int main(int argc, char** argv) {
  namespace hs = hasten;
  hs::mpi::init(argc, argv);
  const hs::Vector<int> own{hs::mpi::rank(), 10};
  auto sum = hs::compile([](hs::Acc<hs::Vector<int>> a) { return hs::sum(a); },
                         {.target = hs::mpi::target()});
  const int found = sum(hs::mpi::distributed(own)).item(), ranks = hs::mpi::size();
  const int expected = ranks * (ranks - 1) / 2 + 10 * ranks;
  if (hs::mpi::rank() == 0) std::cout << "sum over " << ranks << " ranks: " << found << "\n";
  return found == expected ? 0 : 1;
}
