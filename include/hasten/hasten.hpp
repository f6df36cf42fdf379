// Hasten: all of it. Programs include this header and use the names of namespace hasten,
// qualified or through an alias (namespace hs = hasten).
#pragma once

#include <hasten/array.hpp>
#include <hasten/bits.hpp>
#include <hasten/bring_in.hpp>
#include <hasten/choose.hpp>
#include <hasten/complex.hpp>
#include <hasten/concat.hpp>
#include <hasten/control.hpp>
#include <hasten/control_flow.hpp>
#include <hasten/elementwise.hpp>
#include <hasten/error.hpp>
#include <hasten/exp.hpp>
#include <hasten/folds.hpp>
#include <hasten/foreign.hpp>
#include <hasten/half.hpp>
#include <hasten/indices.hpp>
#include <hasten/ix.hpp>
#include <hasten/math.hpp>
#include <hasten/memory.hpp>
#include <hasten/options.hpp>
#include <hasten/permute.hpp>
#include <hasten/random.hpp>
#include <hasten/run.hpp>
#include <hasten/scans.hpp>
#include <hasten/segments.hpp>
#include <hasten/shape_ops.hpp>
#include <hasten/sort.hpp>
#include <hasten/stencil.hpp>
#include <hasten/stream.hpp>
#include <hasten/struct.hpp>
#include <hasten/sum_types.hpp>
