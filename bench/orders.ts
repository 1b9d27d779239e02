// Sample orders of about 500 bytes, like those of a web shop.

const names = ["Ada Lovelace", "Grace Hopper", "Margaret Hamilton", "Barbara Liskov", "Radia Perlman"];

/**
 * Returns orders with different values. With `exact`, JavaScript would print prices differently from their source
 * text.
 */
export function createOrders(exact: boolean): readonly Uint8Array[] {
  return Array.from({ length: 64 }, (_, index) => Buffer.from(orderText(index, exact)));
}

function orderText(index: number, exact: boolean): string {
  const price = (base: number) => `${base + (index % 7)}.${exact ? "90" : "95"}`;
  const items = Array.from({ length: 3 }, (_, item) => ({
    sku: `SKU-${1000 + index * 3 + item}`,
    quantity: (index + item) % 3,
    price: price(10 + item),
  }));
  const lines = items.map(
    ({ sku, quantity, price: each }) => `{"sku":"${sku}","quantity":${quantity},"price":${each}}`,
  );
  return (
    `{"order_id":"o-${100000 + index}","created":"2026-03-${10 + (index % 20)}T10:15:30Z",` +
    `"customer":{"name":"${names[index % names.length]}","email":"buyer${index}@example.com","tier":"gold"},` +
    `"items":[${lines.join(",")}],"quantity":${1 + (index % 5)},"unit_price":${price(30)},` +
    `"currency":"EUR","note":"leave at the door, ring twice","shipping":{"city":"Lisbon","zip":"1100-148"},` +
    `"internal":{"trace":"abc${index}def","shard":${index % 16}}}`
  );
}
