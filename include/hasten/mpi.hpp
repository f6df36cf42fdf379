// Several processes, on one machine or many, that run programs together. Link hasten::mpi.
//
//     int main(int argc, char** argv) {
//       hs::mpi::init(argc, argv);
//       auto f = hs::compile(program, {.target = hs::mpi::target()});  // or HASTEN_TARGET=mpi
//       ...                                                            // mpirun -n 4 ./main
//     }
//
// Every rank runs the same program: it makes the same calls with the same numbers in the same
// order. Arrays are the same on all ranks, or parts of one (distributed). Ranks that do different
// things get a TargetError; an error on one rank is thrown on all.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/ranks.hpp>
#include <hasten/run/options.hpp>

#include <cstddef>
#include <cstdint>

namespace hasten::mpi {

/// Makes this process one of those that `mpirun` has started; alone, the one rank of a world of
/// one. Starts MPI if nobody has, and then ends it when the process ends. Calling it again does
/// nothing. Ranks of one machine share its processors, unless HASTEN_THREADS says how many each
/// has; so this comes before anything else. Throws TargetError if MPI cannot be started.
void init(int& argc, char**& argv);

/// This process among the others, from 0, and how many they are. Throws Error before init().
[[nodiscard]] int rank();
[[nodiscard]] int size();

/// "mpi": each rank with the processor of its machine. `Target("mpi:cuda")` and
/// `Target("mpi:opencl")` give each rank of a machine a device of it.
[[nodiscard]] Target target();

/// One array of the parts that all ranks give, one after the other along `axis`. Along the
/// outermost one nothing is copied, and programs are cut where the parts begin; along others the
/// rows are redistributed. All ranks call it. Throws ShapeError on all ranks if other extents
/// differ, or there is no such axis.
template <class T, std::size_t N>
  requires(N > 0)
[[nodiscard]] Array<T, N> distributed(const Array<T, N>& local, std::size_t axis = 0,
                                      detail::Where where = detail::Where::current()) {
  return detail::Access::array<Array<T, N>>(
      detail::distributed(detail::Access::host(local), axis, where));
}

/// The rows that this rank has of a result, without a copy: those of all ranks, in order, are the
/// result. Of what is the same on all ranks, as many for each.
template <class T, std::size_t N>
  requires(N > 0)
[[nodiscard]] Array<T, N> local(const Array<T, N>& whole,
                                detail::Where where = detail::Where::current()) {
  return detail::Access::array<Array<T, N>>(detail::local_part(detail::Access::host(whole), where));
}

/// What this process has sent to others so far.
struct Traffic {
  std::int64_t messages, bytes;
};
[[nodiscard]] Traffic traffic();

}  // namespace hasten::mpi
