// Products that several sums share are fused with each of them.
#pragma once

namespace llvm {
class Function;
}

namespace hasten::backends::cpu {

/// LLVM contracts a product with a sum only where nothing else needs the product, although one that
/// only sums and differences need vanishes if it is fused with all of them: of a * a + b * b and
/// a * a - b * b, which need two products and a sum and a difference, remain one product and two
/// fused ones. Contracts where the instructions' flags allow it.
void fuse_shared_products(llvm::Function& function);

}  // namespace hasten::backends::cpu
