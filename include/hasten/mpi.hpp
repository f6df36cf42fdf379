// Several processes, on one machine or many, that run programs together. Link hasten::mpi.
//
//   int main(int argc, char** argv) {
//     hs::mpi::init(argc, argv);
//     auto f = hs::compile(program, {.target = hs::mpi::target()});  // or HASTEN_TARGET=mpi
//     ...                                                            // mpirun -n 4 ./main
//   }
//
// Every rank runs the same program: it makes the same calls with the same numbers in the same
// order. An array is the same on all ranks, or each rank holds a part of it (distributed). Ranks
// that diverge get a TargetError; an error on one rank is thrown on all.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/ranks.hpp>
#include <hasten/run/options.hpp>

#include <cstddef>
#include <cstdint>

namespace hasten::mpi {

/// Makes this process one of those that `mpirun` has started; started alone, it is the only rank of
/// a world of size one. Starts MPI if it is not running, and in that case ends it when the process
/// ends. A second call does nothing. Ranks on one machine share its processors unless
/// HASTEN_THREADS sets the threads of each; therefore call init before anything else. Throws
/// TargetError if MPI cannot be started.
void init(int& argc, char**& argv);

/// The rank of this process, from 0, and the number of ranks. Throws Error before init().
[[nodiscard]] int rank();
[[nodiscard]] int size();

/// "mpi": each rank uses the processor of its machine. `Target("mpi:cuda")` and
/// `Target("mpi:opencl")` assign a device of the machine to each of its ranks.
[[nodiscard]] Target target();

/// Joins the parts that the ranks pass along `axis`, in rank order, into one array. Along the
/// outermost axis nothing is copied, and programs are split at the boundaries of the parts; along
/// any other axis the rows are redistributed. Collective: all ranks call it. Throws ShapeError on
/// all ranks if the other extents differ, or if there is no such axis.
template <class T, std::size_t N>
  requires(N > 0)
[[nodiscard]] Array<T, N> distributed(const Array<T, N>& local, std::size_t axis = 0,
                                      detail::Where where = detail::Where::current()) {
  return detail::Access::array<Array<T, N>>(
      detail::distributed(detail::Access::host(local), axis, where));
}

/// The rows of a result that this rank holds, without a copy. The rows of all ranks, in rank order,
/// are the result. An array that is the same on all ranks is divided evenly.
template <class T, std::size_t N>
  requires(N > 0)
[[nodiscard]] Array<T, N> local(const Array<T, N>& whole,
                                detail::Where where = detail::Where::current()) {
  return detail::Access::array<Array<T, N>>(detail::local_part(detail::Access::host(whole), where));
}

/// The traffic that this process has sent to other ranks so far.
struct Traffic {
  std::int64_t messages, bytes;
};
[[nodiscard]] Traffic traffic();

}  // namespace hasten::mpi
