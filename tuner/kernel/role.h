// Says what an argument is to its kernel. Role has a header of its own because it is public (warptune::Tuner's arrays
// have roles), and the template that it is a part of is not.
#pragma once

namespace warptune::tuner {

enum class Role { scalar, input, output, inout, temporary };

}  // namespace warptune::tuner
