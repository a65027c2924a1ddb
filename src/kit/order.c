#include "kit/order.h"

#include "base/random.h"

void order_shuffle(uint32_t *order, size_t count, uint64_t seed)
{
	struct random random = { seed };

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	random_shuffle(&random, order, count, sizeof *order);
}
