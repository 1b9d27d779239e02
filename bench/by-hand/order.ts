// The mapping of the benchmarks, written by hand.

/** The fields of an order that the mapping reads. */
export interface Order {
  readonly order_id: string;
  readonly created: string;
  readonly customer: { readonly name: string };
  readonly quantity: number;
  readonly unit_price: number;
  readonly currency: string;
  readonly note: string;
  readonly shipping: { readonly city: string };
}

/** Returns seven fields of an order as JSON. Throws if the body is not an order. */
export function mapOrder(body: Uint8Array): Buffer {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  return mapParsed(JSON.parse(text));
}

/** Returns seven fields of a parsed order as JSON. */
export function mapParsed(order: Order): Buffer {
  return Buffer.from(
    JSON.stringify({
      city: order.shipping.city,
      created: order.created,
      currency: order.currency.toLowerCase(),
      customer: order.customer.name,
      id: order.order_id,
      note: order.note,
      total: order.quantity * order.unit_price,
    }),
  );
}
