// Prints what the header in this build says for a host: a number that changes when its source does.
#include <cstdio>

#include "vector_add_tuned.h"

int main() {
  constexpr auto choice = warptune_tuned::vector_add::architecture_configuration(0, {1000003});
  std::printf("BLOCK_SIZE=%lld of %d\n", choice.BLOCK_SIZE, warptune_tuned::vector_add::entry_count);
}
