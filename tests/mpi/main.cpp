// Every rank runs all tests.
#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  hasten::mpi::init(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
