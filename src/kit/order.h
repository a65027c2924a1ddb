/* Visiting orders. */
#ifndef KIT_ORDER_H
#define KIT_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Fills order with 0 … count − 1 in an order that the seed decides. */
void order_shuffle(uint32_t *order, size_t count, uint64_t seed);

#endif
