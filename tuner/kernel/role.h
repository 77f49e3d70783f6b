// What a kernel's argument is to it. A header of its own, for it is public (warptune::Tuner's arrays have roles), and
// the template that it is a part of is not.
#pragma once

namespace warptune::tuner {

enum class Role { scalar, input, output, inout, temporary };

}  // namespace warptune::tuner
